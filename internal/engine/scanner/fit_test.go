package scanner_test

import (
	"bufio"
	"cmp"
	"fmt"
	"math"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"gauntlet/catalog"
	"gauntlet/internal/engine/scanner"
	"gauntlet/internal/leaf/clause"
	"gauntlet/rawjson"
)

// The variables that TestFit asks for: where to write the weights, and a glob of captures of honest
// servers, since the families alone hold too few.
const (
	fitOut     = "GAUNTLET_FIT_OUT"
	fitServers = "GAUNTLET_FIT_SERVERS"
)

// A fitCase is one definition file with all its sentences that are weighed.
type fitCase struct {
	attack    bool
	weight    float64
	sentences [][]fitSign // features of each sentence: its signs, and pairs of them
}

// A fitSign is one sign, or a pair of them.
type fitSign [2]string

// fitting collects what the reader weighs.
type fitting struct {
	sync.Mutex
	cases []*fitCase
	seen  map[string]bool // sentences of real servers with the same signs count once
}

func (f *fitting) weighed(_ string, signs []string, _ string) {
	f.Lock()
	defer f.Unlock()
	c := f.cases[len(f.cases)-1]
	if key := strings.Join(signs, ","); c.weight < 1 {
		if f.seen[key] {
			return
		}
		f.seen[key] = true
	}
	var s []fitSign
	for i, a := range signs {
		s = append(s, fitSign{a})
		for _, b := range signs[i+1:] {
			s = append(s, fitSign{min(a, b), max(a, b)})
		}
	}
	c.sentences = append(c.sentences, s)
}

// read scans one document for its sentences; weight is what an honest sentence of it counts.
func (f *fitting) read(document string, attack bool, weight float64) error {
	c, err := catalog.Parse("case.json", document, catalog.Limits{})
	if err != nil {
		return err
	}
	f.cases = append(f.cases, &fitCase{attack: attack, weight: weight})
	scanner.Run(c, scanner.Options{})
	return nil
}

// TestFit fits the weights of clause's signs by logistic regression and writes them where the
// environment says. A poisoned definition counts by its gravest sentence only, since nobody has
// marked which one it is; an honest one by all of them.
func TestFit(t *testing.T) {
	out, servers := os.Getenv(fitOut), os.Getenv(fitServers)
	if out == "" || servers == "" {
		t.Skipf("%s and %s are not set", fitOut, fitServers)
	}
	f := &fitting{seen: map[string]bool{}}
	clause.Weighed = f.weighed
	defer func() { clause.Weighed = nil }()
	families, _ := filepath.Glob("testdata/families/*.ndjson")
	for _, name := range families {
		file, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(file)
		lines.Buffer(nil, 1<<22)
		for lines.Scan() {
			if err := f.read(rawjson.LastMember(lines.Text(), "snapshot"), strings.Contains(name, "attacks"), 1); err != nil {
				t.Fatal(err)
			}
		}
		file.Close()
	}
	captures, _ := filepath.Glob(servers)
	for _, name := range captures {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := f.read(string(data), false, 0.3); err != nil {
			t.Logf("%s: %v", name, err)
		}
	}
	logHeldOut(t, f.cases)
	if err := os.WriteFile(out, []byte(average(f.cases).String()), 0o666); err != nil {
		t.Fatal(err)
	}
}

// logHeldOut logs for some thresholds how many definitions of each kind are reported by models that
// have not seen them, to choose the threshold of clause by.
func logHeldOut(t *testing.T, cases []*fitCase) {
	const folds = 5
	scores := map[*fitCase]float64{}
	for fold := range folds {
		var rest []*fitCase
		for i, c := range cases {
			if i%folds != fold {
				rest = append(rest, c)
			}
		}
		m := average(rest)
		for i, c := range cases {
			if i%folds == fold {
				scores[c] = math.Inf(-1)
				for _, s := range c.sentences {
					scores[c] = max(scores[c], m.score(s))
				}
			}
		}
	}
	for _, threshold := range []float64{1, 1.25, 1.5, 1.75, 2, 2.25, 2.5} {
		var attacks, found, honest, flagged, servers, reported int
		for c, x := range scores {
			over := 0
			if x >= threshold {
				over = 1
			}
			switch {
			case c.attack:
				attacks, found = attacks+1, found+over
			case c.weight == 1:
				honest, flagged = honest+1, flagged+over
			default:
				servers, reported = servers+1, reported+over
			}
		}
		t.Logf("threshold %.2f: %d of %d poisoned, %d of %d honest, %d of %d servers", threshold, found, attacks, flagged, honest, reported, servers)
	}
}

