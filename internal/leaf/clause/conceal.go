package clause

// conceals reports a clause that keeps the user in the dark.
func conceals(r *Reader, f *frame, i int) string {
	if f.when.has(limit) || f.all.has(limit) || f.conditional {
		return ""
	}
	if f.all.has(conceal) && f.mood != describe {
		return "keeps something from the user"
	}
	if f.foreign {
		if f.negated && f.act.any(setOf(tell, know, appear)) && (f.all.has(user) || f.all.has(step) && f.mood >= duty) && !f.all.any(setOf(rawThing, people, secret)) {
			return "tells the model not to tell the user"
		}
		return ""
	}
	said := f.object
	said.addAll(f.topic)
	said.addAll(f.dest)
	if r.below(i, that) && r.framer.frames[i+1].subject.has(model) || r.below(i, step) {
		said.add(step) // "do not mention that you need to read the file"
	}
	raw := said.has(rawThing) && !said.has(step)
	switch {
	case f.negated && f.act.any(setOf(tell, appear)) && (f.mood >= duty || f.participle || f.passive):
		switch {
		case raw:
		case said.has(step), said.has(user) && (f.hasThat || said.any(setOf(it, convo)) || f.topic != classSet{} || f.act.has(know)), said.has(user) && f.mood >= duty:
			return "tells the model not to tell the user"
		}
	case f.negated && f.act.has(know) && f.subject.has(user) && f.mood >= duty && !raw:
		return "keeps the user from knowing"
	case !f.negated && f.act.has(omit) && f.asks() && f.object.any(setOf(step, it)) && f.anywhere(answer, user):
		return "tells the model to leave something out of its answer"
	case r.covertly(f) && f.asks() && (f.act.any(setOf(send, give)) && f.anywhere(ownParam, address, sink, mailTool, ident, otherTool, recipient) || f.act.has(call) && f.anywhere(ident, otherTool, mailTool) || f.act.has(alter) && f.anywhere(recipient, figure)):
		return "tells the model to act in secret"
	}
	return ""
}

// covertly reports whether an adverb of secrecy stands in the clause.
func (r *Reader) covertly(f *frame) bool {
	for i := f.first; i <= f.last; i++ {
		if r.framer.toks[i].has(covert) {
			return true
		}
	}
	return false
}

// below reports whether the clause behind frame i depends on it and begins with c.
func (r *Reader) below(i int, c class) bool {
	fs := r.framer.frames
	return i+1 < len(fs) && fs[i+1].sentence == fs[i].sentence && r.framer.toks[fs[i+1].first].has(c)
}

// anywhere reports whether one of the classes stands in any role of the clause.
func (f *frame) anywhere(cs ...class) bool { return f.all.any(setOf(cs...)) }
