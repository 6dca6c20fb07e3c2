package main

import (
	"math"
	"math/rand"

	"gauntlet/internal/leaf/clause"
)

// A model is linear: a window's score is the sum of its features' weights over the root of their number, and a definition's
// score is that of its gravest window.
type model struct {
	weights []float32
	squares []float32 // of the gradients, for the step of each weight
	bias    float64
	kept    []uint32         // what thin returns
	easy    map[*window]bool // clearly honest windows
}

const (
	orders    = 3 // models that are averaged
	epochs    = 8
	rate      = 0.3
	shrink    = 2e-6 // of a weight at each step
	prior     = 16   // as in clause
	sharpness = 1.5  // how much more the gravest harmful window counts than the others
	sizeCost  = 0.2  // what a definition must score more for each doubling of its size: more windows have more chances
	restShare = 0.3  // what a harmless window of a poisoned definition counts
	left      = 0.2  // of a window's features, left out of each step, so that no single word decides
)

func (m *model) window(features []uint32) float64 {
	s := 0.0
	for _, f := range features {
		s += float64(m.weights[f])
	}
	return s/math.Sqrt(float64(len(features)+prior)) + m.bias
}

// step moves the weights of a window against a gradient.
func (m *model) step(features []uint32, gradient float64) {
	k := gradient / math.Sqrt(float64(len(features)+prior))
	for _, f := range features {
		g := float32(k + shrink*float64(m.weights[f]))
		m.squares[f] += g * g
		m.weights[f] -= rate * g / (float32(math.Sqrt(float64(m.squares[f]))) + 1e-3)
	}
	m.bias -= 0.0005 * gradient
}

// thin leaves out some of the features of a window.
func (m *model) thin(features []uint32, rng *rand.Rand) []uint32 {
	m.kept = m.kept[:0]
	for _, f := range features {
		if rng.Float64() >= left {
			m.kept = append(m.kept, f)
		}
	}
	return m.kept
}

func sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// fit averages the models of several orders of the data: one order alone finds up to six of 364 public attacks more or fewer than
// another at the same alarms, and three together find three more, six more between the sentences of a real description.
func fit(docs []*document, seed int64) *model {
	m := fitOnce(docs, seed)
	for k := range int64(orders - 1) {
		other := fitOnce(docs, seed+100*(k+1))
		m.bias += other.bias
		for i, w := range other.weights {
			m.weights[i] += w
		}
	}
	m.bias /= orders
	for i := range m.weights {
		m.weights[i] /= orders
	}
	return m
}

// fitOnce runs over the data some times in changing order. The weights of the second half of the way are averaged, which is worth a
// tenth of what is found at the same alarms.
func fitOnce(docs []*document, seed int64) *model {
	m := &model{weights: make([]float32, clause.LearntFeatures), squares: make([]float32, clause.LearntFeatures), bias: -3, easy: map[*window]bool{}}
	sum, taken := make([]float64, clause.LearntFeatures), 0
	rng := rand.New(rand.NewSource(seed))
	order := rng.Perm(len(docs))
	for e := range epochs {
		rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		for n, at := range order {
			if e >= epochs/2 && n%(len(order)/4) == 0 {
				for i, w := range m.weights {
					sum[i] += float64(w)
				}
				taken++
			}
			d := docs[at]
			switch {
			case d.weight == 0:
			case d.attack:
				m.learnAttack(d, rng)
			default:
				m.learnHonest(d, e > 0, rng)
			}
		}
	}
	for i := range m.weights {
		m.weights[i] = float32(sum[i] / float64(taken))
	}
	return m
}

// learnHonest learns that no window of a definition is harmful. Windows that are clearly honest already are looked at every
// third time.
func (m *model) learnHonest(d *document, later bool, rng *rand.Rand) {
	for _, w := range d.windows {
		if later && m.easy[w] && rng.Intn(3) > 0 {
			continue
		}
		fs := m.thin(w.features, rng)
		p := sigmoid(m.window(fs))
		if m.easy[w] = p < 0.01; p >= 0.003 {
			m.step(fs, p*d.weight)
		}
	}
}

// learnAttack learns that a definition is harmful by its harmful windows, most by the gravest of them.
func (m *model) learnAttack(d *document, rng *rand.Rand) {
	scores := make([]float64, len(d.windows))
	best := math.Inf(-1)
	for i, w := range d.windows {
		scores[i] = m.window(w.features)
		if w.harmful {
			best = max(best, scores[i])
		}
	}
	total := 0.0
	for i, w := range d.windows {
		if w.harmful {
			total += math.Exp((scores[i] - best) * sharpness)
		}
	}
	for i, w := range d.windows {
		switch p := sigmoid(scores[i]); {
		case w.harmful:
			if share := math.Exp((scores[i]-best)*sharpness) / total; share >= 0.02 {
				fs := m.thin(w.features, rng)
				m.step(fs, -(1-sigmoid(m.window(fs)))*share*d.weight)
			}
		case w.shared < 0.1 && p > 0.02 && len(d.harm) > 0:
			m.step(w.features, p*restShare*d.weight)
		}
	}
}

// score returns the score of the gravest window, and its text.
func (m *model) score(d *document) (best float64, text string) {
	best = math.Inf(-1)
	for _, w := range d.windows {
		if s := m.window(w.features); s > best {
			best, text = s, w.text
		}
	}
	return best - sizeCost*float64(clause.Doublings(d.size)), text
}
