package calibration

import "math"

// A Witness gives a second opinion on whether a label is true, in addition to the log-odds: from 0,
// not at all, to a number below kinds.
type Witness func(thing *Observed, label int) int

// ridgeWitness shrinks what a witness adds towards nothing.
const ridgeWitness = 2

// Thresholds returns the log-odds from which on labels of unseen servers are right in this share of the cases, one for each thing that
// the second witness can say. The two are weighed against each other by logistic regression over all the labels given, since single
// labels are too few. A surer witness never asks for more.
func (out *Learnt) Thresholds(things []Observed, labels []int, witness Witness, kinds int, share float64) []float64 {
	var examples []Example
	for i := range things {
		for _, label := range labels {
			if things[i].Labels[label] == 0 {
				continue
			}
			e := Example{Features: []int32{0}, Values: []float32{float32(out.Unseen[i][label])}, True: things[i].Labels[label] > 0, Weight: things[i].Count}
			if k := witness(&things[i], label); k > 0 {
				e.Features, e.Values = append(e.Features, int32(k)), append(e.Values, 1)
			}
			examples = append(examples, e)
		}
	}
	ridge := make([]float64, kinds)
	for k := range ridge[1:] {
		ridge[k+1] = ridgeWitness
	}
	weights, bias := FitLogistic(examples, kinds, Penalty{Ridge: ridge})
	want := math.Log(share/(1-share)) - bias
	thresholds := make([]float64, kinds)
	for k := range thresholds {
		added := 0.0
		if k > 0 {
			added = weights[k]
		}
		thresholds[k] = (want - added) / max(weights[0], .1)
		if k > 0 {
			thresholds[k] = min(thresholds[k], thresholds[k-1])
		}
	}
	return thresholds
}
