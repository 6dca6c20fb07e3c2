package classify

import (
	"cmp"
	"slices"
)

// maxExplained is how many pieces of evidence a label shows that the rules had no word for.
const maxExplained = 4

// leastTold are the log-odds that a word or parameter must add to a label to be told as evidence for it.
const leastTold = .15

// A contribution is what one word or parameter adds to a label.
type contribution struct {
	s    signal
	adds float32
}

// explain tells what speaks most for a label that the rules had no word for: words of the name and of the first sentence,
// parameters, and the server's other tools.
func (w *toolReader) explain(tag uint8) []signal {
	var all []contribution
	add := func(s signal, adds float32) {
		if adds >= leastTold {
			s.tag, s.weight = tag, 1
			all = append(all, contribution{s, adds})
		}
	}
	w.explainName(tag, add)
	w.explainProse(tag, add)
	for i := range w.params {
		if q := &w.params[i]; !q.wrapper && q.depth <= 1 {
			w.seen.reset()
			w.observeParameter(q)
			add(signal{source: byParameter, value: q.key, kind: "param", text: q.name}, w.weights.tags.sum(w.seen.keys)[tag])
		}
	}
	slices.SortStableFunc(all, func(a, b contribution) int { return cmp.Compare(b.adds, a.adds) })
	var out []signal
	for _, c := range all[:min(len(all), maxExplained)] {
		out = append(out, c.s)
	}
	if len(out) == 0 {
		out = append(out, signal{tag: tag, source: byServer, weight: 1, kind: "server", text: "its other tools"})
	}
	return out
}

func (w *toolReader) explainName(tag uint8, add func(signal, float32)) {
	var buf [64]byte
	name := w.name.Text()
	for at := 0; at < len(name); {
		word, start, end := w.nextPart(name, at, true, buf[:0])
		if len(word) == 0 {
			return
		}
		stem := stemWord(word)
		w.seen.reset()
		w.seen.addWord(factWord, stem)
		w.seen.addConcepts(factConcept, w.concepts.conceptsOf(stem))
		add(signal{source: byName, value: w.name, kind: "name_token", start: int32(start), end: int32(end)}, w.weights.tags.sum(w.seen.keys)[tag])
		at = end
	}
}

func (w *toolReader) explainProse(tag uint8, add func(signal, float32)) {
	var buf [64]byte
	told := map[string]bool{}
	for at, n := 0, 0; at < len(w.prose) && n < observedProse/2; n++ {
		word, start, end := nextWord(w.prose, at, buf[:0])
		if len(word) == 0 || at > 0 && endsSentence(w.prose[at:start]) {
			return
		}
		stem := stemWord(word)
		at = end
		if told[string(stem)] {
			continue
		}
		told[string(stem)] = true
		w.seen.reset()
		s := w.concepts.conceptsOf(stem)
		w.seen.addWord(factProseWord, stem)
		w.seen.addWord(factHeadWord, stem)
		w.seen.addConcepts(factHeadConcept, s)
		w.seen.addConcepts(factProse, s)
		add(signal{source: byDescription, value: w.desc, kind: "desc_phrase", start: int32(start), end: int32(end)}, w.weights.tags.sum(w.seen.keys)[tag])
	}
}
