package calibration

import (
	"math"
	"testing"
)

// TestFitLogistic: what always goes with a label speaks for it, what never does against it, and what says nothing gets no weight.
func TestFitLogistic(t *testing.T) {
	var examples []Example
	for i := range 200 {
		e := Example{True: i%2 == 0, Weight: 1, Features: []int32{2}, Values: []float32{1}}
		if e.True {
			e.Features, e.Values = append(e.Features, 0), append(e.Values, 1)
		} else {
			e.Features, e.Values = append(e.Features, 1), append(e.Values, 1)
		}
		if i%4 < 2 { // in half of both
			e.Features, e.Values = append(e.Features, 3), append(e.Values, 1)
		}
		examples = append(examples, e)
	}
	w, bias := FitLogistic(examples, 4, Penalty{Ridge: []float64{1, 1, 1, 1}, Lasso: .3})
	if w[0] < 1 || w[1] > -1 || math.Abs(w[2])+math.Abs(bias) > .2 || w[3] != 0 {
		t.Errorf("got %v, bias %v", w, bias)
	}
	again, _ := FitLogistic(examples, 4, Penalty{Ridge: []float64{1, 1, 1, 1}, Lasso: .3})
	for i := range w {
		if w[i] != again[i] {
			t.Errorf("weight %d: %v, then %v", i, w[i], again[i])
		}
	}
}

// TestLearn: a server is judged by weights from other servers, and an observation of too few servers gets none.
func TestLearn(t *testing.T) {
	var things []Observed
	for i := range 120 {
		label := int8(1 - 2*(i%2))
		o := Observed{Server: string(rune('a' + i/10)), Count: 1, Labels: []int8{label}, Names: []string{"word:x"}, Values: []float32{1}}
		if label < 0 {
			o.Names[0] = "word:y"
		}
		if o.Server == "a" {
			o.Names, o.Values = append(o.Names, "word:only here"), append(o.Values, 1)
		}
		things = append(things, o)
	}
	l := &Learning{Labels: []string{"exec"}, Folds: 3, Ridge: func(string) float64 { return 1 }, Lasso: .3, FewestServers: 2}
	got := l.Learn(things)
	if got.Weights["word:only here"] != nil || got.Weights["word:x"][0] <= 0 {
		t.Errorf("weights %v", got.Weights)
	}
	for i, z := range got.Unseen {
		if (z[0] > 0) != (things[i].Labels[0] > 0) {
			t.Errorf("%d: log-odds %v for label %d", i, z[0], things[i].Labels[0])
		}
	}
	surer := func(t *Observed, _ int) int { return len(t.Names) - 1 } // knows no more than the weights do
	at := got.Thresholds(things, []int{0}, surer, 2, .9)
	if least := got.Thresholds(things, []int{0}, surer, 2, .5); at[0] < least[0] || at[1] > at[0] {
		t.Errorf("thresholds %v for .9, %v for .5", at, least)
	}
}
