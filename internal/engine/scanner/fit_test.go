package scanner_test

import (
	"bufio"
	"cmp"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
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
	family    string
	attack    bool
	weight    float64
	sentences [][]int // numbers of features
	score     float64 // of its gravest sentence, by a model that has not seen it
	ruled     float64 // of the gravest on which a rule holds
}

// fitting collects what the reader weighs.
type fitting struct {
	sync.Mutex
	cases    []*fitCase
	numbers  map[clause.Feature]int
	features []clause.Feature
	seen     map[string]bool // sentences of real servers count once
}

func (f *fitting) weighed(features []clause.Feature, text string) {
	f.Lock()
	defer f.Unlock()
	c := f.cases[len(f.cases)-1]
	if c.weight == serverWeight {
		if f.seen[text] {
			return
		}
		f.seen[text] = true
	}
	var s []int
	for _, x := range features {
		n, ok := f.numbers[x]
		if !ok {
			n = len(f.features)
			f.numbers[x] = n
			f.features = append(f.features, x)
		}
		s = append(s, n)
	}
	c.sentences = append(c.sentences, s)
}

// read scans one document for its sentences; weight is what an honest sentence of it counts.
func (f *fitting) read(document, family string, attack bool, weight float64) error {
	c, err := catalog.Parse("case.json", document, catalog.Limits{})
	if err != nil {
		return err
	}
	f.cases = append(f.cases, &fitCase{family: family, attack: attack, weight: weight})
	scanner.Run(c, scanner.Options{})
	return nil
}

// TestFit fits the weights of clause's features by logistic regression and writes them where the
// environment says. A poisoned definition counts by its gravest sentences, since nobody has
// marked which ones they are; an honest one by all of them.
func TestFit(t *testing.T) {
	out, servers := os.Getenv(fitOut), os.Getenv(fitServers)
	if out == "" || servers == "" {
		t.Skipf("%s and %s are not set", fitOut, fitServers)
	}
	f := &fitting{numbers: map[clause.Feature]int{}, seen: map[string]bool{}}
	clause.Weighed = f.weighed
	defer func() { clause.Weighed = nil }()
	f.readFamilies(t)
	f.readServers(t, servers)
	f.leaveOutRare()
	f.logHeldOut(t)
	m := f.fit(func(*fitCase) bool { return true })
	if err := os.WriteFile(out, []byte(f.print(m)), 0o666); err != nil {
		t.Fatal(err)
	}
}

