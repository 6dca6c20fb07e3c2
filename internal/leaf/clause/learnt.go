package clause

import (
	_ "embed"
	"encoding/binary"
	"math"
	"math/bits"
	"sort"
	"strings"
	"sync"
)

// The learnt layer gives every window of a text a score: how much its words, their neighbours and the classes of the lists that they are
// in resemble those of known attacks rather than those of real definitions. It is a linear model with weights of one byte, fitted by
// `go run ./internal/testing/fit` (docs/figures.md says how often it is right). All arithmetic is of integers, so that a score is
// the same on every machine.
//
// A score is judged by bounds, which the fit takes from real definitions that it did not learn from.

//go:embed learnt.bin
var learntData string

// The weights are read once.
type weights struct {
	grams  string // a signed byte for each n-gram
	pairs  string // for each class and pair of classes
	places string // for each place, at the beginning of its text and further on, and for how much a window says of the names
	bias   int64
	size   int64 // what a sentence must score more without a rule for each doubling of its definition's size

	// The bounds of scores. A rule of medium severity counts from faint on, any other from heard on, and with its own severity
	// from certain on. From likely on a sentence is reported without a rule, from sure on with high severity.
	faint, heard, certain, likely, sure int64
}

// learntHeader is how many bytes stand before the tables: seven numbers of four bytes.
const (
	learntHeader = 28
	placeEntries = 2*int(places) + namedEntries
)

// theWeights is read when the first text is scored.
var theWeights = sync.OnceValue(func() *weights {
	d := learntData
	if len(d) != learntHeader+buckets+pairEntries+placeEntries {
		panic("clause: learnt.bin does not fit this version: fit it again")
	}
	number := func(i int) int64 { return int64(int32(binary.LittleEndian.Uint32([]byte(d[4*i : 4*i+4])))) }
	m := &weights{bias: number(0), size: number(1), faint: number(2), heard: number(3), certain: number(4), likely: number(5), sure: number(6)}
	d = d[learntHeader:]
	m.grams, m.pairs, m.places = d[:buckets], d[buckets:buckets+pairEntries], d[buckets+pairEntries:]
	return m
})

// hundredths returns how much a score is above the bound from which on sentences are reported, in hundredths of what
// multiplies the odds by e.
func (m *weights) hundredths(score int64) int {
	return int((score - m.likely) * 20 / max(m.size, 1)) // size is a fifth of that unit: see sizeCost of the fit
}

// Doublings returns how often a definition of so many bytes is twice as large as an ordinary one, up to six times. A long
// definition has more windows, of which one scores high by chance.
func Doublings(bytes int) int { return min(bits.Len(uint(bytes/400)), 6) }

// fewWords is added to the number of features of a window before its sum is divided by the root of it, so that a
// few words alone count less than a sentence.
const fewWords = 16

// inverseRoots holds 65536 divided by the root of a number of features.
var inverseRoots = sync.OnceValue(func() *[4096]int64 {
	var t [4096]int64
	for n := range t {
		t[n] = int64(math.Round(65536 / math.Sqrt(float64(n+fewWords))))
	}
	return &t
})

// learnt scores the windows of one text. Its memory is reused.
type learnt struct {
	features
	sums    []int64 // of the weights of the words before each
	counts  []int32 // of their features
	bounds  []int32 // the words with which sentences begin, and their number
	windows []window
	best    int64
}

// A window is a run of words with a score of its own.
type window struct {
	from, to int32
	score    int64
}

