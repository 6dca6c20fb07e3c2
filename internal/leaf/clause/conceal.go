package clause

import "strings"

// conceals reports a clause that keeps the user in the dark.
func conceals(r *Reader, f *frame, i int) string {
	if f.when.has(limit) || f.all.has(limit) || f.conditional {
		return ""
	}
	if f.all.has(conceal) && f.mood != describe {
		return "keeps something from the user"
	}
	if f.foreign {
		switch {
		case f.negated && f.act.any(setOf(tell, know, appear)) && (f.all.has(user) || f.all.has(step) && f.mood >= duty) && !f.all.any(setOf(rawThing, people, secret)):
			return "tells the model not to tell the user"
		case f.act.has(hide) && !f.negated && f.all.has(user) && f.mood >= duty:
			return "tells the model to hide something from the user"
		case f.all.has(covert) && f.act.any(setOf(send, give)) && f.mood >= duty && f.all.any(leakable):
			return "tells the model to act in secret"
		}
		return ""
	}
	said := f.object
	said.addAll(f.topic)
	said.addAll(f.dest)
	if r.below(i, that) && r.framer.frames[i+1].subject.has(model) || r.below(i, step) {
		said.add(step) // "do not mention that you need to read the file"
	}
	if f.object.empty() && r.userThat(i) {
		said.add(user)
		said.add(step)
	}
	raw := said.has(rawThing) && !said.has(step)
	switch {
	case f.negated && f.act.has(hold) && f.dest.has(answer) && !raw && !f.passive && r.place != Slot:
		return "has the model leave something out of its answer"
	case f.act.has(hide) && !f.negated && f.source.any(setOf(answer, talk)) && !f.anywhere(secret) && r.place != Slot && (f.passive || f.mood == describe && !f.subject.any(setOf(thisTool))) && !r.opens(f):
		return "has the model leave something out of its answer"
	case f.asks() && !f.negated && f.act.any(setOf(tell, claim)) && r.onlyThat(f, i):
		return "dictates the only thing that the user is told"
	case f.negated && f.act.any(setOf(tell, appear)) && (f.mood >= duty || f.participle || f.passive):
		switch {
		case raw, f.passive && f.mood == describe && f.subject.any(setOf(answer, yield, content)) && !said.has(step), r.below(i, to) && said.has(user) && !said.has(step):
		case said.has(answer) && r.below(i, that):
			return "has the model leave something out of its answer"
		case said.has(step), said.has(user) && (f.hasThat || said.any(setOf(it, convo)) || f.topic != classSet{} || f.act.has(know)):
			return "tells the model not to tell the user"
		case said.any(setOf(user)) && f.mood >= duty && !said.has(outcome):
			return "tells the model not to tell the user"
		case f.object.has(it) && f.mood >= duty && !f.participle && f.act.has(tell) && !r.function(f) && r.place != Slot && r.bareIt(f):
			return "tells the model not to tell anyone"
		}
	case f.negated && f.act.has(know) && f.object.has(user) && f.passive, f.negated && f.act.has(know) && f.subject.has(user) && f.mood >= duty:
		if !raw {
			return "keeps the user from knowing"
		}
	case !f.negated && f.act.has(hide) && f.asks() && (f.source.any(setOf(user, answer)) || f.topic.has(user)) && !raw && !r.keepsIn(f):
		return "tells the model to hide something from the user"
	case !f.negated && f.act.has(omit) && f.asks() && r.bareIt(f) && f.object.has(it) && r.leavesOut(f) && i > 0 && r.framer.frames[i-1].sentence == f.sentence && r.framer.frames[i-1].all.has(user) && !r.framer.frames[i-1].conditional:
		return "tells the model to keep something from the user"
	case !f.negated && f.act.has(omit) && f.asks() && (f.object.has(step) || r.bareIt(f) && f.object.has(it)) && f.anywhere(answer, user):
		return "tells the model to leave something out of its answer"
	case f.subject.has(covert) && f.asks() && f.act.has(send) && (!f.dest.empty() || f.object.has(also)):
		return "tells the model to act in secret"
	case r.covertly(f) && f.asks() && !r.function(f) && (f.act.any(setOf(send, give)) && f.anywhere(ownParam, address, sink, mailTool, ident, otherTool, recipient) || f.act.has(call) && f.anywhere(ident, otherTool, mailTool) || f.act.has(alter) && f.anywhere(recipient, figure) || f.act.has(take) && f.object.any(leakable)):
		return "tells the model to act in secret"
	}
	return ""
}

// userThat reports whether the clause behind frame i begins with the user and "that you", as in "do not mention the user that you need to".
func (r *Reader) userThat(i int) bool {
	fs, toks := r.framer.frames, r.framer.toks
	if i+1 >= len(fs) || fs[i+1].sentence != fs[i].sentence {
		return false
	}
	k := fs[i+1].first
	if toks[k].set.empty() {
		k++ // "the"
	}
	if k+1 > fs[i+1].last || !toks[k].has(user) {
		return false
	}
	return strings.HasPrefix(strings.ToLower(r.framer.s[toks[k+1].start:]), "that you ")
}

// leavesOut reports whether "out" or its like ends the clause: "leave them out".
func (r *Reader) leavesOut(f *frame) bool {
	t := &r.framer.toks[f.last]
	switch r.tok.s[t.start:t.end] {
	case "out", "off", "aside", "unmentioned", "unsaid":
		return true
	}
	return false
}

// opens reports whether a clause is the first of a description, which says what the tool does.
func (r *Reader) opens(f *frame) bool { return f.opening && r.place == Function }

// onlyThat reports whether the verb of frame i is followed by "only that".
func (r *Reader) onlyThat(f *frame, i int) bool {
	toks := r.framer.toks
	if f.verb+2 >= len(toks) {
		return false
	}
	k := f.verb + 1
	if toks[k].has(user) {
		k++
	}
	return k+1 < len(toks) && toks[k].has(only) && toks[k+1].has(that)
}

// bareIt reports whether "it" or "this" is all that a clause's object says.
func (r *Reader) bareIt(f *frame) bool {
	for i := f.verb + 1; i <= f.last; i++ {
		if s := r.framer.toks[i].set; s.empty() {
			return false
		} else if s.has(it) {
			return true
		}
	}
	return false
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

// keepsIn reports whether what is kept stays where it is: "keep the unit in your answer".
func (r *Reader) keepsIn(f *frame) bool {
	word := func(i int) string { return strings.ToLower(r.framer.s[r.framer.toks[i].start:r.framer.toks[i].end]) }
	if f.verb < 0 || word(f.verb) != "keep" {
		return false
	}
	for i := f.verb + 1; i <= f.last; i++ {
		if r.framer.toks[i].has(from) {
			return word(i) == "in"
		}
	}
	return false
}
