package calibration

import "math"

// An Example is one item with its observations and whether a label is true of it.
type Example struct {
	Features []int32   // numbers of what was observed, each once
	Values   []float32 // of the same length
	True     bool
	Weight   float64 // how much it counts; 0 leaves it out
}

// A Penalty keeps weights small: Ridge, one a feature, shrinks each, and Lasso makes most of them zero.
type Penalty struct {
	Ridge []float64
	Lasso float64
}

// Rounds of coordinate descent, and the largest step of a round below which the weights stand.
const (
	maxRounds = 30
	smallStep = 2e-3
)

// A logistic is a logistic regression being fitted by coordinate descent: one weight after the other takes a Newton step while the
// others stand, which needs no step size and gives the same weights for the same examples.
type logistic struct {
	examples []Example
	columns  [][]featureValue
	weights  []float64
	bias     float64
	margins  []float64 // log-odds of each example by the weights so far
	penalty  Penalty
}

type featureValue struct {
	example int32
	value   float32
}

// FitLogistic returns the weights of features, and the bias, that make the labels of examples likely.
func FitLogistic(examples []Example, features int, p Penalty) (weights []float64, bias float64) {
	l := &logistic{examples: examples, columns: make([][]featureValue, features), weights: make([]float64, features), margins: make([]float64, len(examples)), penalty: p}
	var yes, all float64
	for i := range examples {
		e := &examples[i]
		for k, j := range e.Features {
			l.columns[j] = append(l.columns[j], featureValue{int32(i), e.Values[k]})
		}
		if all += e.Weight; e.True {
			yes += e.Weight
		}
	}
	l.moveBias(math.Log((yes + .1) / (all - yes + .1)))
	for round := range maxRounds {
		if l.round(round) < smallStep {
			break
		}
	}
	return l.weights, l.bias
}

func (l *logistic) moveBias(by float64) {
	l.bias += by
	for i := range l.margins {
		l.margins[i] += by
	}
}

func sigmoid(z float64) float64 { return 1 / (1 + math.Exp(-z)) }

// slope returns the first and second derivative of the loss of one example by its margin.
func (l *logistic) slope(i int) (first, second float64) {
	e := &l.examples[i]
	p, y := sigmoid(l.margins[i]), 0.0
	if e.True {
		y = 1
	}
	return e.Weight * (p - y), e.Weight * p * (1 - p)
}

// round gives every weight a step and returns the largest. A weight that stands at zero is tried every fourth round.
func (l *logistic) round(n int) (largest float64) {
	first, second := 0.0, 1e-6
	for i := range l.margins {
		d, dd := l.slope(i)
		first, second = first+d, second+dd
	}
	l.moveBias(clamp(-first/second, 1))
	for j := range l.columns {
		if len(l.columns[j]) > 0 && (l.weights[j] != 0 || n <= 3 || n%4 == 0) {
			largest = max(largest, math.Abs(l.step(j)))
		}
	}
	return largest
}

func clamp(x, limit float64) float64 { return max(-limit, min(limit, x)) }

// step moves one weight to where the loss is least, as far as a quadratic tells, and returns by how much.
func (l *logistic) step(j int) float64 {
	ridge := l.penalty.Ridge[j]
	first, second := ridge*l.weights[j], ridge+1e-3
	for _, c := range l.columns[j] {
		d, dd := l.slope(int(c.example))
		v := float64(c.value)
		first, second = first+d*v, second+dd*v*v
	}
	to, least := l.weights[j]-first/second, l.penalty.Lasso/second
	switch {
	case to > least:
		to -= least
	case to < -least:
		to += least
	default:
		to = 0
	}
	by := clamp(to-l.weights[j], .5)
	if by != 0 {
		l.weights[j] += by
		for _, c := range l.columns[j] {
			l.margins[c.example] += by * float64(c.value)
		}
	}
	return by
}
