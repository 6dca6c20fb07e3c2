package calibration

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
)

// An Observed is one thing to learn from: what was observed of it and which labels are true of it.
type Observed struct {
	Server string  // things of one server are learnt from together or not at all
	Tool   string  // says which it is to a reader
	Count  float64 // how much it counts
	Names  []string
	Values []float32
	Labels []int8 // one a label: 1 true, -1 not, 0 undecided
}

// Learning configures how weights are learnt.
type Learning struct {
	Labels []string // what Labels of an Observed are about
	Folds  int
	// Ridge returns how much the weight of an observation is shrunk; infinity gives it none.
	Ridge func(name string) float64
	Lasso float64
	// FewestServers is how many servers must show an observation for it to get a weight.
	FewestServers int
}

// Learnt are weights, and for each thing the log-odds by weights that were learnt without its server.
type Learnt struct {
	Bias    []float64
	Weights map[string][]float64
	Unseen  [][]float64
}

// A lesson is things with their observations numbered.
type lesson struct {
	l      *Learning
	things []Observed
	names  []string
	ridge  []float64
	rows   [][]int32
	values [][]float32
	fold   []int
}

// Learn learns weights from all things, and what they would be for each server's things without it.
func (l *Learning) Learn(things []Observed) *Learnt {
	n := l.newLesson(things)
	out := &Learnt{Bias: make([]float64, len(l.Labels)), Weights: map[string][]float64{}, Unseen: make([][]float64, len(things))}
	for i := range out.Unseen {
		out.Unseen[i] = make([]float64, len(l.Labels))
	}
	var mu sync.Mutex
	var wg sync.WaitGroup
	turns := make(chan struct{}, 2)
	for label := range l.Labels {
		for fold := -1; fold < l.Folds; fold++ {
			turns <- struct{}{}
			wg.Go(func() { // ends with the fit; Wait waits for it
				defer func() { <-turns }()
				weights, bias := FitLogistic(n.examples(label, fold), len(n.names), Penalty{n.ridge, l.Lasso})
				mu.Lock()
				defer mu.Unlock()
				if fold < 0 {
					out.keep(n, label, weights, bias)
					return
				}
				for i := range things {
					if n.fold[i] == fold {
						out.Unseen[i][label] = n.logOdds(i, weights, bias)
					}
				}
			})
		}
	}
	wg.Wait()
	return out
}

func (l *Learning) newLesson(things []Observed) *lesson {
	n := &lesson{l: l, things: things, fold: make([]int, len(things))}
	servers := map[string]int{}
	shown := map[string]map[string]bool{}
	for i, t := range things {
		if _, ok := servers[t.Server]; !ok {
			servers[t.Server] = len(servers)
		}
		n.fold[i] = servers[t.Server] % max(1, l.Folds)
		for _, name := range t.Names {
			if shown[name] == nil {
				shown[name] = map[string]bool{}
			}
			shown[name][t.Server] = true
		}
	}
	number := map[string]int32{}
	for _, name := range slices.Sorted(maps.Keys(shown)) {
		if len(shown[name]) >= l.FewestServers && !math.IsInf(l.Ridge(name), 1) {
			number[name] = int32(len(n.names))
			n.names, n.ridge = append(n.names, name), append(n.ridge, l.Ridge(name))
		}
	}
	for _, t := range things {
		var row []int32
		var values []float32
		for k, name := range t.Names {
			if j, ok := number[name]; ok {
				row, values = append(row, j), append(values, t.Values[k])
			}
		}
		n.rows, n.values = append(n.rows, row), append(n.values, values)
	}
	return n
}

// examples returns what a label is learnt from without one fold, all of it for a fold below zero.
func (n *lesson) examples(label, without int) (out []Example) {
	for i, t := range n.things {
		if n.fold[i] != without && t.Labels[label] != 0 {
			out = append(out, Example{Features: n.rows[i], Values: n.values[i], True: t.Labels[label] > 0, Weight: t.Count})
		}
	}
	return out
}

func (n *lesson) logOdds(i int, weights []float64, bias float64) float64 {
	for k, j := range n.rows[i] {
		bias += weights[j] * float64(n.values[i][k])
	}
	return bias
}

func (out *Learnt) keep(n *lesson, label int, weights []float64, bias float64) {
	out.Bias[label] = bias
	for j, w := range weights {
		if math.Abs(w) < .005 {
			continue
		}
		row := out.Weights[n.names[j]]
		if row == nil {
			row = make([]float64, len(n.l.Labels))
			out.Weights[n.names[j]] = row
		}
		row[label] = w
	}
}

// Rows writes weights as lists of weights hold them: the bias and thresholds first, then the observations by name.
func (out *Learnt) Rows(labels []string, thresholds map[string][]float64) string {
	var b strings.Builder
	line := func(name string, row []float64) {
		b.WriteString(name + "\t")
		space := ""
		for i, v := range row {
			if v != 0 {
				fmt.Fprintf(&b, "%s%s=%.2f", space, labels[i], v)
				space = " "
			}
		}
		b.WriteByte('\n')
	}
	line("bias", out.Bias)
	for _, name := range slices.Sorted(maps.Keys(thresholds)) {
		line(name, thresholds[name])
	}
	for _, name := range slices.Sorted(maps.Keys(out.Weights)) {
		line(name, out.Weights[name])
	}
	return b.String()
}