// read scores the windows of a text at a place of its definition. What scores less than any rule needs is left out.
func (l *learnt) read(s string, toks []token, at Place) {
	m := theWeights()
	l.features.read(s, toks)
	l.windows, l.best = l.windows[:0], math.MinInt64
	n := len(l.words)
	if n == 0 {
		return
	}
	l.add(m)
	l.sentences(toks)
	roots := inverseRoots()
	l.spans(func(from, to int) {
		place := 2*int(at) + 1
		if from == 0 {
			place--
		}
		sum := l.sums[to] - l.sums[from] + int64(int8(m.places[place])) + int64(int8(m.places[2*int(places)+l.namedIn(from, to)]))
		count := int(l.counts[to]-l.counts[from]) + 2
		score := sum*roots[min(count, len(roots)-1)]>>8 + m.bias
		l.best = max(l.best, score)
		if score >= m.faint {
			l.windows = append(l.windows, window{int32(from), int32(to), score})
		}
	})
}

// add sums up the weights of the words.
func (l *learnt) add(m *weights) {
	n := len(l.words)
	l.sums, l.counts = append(l.sums[:0], 0), append(l.counts[:0], 0)
	var sum int64
	var count int32
	for i := range n {
		w := &l.words[i]
		grams, pairs := len(l.grams), len(l.pairs)
		if i+1 < n {
			grams, pairs = int(l.words[i+1].grams), int(l.words[i+1].pairs)
		}
		for _, g := range l.grams[w.grams:grams] {
			sum += int64(int8(m.grams[g]))
		}
		for _, p := range l.pairs[w.pairs:pairs] {
			sum += int64(int8(m.pairs[p]))
		}
		count += int32(grams) - w.grams + int32(pairs) - w.pairs
		l.sums, l.counts = append(l.sums, sum), append(l.counts, count)
	}
}

func (l *learnt) sentences(toks []token) {
	l.bounds = l.bounds[:0]
	k := 0
	for i := range toks {
		if i > 0 && toks[i].sentence == toks[i-1].sentence {
			continue
		}
		for k < len(l.words) && l.words[k].start < toks[i].start {
			k++
		}
		if n := len(l.bounds); n == 0 || l.bounds[n-1] != int32(k) {
			l.bounds = append(l.bounds, int32(k))
		}
	}
	l.bounds = append(l.bounds, int32(len(l.words)))
}

// spans calls each with the windows: every sentence, every two in a row, and runs of twelve and of twenty-eight words wherever
// they begin, since who does not want to be read puts full stops anywhere.
func (l *learnt) spans(each func(from, to int)) {
	b, n := l.bounds, len(l.words)
	for i := 0; i+1 < len(b); i++ {
		if b[i+1]-b[i] >= 4 || len(b) == 2 {
			each(int(b[i]), int(b[i+1]))
		}
		if i+2 < len(b) {
			each(int(b[i]), int(b[i+2]))
		}
	}
	for _, length := range [...]int{12, 28} {
		for i := 0; i+length/2 < n || i == 0; i += 4 {
			each(i, min(n, i+length))
		}
	}
}

// of returns the best score of the windows that share words with the text between two offsets.
func (l *learnt) of(start, end int) int64 {
	best := int64(math.MinInt64)
	for i := range l.windows {
		w := &l.windows[i]
		if w.score > best && int(l.words[w.from].start) < end && int(l.words[w.to-1].end) > start {
			best = w.score
		}
	}
	return best
}

// suspicion returns the window with the best score, without those that a detector quotes. In a comment, which only a model reads, less
// is needed.
func (r *Reader) suspicion(toks []token) (best window, ok bool) {
	l, m := &r.learnt, theWeights()
	detects := r.detects()
	for _, w := range l.windows {
		if w.score >= m.certain && mostly(toks, int(l.words[w.from].start), int(l.words[w.to-1].end), inComment) {
			w.score += m.likely - m.certain
		}
		if (!ok || w.score > best.score) && !(detects && mostly(toks, int(l.words[w.from].start), int(l.words[w.to-1].end), quoted)) {
			best, ok = w, true
		}
	}
	return best, ok
}

