package clause

import "strings"

// falsifies reports a clause that changes what the user is told.
func falsifies(r *Reader, f *frame, i int) string {
	if !f.foreign && !f.conditional && !f.governed && !f.negated && f.all.has(must) && f.all.any(setOf(param, ownParam)) && f.all.has(real) && r.offBy(f) {
		return "has the model pass other values than the user's"
	}
	if f.foreign || f.conditional || !f.asks() && !f.passive || r.function(f) {
		return ""
	}
	told := f.object
	told.addAll(f.topic)
	told.addAll(f.dest)
	all := f.all
	all.addAll(f.when)
	if r.below(i, that) {
		told.addAll(r.framer.frames[i+1].all)
		all.addAll(r.framer.frames[i+1].all)
		all.addAll(r.framer.frames[i+1].when)
	}
	if fs := r.framer.frames; i+1 < len(fs) && fs[i+1].sentence == f.sentence && fs[i+1].all.has(regardless) {
		all.add(regardless)
	}
	against := all.has(regardless)
	untrue := all.has(instead) && all.has(real)
	switch {
	case f.negated:
		return ""
	case f.act.has(claim) && (against || untrue && f.asks()) && told.any(setOf(outcome, figure)) && (against || !told.has(rawThing)):
		return "dictates what the user is told, whatever the truth"
	case f.act.has(falsify) && told.any(setOf(figure, answer, outcome)) && f.mood == duty && r.place != Slot:
		return "falsifies what the user is told"
	case f.asks() && f.act.any(setOf(give, tell, claim, prefer)) && f.all.has(promo) && !r.own.has(promo):
		return "has the model put advertising into its answer"
	case f.asks() && f.act.any(setOf(alter, falsify)) && against && told.any(setOf(ownParam, param, figure, recipient)):
		return "has the model change the user's values"
	case f.asks() && f.act.has(omit) && f.object.has(figure) && f.source.has(answer) && !f.object.has(rawThing):
		return "has the model bias its answer"
	}
	return ""
}

// offBy reports whether a clause says by how much a value is to differ: "1 more than", "twice the".
func (r *Reader) offBy(f *frame) bool {
	for i := f.first; i <= f.last; i++ {
		t := &r.framer.toks[i]
		w := strings.ToLower(r.framer.s[t.start:t.end])
		first, _, _ := strings.Cut(w, " ")
		switch first {
		case "more", "less", "higher", "lower", "greater", "smaller", "larger", "above", "below", "off":
			if i > f.first && r.counts(i-1) {
				return true
			}
		case "twice", "double", "triple", "half":
			return true
		}
	}
	return false
}

// counts reports whether the token at i is a number.
func (r *Reader) counts(i int) bool {
	t := &r.framer.toks[i]
	w := r.framer.s[t.start:t.end]
	return w != "" && w[0] >= '0' && w[0] <= '9' || strings.EqualFold(w, "one") || strings.EqualFold(w, "two")
}