// rarest is in how many poisoned definitions a sign or a pair must stand to be given a weight.
const rarest = 6

// A fitted model is what TestFit writes.
type fittedModel struct {
	weights, squares map[fitSign]float64
	base             float64
}

// average fits ten models, each on four cases of five, and returns the mean of them.
func average(cases []*fitCase) *fittedModel {
	const models = 10
	common := commonSigns(cases)
	mean := &fittedModel{weights: map[fitSign]float64{}}
	for i := range models {
		draw := rand.New(rand.NewSource(int64(i)))
		var part []*fitCase
		for _, c := range cases {
			if draw.Float64() < 0.8 {
				part = append(part, c)
			}
		}
		m := &fittedModel{weights: map[fitSign]float64{}, squares: map[fitSign]float64{}, base: -4}
		for range 12 {
			m.epoch(part, common, draw)
		}
		mean.base += m.base / models
		for s, w := range m.weights {
			mean.weights[s] += w / models
		}
	}
	return mean
}

func commonSigns(cases []*fitCase) map[fitSign]bool {
	counts := map[fitSign]int{}
	for _, c := range cases {
		seen := map[fitSign]bool{}
		for _, sentence := range c.sentences {
			for _, s := range sentence {
				if c.attack && !seen[s] {
					seen[s] = true
					counts[s]++
				}
			}
		}
	}
	common := map[fitSign]bool{}
	for s, n := range counts {
		common[s] = n >= rarest
	}
	return common
}

func (m *fittedModel) score(sentence []fitSign) float64 {
	x := m.base
	for _, s := range sentence {
		x += m.weights[s]
	}
	return x
}

// epoch goes over all cases once, in any order.
func (m *fittedModel) epoch(cases []*fitCase, common map[fitSign]bool, draw *rand.Rand) {
	type example struct {
		sentence  []fitSign
		is, count float64
	}
	var examples []example
	for _, c := range cases {
		if !c.attack {
			for _, s := range c.sentences {
				examples = append(examples, example{s, 0, c.weight})
			}
		} else if len(c.sentences) > 0 {
			gravest := slices.MaxFunc(c.sentences, func(a, b []fitSign) int { return cmp.Compare(m.score(a), m.score(b)) })
			examples = append(examples, example{gravest, 1, 3})
		}
	}
	draw.Shuffle(len(examples), func(i, j int) { examples[i], examples[j] = examples[j], examples[i] })
	for _, e := range examples {
		m.step(e.sentence, common, (1/(1+math.Exp(-m.score(e.sentence)))-e.is)*e.count)
	}
}

// step moves the weights against the error d, less the more they have been moved already, and
// towards nothing.
func (m *fittedModel) step(sentence []fitSign, common map[fitSign]bool, d float64) {
	const rate, towardsNothing, shrink = 0.15, 0.005, 0.002
	for _, s := range sentence {
		if !common[s] {
			continue
		}
		w := m.weights[s]
		g := d + shrink*w
		m.squares[s] += g * g
		r := rate / math.Sqrt(1+m.squares[s])
		w -= r * g
		m.weights[s] = math.Copysign(max(0, math.Abs(w)-r*towardsNothing), w)
	}
	m.base -= 0.01 * d
}

// String writes the weights as clause reads them, in hundredths, the heaviest first.
func (m *fittedModel) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# What each sign, and each pair of signs in one sentence, counts, in hundredths of a log-odds. The first line\n"+
		"# is what a sentence without signs counts. Fitted, not written: see docs/detection.md.\n%.0f\n", 100*m.base)
	var all []fitSign
	for s, w := range m.weights {
		if math.Abs(w) >= 0.02 {
			all = append(all, s)
		}
	}
	slices.SortFunc(all, func(a, c fitSign) int {
		return cmp.Or(cmp.Compare(m.weights[c], m.weights[a]), cmp.Compare(a[0], c[0]), cmp.Compare(a[1], c[1]))
	})
	for _, s := range all {
		fmt.Fprintf(&b, "%s\t%s\t%.0f\n", s[0], s[1], 100*m.weights[s])
	}
	return b.String()
}