// between returns the words that touch what lies between two offsets. A text has as many windows as words, so nothing may look through
// all words for each.
func between(toks []token, from, to int) []token {
	first := sort.Search(len(toks), func(i int) bool { return int(toks[i].end) > from })
	last := sort.Search(len(toks), func(i int) bool { return int(toks[i].start) >= to })
	return toks[first:max(first, last)]
}

// mostly reports whether half of the words between two offsets, or more, have a flag.
func mostly(toks []token, from, to int, flag tokenFlags) bool {
	within, have := between(toks, from, to), 0
	for i := range within {
		if within[i].flags&flag != 0 {
			have++
		}
	}
	return len(within) > 0 && 2*have >= len(within)
}

// classesBetween returns the classes of the words between two offsets.
func classesBetween(toks []token, from, to int) (out classSet) {
	for _, t := range between(toks, from, to) {
		out.addAll(t.set)
		if t.also != nil {
			out.addAll(t.also.alt)
		}
	}
	return out
}

// kindOf tells by its words what a sentence that resembles attacks is most like.
func kindOf(said classSet) Kind {
	moves := said.any(setOf(take, give, send, hold))
	switch {
	case moves && said.any(leakable), said.any(setOf(send)) && said.any(setOf(address, badPlace)):
		return Leak
	case said.any(setOf(super, praise, better)) && !said.any(setOf(neg, ignore)):
		return Praise
	case said.any(setOf(call, alter)) && said.any(setOf(ident, otherTool, mailTool)):
		return Cross
	}
	return Override
}

// Sample is a window of a text as the learnt layer sees it: what the tool that fits it learns from. Features are numbered through: n-grams
// first, then classes and their pairs, then places.
type Sample struct {
	Text     string
	Features []uint32
}

// The numbers of features.
const (
	LearntGrams    = buckets
	LearntPairs    = pairEntries
	LearntFeatures = buckets + pairEntries + placeEntries
)

// Samples returns the windows of a string that stands at a place of its definition.
func (r *Reader) Samples(s string, at Place) (out []Sample) {
	v := r.view(s, at)
	toks := r.tok.run(v.text, false)
	l := &r.learnt
	l.features.read(v.text, toks)
	if len(l.words) == 0 {
		return nil
	}
	l.sentences(toks)
	l.spans(func(from, to int) {
		sample := Sample{Text: strings.Clone(v.text[l.words[from].start:l.words[to-1].end])}
		grams, pairs := len(l.grams), len(l.pairs)
		if to < len(l.words) {
			grams, pairs = int(l.words[to].grams), int(l.words[to].pairs)
		}
		place := 2*int(at) + 1
		if from == 0 {
			place--
		}
		names := 2*int(places) + l.namedIn(from, to)
		sample.Features = append(append(sample.Features, uint32(LearntGrams+LearntPairs+place), uint32(LearntGrams+LearntPairs+names)), l.grams[l.words[from].grams:grams]...)
		for _, p := range l.pairs[l.words[from].pairs:pairs] {
			sample.Features = append(sample.Features, LearntGrams+uint32(p))
		}
		out = append(out, sample)
	})
	return out
}

// A Likeness is the sentence of a text that is most like known attacks, and how much it is, in hundredths of what multiplies the odds by e
// above the bound from which on sentences of definitions are reported.
type Likeness struct {
	Start, End int
	Kind       Kind // of the attacks
	Score      int
}

// likeness finds it among what counts and is not quoted: who teaches or tests quotes attacks. It is nil for none.
func (r *Reader) likeness(v *view, toks []token) (best *Likeness) {
	l := &r.learnt
	for _, w := range l.windows {
		score := theWeights().hundredths(w.score)
		from, to := int(l.words[w.from].start), int(l.words[w.to-1].end)
		if best != nil && score <= best.Score || mostly(toks, from, to, quoted) {
			continue
		}
		one := Likeness{Kind: kindOf(classesBetween(toks, from, to)), Score: score}
		one.Start, one.End = v.original(from, to)
		if r.Likens(one) {
			best = &one
		}
	}
	return best
}
