package clause

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
)

//go:embed words/weights.tsv
var weightFile string

// threshold is what a sentence must weigh to be reported, in hundredths of a log-odds. It was set
// so that in cross-validation one honest definition in forty that sounds dangerous is
// flagged.
const threshold = 200

// weights are what signs and pairs of them count. It is read-only once loaded.
type weights struct {
	base  int
	alone [signs]int16
	pairs [signs][signs]int16 // the smaller sign first
}

var fitted = sync.OnceValue(func() *weights {
	w, err := loadWeights(weightFile)
	if err != nil {
		panic("clause: weights: " + err.Error())
	}
	return w
})

// loadWeights reads lines of two signs and a number; the second sign is empty for one that
// counts by itself.
func loadWeights(data string) (*weights, error) {
	w := &weights{}
	n := 0
	for line := range strings.Lines(data) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" || line[0] == '#' {
			continue
		}
		n++
		f := strings.Split(line, "\t")
		x, err := strconv.ParseInt(f[len(f)-1], 10, 16)
		if err != nil {
			return nil, err
		}
		if len(f) == 1 && n == 1 {
			w.base = int(x)
			continue
		}
		if len(f) != 3 {
			return nil, fmt.Errorf("want three columns: %q", line)
		}
		a, b := slices.Index(signNames[:], f[0]), slices.Index(signNames[:], f[1])
		switch {
		case a < 0 || f[0] == "" || b < 0 && f[1] != "":
			return nil, fmt.Errorf("unknown sign: %q", line)
		case f[1] == "":
			w.alone[a] = int16(x)
		default:
			w.pairs[min(a, b)][max(a, b)] = int16(x)
		}
	}
	return w, nil
}

// score weighs the signs of one sentence.
func score(s []sign) int {
	w := fitted()
	out := w.base
	for i, a := range s {
		out += int(w.alone[a])
		for _, b := range s[i+1:] {
			out += int(w.pairs[min(a, b)][max(a, b)])
		}
	}
	return out
}
