package clause

import (
	_ "embed"
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"sync"
)

//go:embed words/weights.tsv
var weightFile string

// What a sentence must weigh, in hundredths of a log-odds: to be reported at all, as likely, as more
// than likely; and, where a rule holds on it, to be reported as more than a doubt. They were set
// by what models report that have not seen a family (TestFit in the scanner's tests).
const (
	suspect   = 130
	threshold = 150
	sure      = 300
	doubt     = -100
)

// weights are what counts in a sentence. They are read-only once loaded.
type weights struct {
	base     int
	alone    [signs]int16
	pairs    [signs][signs]int16 // the smaller sign first
	rules    map[string]int16    // by kind, and by what they say
	words    map[string]*wordWeight
	numbered int // weights of words and of pairs
	spoken   [manners]struct {
		alone [64]int16
		pairs [64][64]int16
	}
}

// A wordWeight is what a word counts, by itself and with the word behind it.
type wordWeight struct {
	alone numbered
	next  map[string]numbered
}

// A numbered weight is told from all others by its number.
type numbered struct {
	weight int16
	number int32
}

func (w *weights) number(x int16) numbered {
	w.numbered++
	return numbered{x, int32(w.numbered - 1)}
}

var fitted = sync.OnceValue(func() *weights {
	w, err := loadWeights(weightFile)
	if err != nil {
		panic("clause: weights: " + err.Error())
	}
	return w
})

// loadWeights reads a first line with what a sentence without features counts, and then lines of
// kind, two names and a number; the second name is empty for what counts by itself.
func loadWeights(data string) (*weights, error) {
	w := &weights{rules: map[string]int16{}, words: map[string]*wordWeight{}}
	byName := make(map[string]int, len(signNames))
	for i, name := range signNames {
		if name != "" {
			byName[name] = i
		}
	}
	first := true
	for line := range strings.Lines(data) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" || line[0] == '#' {
			continue
		}
		if first {
			first = false
			x, err := strconv.Atoi(line)
			if err != nil {
				return nil, err
			}
			w.base = x
			continue
		}
		f := strings.Split(line, "\t")
		if len(f) != 4 {
			return nil, fmt.Errorf("want four columns: %q", line)
		}
		x, err := strconv.ParseInt(f[3], 10, 16)
		if err != nil {
			return nil, err
		}
		if err := w.set(Feature{f[0], f[1], f[2]}, int16(x), byName); err != nil {
			return nil, err
		}
	}
	return w, nil
}

func (w *weights) set(f Feature, x int16, byName map[string]int) error {
	switch f.Kind {
	case "word", "next":
		word := w.words[f.A]
		if word == nil {
			word = &wordWeight{alone: w.number(0)}
			w.words[f.A] = word
		}
		if f.Kind == "word" {
			word.alone.weight = x
			return nil
		}
		if word.next == nil {
			word.next = map[string]numbered{}
		}
		word.next[f.B] = w.number(x)
		return nil
	case "rule":
		w.rules[f.A] = x
		return nil
	}
	a, known := byName[f.A]
	b, alsoKnown := byName[f.B]
	if !known || f.B != "" && !alsoKnown {
		return fmt.Errorf("unknown sign: %q %q", f.A, f.B)
	}
	if f.Kind == "sign" {
		if f.B == "" {
			w.alone[a] = x
		} else {
			w.pairs[min(a, b)][max(a, b)] = x
		}
		return nil
	}
	how := slices.Index(mannerNames[:], f.Kind)
	if how < 0 || a >= 64 || b >= 64 {
		return fmt.Errorf("unknown kind: %q %q %q", f.Kind, f.A, f.B)
	}
	if f.B == "" {
		w.spoken[how].alone[a] = x
	} else {
		w.spoken[how].pairs[min(a, b)][max(a, b)] = x
	}
	return nil
}

// score weighs a sentence: its signs, its words, and what its clauses speak of.
func (r *Reader) score(g *sentenceContent) int {
	w := fitted()
	out := w.base
	for i, a := range r.signs {
		out += int(w.alone[a])
		for _, b := range r.signs[i+1:] {
			out += int(w.pairs[min(a, b)][max(a, b)])
		}
	}
	return out + r.wordScore(g, w) + r.clauseScore(g, w)
}

// clauseScore weighs what the clauses of a sentence speak of; what two of them say in the same
// manner counts once.
func (r *Reader) clauseScore(g *sentenceContent, w *weights) (out int) {
	var seen [manners][64]conceptSet // for each concept those that it was counted with
	for _, c := range r.clausesOf(g) {
		weights, seen := &w.spoken[c.how], &seen[c.how]
		for rest := c.set; rest != 0; rest &= rest - 1 {
			a := bits.TrailingZeros64(uint64(rest))
			if !seen[a].has(concept(a)) {
				out += int(weights.alone[a])
			}
			for with := (rest & (rest - 1)) &^ seen[a]; with != 0; with &= with - 1 {
				out += int(weights.pairs[a][bits.TrailingZeros64(uint64(with))])
			}
			seen[a] |= rest
		}
	}
	return out
}

// ruleScore is what it counts that a rule holds.
func ruleScore(d *found) int {
	w := fitted()
	return int(w.rules["any"]) + int(w.rules[kindNames[d.kind]]) + int(w.rules[d.says])
}
