package clause

// A Feature is one thing that counts in the weighing of a sentence, by name, as the weights are
// written down and fitted.
type Feature struct {
	Kind string // "sign", "rule", "word", "next", "said", "ordered", "denied"
	A, B string // B is empty where something counts by itself
}

// A manner is in what way a clause speaks of something.
type manner uint8

const (
	said manner = iota
	ordered_
	denied_
	manners
)

var mannerNames = [manners]string{"said", "ordered", "denied"}

// A spokenOf is a concept set with the manner in which one clause speaks of it.
type spokenOf struct {
	set conceptSet
	how manner
}

// clausesOf returns what each clause of a sentence speaks of, and how.
func (r *Reader) clausesOf(g *sentenceContent) []spokenOf {
	out := r.spoken[:0]
	last := int32(-1)
	for k := g.from; k < g.to; k++ {
		m := &r.evidence.marks[k]
		if m.frame != last || len(out) == 0 {
			last = m.frame
			f := &r.framer.frames[m.frame]
			how := said
			switch {
			case f.negated:
				how = denied_
			case f.mood >= duty:
				how = ordered_
			}
			out = append(out, spokenOf{how: how})
		}
		out[len(out)-1].set |= m.set
	}
	r.spoken = out
	return out
}

// maxWeighed is how many words of a sentence are weighed one by one.
const maxWeighed = 150

// eachWord calls visit with each different word of a sentence, by its stem, and with each pair of
// neighbours.
func (r *Reader) eachWord(g *sentenceContent, visit func(stem, next string)) {
	seen := map[wordPair]bool{}
	before := ""
	for k := g.from; k < min(g.to, g.from+maxWeighed); k++ {
		stem := shortStem(r.evidence.marks[k].spelling)
		if p := (wordPair{stem, ""}); !seen[p] {
			seen[p] = true
			visit(stem, "")
		}
		if p := (wordPair{before, stem}); before != "" && !seen[p] {
			seen[p] = true
			visit(before, stem)
		}
		before = stem
	}
}

// wordScore is what the words and pairs of neighbours of eachWord weigh together. It asks the table twice for each word and
// remembers by number what it has counted.
func (r *Reader) wordScore(g *sentenceContent, w *weights) (out int) {
	if len(r.counted) < w.numbered {
		r.counted = make([]uint32, w.numbered)
	}
	r.sentences++
	if r.sentences == 0 { // all numbers were used
		clear(r.counted)
		r.sentences++
	}
	count := func(x numbered) {
		if r.counted[x.number] != r.sentences {
			r.counted[x.number] = r.sentences
			out += int(x.weight)
		}
	}
	var before *wordWeight
	for k := g.from; k < min(g.to, g.from+maxWeighed); k++ {
		stem := shortStem(r.evidence.marks[k].spelling)
		word := w.words[stem]
		if word != nil {
			count(word.alone)
		}
		if before != nil && before.next != nil {
			if next, ok := before.next[stem]; ok {
				count(next)
			}
		}
		before = word
		if stem == "" {
			before = nil
		}
	}
	return out
}

type wordPair struct{ a, b string }

// shortStem returns the first six letters of a word: enough to tell words apart, and what most
// forms of one have in common.
func shortStem(w string) string {
	n := 0
	for i := range w {
		if n++; n == 7 {
			return w[:i]
		}
	}
	return w
}

// featuresOf lists by name what counts in sentence i.
func (r *Reader) featuresOf(g *sentenceContent, rule *found) (out []Feature) {
	add := func(kind, a, b string) { out = append(out, Feature{kind, a, b}) }
	for i, a := range r.signs {
		add("sign", signNames[a], "")
		for _, b := range r.signs[i+1:] {
			if a.paired() && b.paired() {
				add("sign", signNames[min(a, b)], signNames[max(a, b)])
			}
		}
	}
	if rule != nil {
		add("rule", "any", "")
		add("rule", kindNames[rule.kind], "")
		add("rule", rule.says, "")
	}
	r.eachWord(g, func(stem, next string) {
		if next == "" {
			add("word", stem, "")
		} else {
			add("next", stem, next)
		}
	})
	seen := map[Feature]bool{}
	once := func(kind, a, b string) {
		if f := (Feature{kind, a, b}); !seen[f] {
			seen[f] = true
			out = append(out, f)
		}
	}
	for _, c := range r.clausesOf(g) {
		for a := range concept(64) {
			if !c.set.has(a) {
				continue
			}
			once(mannerNames[c.how], signNames[a], "")
			for b := a + 1; b < 64; b++ {
				if c.set.has(b) {
					once(mannerNames[c.how], signNames[a], signNames[b])
				}
			}
		}
	}
	return out
}