func (f *fitting) readFamilies(t *testing.T) {
	families, _ := filepath.Glob("testdata/families/*.ndjson")
	for _, name := range families {
		file, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		lines := bufio.NewScanner(file)
		lines.Buffer(nil, 1<<22)
		family := authorOf(filepath.Base(name))
		weight := honestWeight
		if strings.HasPrefix(filepath.Base(name), "servers") {
			weight = serverWeight
		}
		for lines.Scan() {
			if err := f.read(rawjson.LastMember(lines.Text(), "snapshot"), family, strings.Contains(name, "attacks"), weight); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// authorOf tells the families apart by who wrote them; drafts are nobody's, and never left out.
func authorOf(file string) string {
	if strings.HasPrefix(file, "drafts") {
		return ""
	}
	return regexp.MustCompile(`\d+[a-z]?`).FindString(file)
}

// servers that were made to be attacked are none to learn honesty from.
var poisonedServers = regexp.MustCompile(`dvmcp|vulnerable|shopify-dev`)

func (f *fitting) readServers(t *testing.T, glob string) {
	for _, pattern := range strings.Fields(glob) {
		captures, _ := filepath.Glob(pattern)
		for i, name := range captures {
			if poisonedServers.MatchString(filepath.Base(name)) {
				continue
			}
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if err := f.read(string(data), fmt.Sprintf("servers %d", i%3), false, serverWeight); err != nil {
				t.Logf("%s: %v", name, err)
			}
		}
	}
}

// leaveOutRare keeps the features of three poisoned definitions, or of four honest ones.
func (f *fitting) leaveOutRare() {
	poisoned, honest := make([]int, len(f.features)), make([]int, len(f.features))
	for _, c := range f.cases {
		seen := map[int]bool{}
		for _, s := range c.sentences {
			for _, x := range s {
				if seen[x] {
					continue
				}
				seen[x] = true
				if c.attack {
					poisoned[x]++
				} else {
					honest[x]++
				}
			}
		}
	}
	for _, c := range f.cases {
		for i, s := range c.sentences {
			c.sentences[i] = slices.DeleteFunc(s, func(x int) bool {
				pair := f.features[x].Kind == "next"
				return poisoned[x] < 3 && (honest[x] < 4 || pair && poisoned[x] == 0)
			})
		}
	}
}

// logHeldOut logs for some thresholds how many definitions of each kind are reported by models that
// have not seen their family, to choose the thresholds of clause by.
func (f *fitting) logHeldOut(t *testing.T) {
	held := []string{"4", "5", "6", "7a", "7b", "7c", "8a", "9a", "9b", "10a", "10b", "10c", "servers 0", "servers 1"}
	for _, family := range held {
		m := f.fit(func(c *fitCase) bool { return c.family != family })
		for _, c := range f.cases {
			if c.family == family {
				c.score = m.gravest(f, c.sentences)
				c.ruled = m.gravest(f, f.withRule(c.sentences))
			}
		}
	}
	f.logAbove(t, held, "a sentence", []float64{0.75, 1, 1.25, 1.5, 1.75, 2, 2.5, 3, 3.5}, func(c *fitCase) float64 { return c.score })
	f.logAbove(t, held, "a rule's sentence", []float64{-100, -3, -2, -1, 0, 1}, func(c *fitCase) float64 { return c.ruled })
}

// withRule returns the sentences on which a rule holds.
func (f *fitting) withRule(sentences [][]int) (out [][]int) {
	any, ok := f.numbers[clause.Feature{Kind: "rule", A: "any"}]
	for _, s := range sentences {
		if ok && slices.Contains(s, any) {
			out = append(out, s)
		}
	}
	return out
}

func (f *fitting) logAbove(t *testing.T, held []string, what string, thresholds []float64, score func(*fitCase) float64) {
	for _, threshold := range thresholds {
		var attacks, found, honest, flagged, servers, reported int
		for _, c := range f.cases {
			if !slices.Contains(held, c.family) {
				continue
			}
			over := 0
			if score(c) >= threshold {
				over = 1
			}
			switch {
			case c.attack:
				attacks, found = attacks+1, found+over
			case c.weight == honestWeight:
				honest, flagged = honest+1, flagged+over
			default:
				servers, reported = servers+1, reported+over
			}
		}
		t.Logf("%s at %.2f: %d of %d poisoned, %d of %d honest, %d of %d servers", what, threshold, found, attacks, flagged, honest, reported, servers)
	}
}

// scale is what a feature of each kind counts before it is weighed: words are many and rare each, and hold
// more than their share.
func scale(x clause.Feature) float64 {
	switch {
	case x.Kind == "word":
		return 1.4
	case x.Kind == "sign" && x.B == "", x.Kind == "rule", x.Kind == "next":
		return 1
	case x.B == "":
		return 0.7
	}
	return 0.5
}

// What counts how much: a sentence of a definition that was written to sound dangerous, one of a real server or
// one like it, and a poisoned definition.
const (
	honestWeight = 5.0
	serverWeight = 0.75
	attackWeight = 2
)

// A fitted model is what TestFit writes.
type fittedModel struct {
	weights []float64 // the last one is what a sentence without features counts
}

func (m *fittedModel) score(f *fitting, sentence []int) float64 {
	x := m.weights[len(f.features)]
	for _, s := range sentence {
		x += m.weights[s] * scale(f.features[s])
	}
	return x
}

func (m *fittedModel) gravest(f *fitting, sentences [][]int) float64 {
	out := math.Inf(-1)
	for _, s := range sentences {
		out = max(out, m.score(f, s))
	}
	return out
}

// An example is one honest sentence, or all of a poisoned definition, with what it is and what it counts.
type example struct {
	sentences [][]int
	is, count float64
}

// fit fits a model to the cases that are asked for.
func (f *fitting) fit(of func(*fitCase) bool) *fittedModel {
	m := &fittedModel{weights: make([]float64, len(f.features)+1)}
	var examples []example
	for _, c := range f.cases {
		switch {
		case !of(c) || len(c.sentences) == 0:
		case c.attack:
			examples = append(examples, example{c.sentences, 1, attackWeight})
		default:
			for i := range c.sentences {
				examples = append(examples, example{c.sentences[i : i+1], 0, c.weight})
			}
		}
	}
	m.descend(f, examples)
	return m
}

const (
	// share is how much the squares of the weights count beside the loss.
	share = 5
	// edge is how much the gravest sentence of a poisoned definition stands out from the others: with 0 all
	// would count alike, with infinity only the gravest, before anything is known of which one that is.
	edge = 1
)

// loss returns the logistic loss of the examples and a share of the squares of the weights, and
// writes where it rises into gradient.
func (m *fittedModel) loss(scales []float64, examples []example, gradient []float64) (out float64) {
	base := len(scales)
	counts := make([]float64, base)
	for i := range counts {
		counts[i] = m.weights[i] * scales[i]
	}
	clear(gradient)
	var scores []float64
	for _, e := range examples {
		scores = scores[:0]
		for _, sentence := range e.sentences {
			x := m.weights[base]
			for _, s := range sentence {
				x += counts[s]
			}
			scores = append(scores, x)
		}
		x := softMax(scores)
		if e.is == 1 {
			out += e.count * math.Log1p(math.Exp(-x))
		} else {
			out += e.count * math.Log1p(math.Exp(x))
		}
		d := (1/(1+math.Exp(-x)) - e.is) * e.count
		for i, sentence := range e.sentences {
			d := d * math.Exp(edge*(scores[i]-x))
			for _, s := range sentence {
				gradient[s] += d
			}
			gradient[base] += d
		}
	}
	for i, w := range m.weights {
		if i < base {
			gradient[i] *= scales[i]
		}
		gradient[i] += share * w
		out += share * w * w / 2
	}
	return out
}

// softMax returns the gravest score, and a little more where others come near it.
func softMax(scores []float64) float64 {
	top, sum := slices.Max(scores), 0.0
	for _, x := range scores {
		sum += math.Exp(edge * (x - top))
	}
	return top + math.Log(sum)/edge
}

// descend moves the weights to where the loss is least, by the method of Broyden, Fletcher, Goldfarb
// and Shanno with a memory of ten steps. The result depends on nothing but the examples.
func (m *fittedModel) descend(f *fitting, examples []example) {
	const steps, memory = 120, 10
	scales := make([]float64, len(f.features))
	for i, x := range f.features {
		scales[i] = scale(x)
	}
	gradient := make([]float64, len(m.weights))
	next := make([]float64, len(m.weights))
	at := m.loss(scales, examples, gradient)
	var moved, turned [][]float64
	for range steps {
		way := direction(gradient, moved, turned)
		slope := dot(way, gradient)
		if slope > -1e-6 {
			return
		}
		old, length := slices.Clone(m.weights), 1.0
		for {
			for i := range m.weights {
				m.weights[i] = old[i] + length*way[i]
			}
			if now := m.loss(scales, examples, next); now <= at+1e-4*length*slope {
				at = now
				break
			}
			if length /= 2; length < 1e-10 {
				copy(m.weights, old)
				return
			}
		}
		step, turn := make([]float64, len(old)), make([]float64, len(old))
		for i := range old {
			step[i], turn[i] = m.weights[i]-old[i], next[i]-gradient[i]
		}
		if dot(step, turn) > 1e-12 {
			moved, turned = append(moved, step), append(turned, turn)
			if len(moved) > memory {
				moved, turned = moved[1:], turned[1:]
			}
		}
		copy(gradient, next)
	}
}

// direction turns a gradient into a step, by what the last steps taught of the slope.
func direction(gradient []float64, moved, turned [][]float64) []float64 {
	way := make([]float64, len(gradient))
	for i, g := range gradient {
		way[i] = -g
	}
	part := make([]float64, len(moved))
	for i := len(moved) - 1; i >= 0; i-- {
		part[i] = dot(moved[i], way) / dot(moved[i], turned[i])
		addTimes(way, -part[i], turned[i])
	}
	factor := 1 / (1 + math.Sqrt(dot(gradient, gradient)))
	if n := len(moved) - 1; n >= 0 {
		factor = dot(moved[n], turned[n]) / dot(turned[n], turned[n])
	}
	for i := range way {
		way[i] *= factor
	}
	for i := range moved {
		addTimes(way, part[i]-dot(turned[i], way)/dot(moved[i], turned[i]), moved[i])
	}
	return way
}

func dot(a, b []float64) (out float64) {
	for i, x := range a {
		out += x * b[i]
	}
	return out
}

func addTimes(to []float64, n float64, b []float64) {
	for i, x := range b {
		to[i] += n * x
	}
}

// print writes the weights as clause reads them, in hundredths, in the order of their names.
func (f *fitting) print(m *fittedModel) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# What each feature of a sentence counts, in hundredths of a log-odds. The first line is what a\n"+
		"# sentence without features counts. Fitted, not written: see docs/detection.md.\n%.0f\n", 100*m.weights[len(f.features)])
	order := make([]int, len(f.features))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int {
		a, c := f.features[i], f.features[j]
		return cmp.Or(cmp.Compare(a.Kind, c.Kind), cmp.Compare(a.A, c.A), cmp.Compare(a.B, c.B))
	})
	for _, i := range order {
		x := f.features[i]
		if w := math.Round(100 * m.weights[i] * scale(x)); math.Abs(w) >= 2 {
			fmt.Fprintf(&b, "%s\t%s\t%s\t%.0f\n", x.Kind, x.A, x.B, w)
		}
	}
	return b.String()
}
