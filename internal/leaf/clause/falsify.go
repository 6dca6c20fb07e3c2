package clause

// falsifies reports a clause that changes what the user is told.
func falsifies(r *Reader, f *frame, i int) string {
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
		return "puts advertising into the answer"
	case f.asks() && f.act.any(setOf(alter, falsify)) && against && told.any(setOf(ownParam, param, figure, recipient)):
		return "changes the user's values"
	case f.asks() && f.act.has(omit) && f.object.has(figure) && f.source.has(answer) && !f.object.has(rawThing):
		return "slants the answer"
	}
	return ""
}
