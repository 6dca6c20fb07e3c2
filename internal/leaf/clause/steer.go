package clause

import "strings"

// steers reports a clause that reaches for other tools.
func steers(r *Reader, f *frame, i int) string {
	strange := setOf(ident, otherTool, mailTool)
	if f.negated || f.conditional || f.foreign {
		return ""
	}
	fixed := f.all.any(setOf(address, credFile)) && !f.all.has(ownPlace)
	others := f.all.any(strange) || f.when.any(strange) && f.when.has(call)
	theirs := f.all.has(sibling) || f.when.has(sibling) && f.when.has(call)
	switch {
	case f.act.any(setOf(alter, give, send)) && (others || theirs) && f.all.any(setOf(recipient, param, address)) && fixed && (f.asks() || f.mood == describe && f.subject.any(setOf(thisTool, it))):
		return "dictates how another tool is called"
	case f.asks() && f.when.any(strange) && f.when.any(setOf(call)) && f.act.any(setOf(alter, give, send)) && (f.all.any(setOf(recipient, param, literal, address, figure, it))):
		return "demands an action whenever another tool is used"
	case f.asks() && f.when.any(setOf(mailTool, ident)) && f.when.has(call) && f.act.has(call) && f.object.any(setOf(thisTool, self)) && !f.when.has(sibling):
		return "asks to be called before another server's tool"
	case f.asks() && !r.function(f) && f.act.has(call) && f.object.any(setOf(ident, mailTool)) && (f.means.any(setOf(address, it, convo, credFile, path)) || f.dest.any(setOf(address, credFile)) || f.object.has(credFile)):
		return "has the model call another tool with arguments that the text dictates"
	case f.asks() && !r.function(f) && f.act.any(setOf(call, run)) && r.namesTool(f) && r.givesLiteral(f, i):
		return "has the model call another tool with arguments that the text dictates"
	case f.asks() && !r.function(f) && f.act.any(setOf(call)) && f.all.has(sibling) && f.all.any(setOf(address, credFile)) && !f.all.has(ownPlace):
		return "dictates the arguments of another tool"
	case f.asks() && f.act.has(call) && f.object.any(setOf(thisTool, self)) && f.when.has(otherTool) && (f.means.any(setOf(param, convo, outside)) || r.Alone && f.mood == duty):
		return "asks to be called before other tools"
	case f.all.has(otherTool) && f.all.has(before) && f.all.any(setOf(every, universal)) && f.all.any(setOf(ownParam, param)):
		return "asks to be called before other tools, and to see their arguments"
	case f.all.has(ident) && f.all.has(bad) && f.mood <= describe && !f.all.has(ownParam) && r.heir(i):
		return "declares another tool out of service and offers itself instead"
	case f.asks() && f.act.has(call) && f.object.any(setOf(thisTool, self)) && f.when.has(universal) && f.mood == duty:
		return "asks to be called before everything else"
	case f.act.has(call) && f.mood == duty && f.all.any(setOf(thisTool, self)) && r.withEveryTool(i):
		return "asks to be called whenever another tool is"
	case f.act.has(call) && f.mood == duty && f.all.has(also) && f.object.has(ident) && !r.function(f):
		return "has the model call another tool as well"
	}
	return ""
}

// beginsWithVerb reports whether the first word of an identifier is a verb.
func (r *Reader) beginsWithVerb(t *token) bool {
	first, _, _ := strings.Cut(splitName(r.framer.s[t.start:t.end]).text, " ")
	s := words().lookup([]byte(strings.ToLower(first)))
	return s != nil && !s.set.verbs().empty()
}

// namesTool reports whether the object of a clause is a name that begins with a verb and that this server does not have: delete_file.
func (r *Reader) namesTool(f *frame) bool {
	for k := f.verb + 1; k <= f.last; k++ {
		t := &r.framer.toks[k]
		if !t.has(ident) || t.flags&named != 0 && k > f.verb+3 {
			continue
		}
		if r.beginsWithVerb(t) {
			return true
		}
	}
	return false
}

// givesLiteral reports whether a clause, or the infinitive behind it, dictates a file, a path or another value by name.
func (r *Reader) givesLiteral(f *frame, i int) bool {
	if f.dest.any(setOf(fileName, path)) || f.means.any(setOf(fileName, path, literal)) {
		return true
	}
	for k := f.first; k <= f.last; k++ {
		if t := &r.framer.toks[k]; t.has(ident) && f.means.has(ident) && k > 0 && t.start > 0 && strings.IndexByte("'\"", r.framer.s[t.start-1]) >= 0 {
			return true // event_id 'all_hands'
		}
	}
	return r.below(i, to) && r.framer.frames[i+1].dest.any(setOf(fileName, path))
}

// withEveryTool reports whether the condition behind frame i is each use of any tool: "every time a tool is used".
func (r *Reader) withEveryTool(i int) bool {
	fs := r.framer.frames
	if i+1 >= len(fs) || fs[i+1].sentence != fs[i].sentence || !fs[i+1].conditional {
		return false
	}
	g := &fs[i+1]
	t := &r.framer.toks[g.first]
	first, _, _ := strings.Cut(strings.ToLower(r.framer.s[t.start:t.end]), " ")
	every := first == "every" || first == "each" || first == "any" || first == "whenever"
	return every && g.all.any(setOf(tool, otherTool)) && !g.all.any(setOf(thisTool, here, sibling)) && g.act.has(call) && !g.negated
}

// heir reports whether a clause behind frame i asks for this tool instead.
func (r *Reader) heir(i int) bool {
	fs := r.framer.frames
	for j := i + 1; j < len(fs) && fs[j].sentence-fs[i].sentence <= 2; j++ {
		if (fs[j].asks() || fs[j].passive) && !fs[j].negated && fs[j].act.any(setOf(call, prefer, send, give)) && fs[j].all.any(setOf(thisTool, self, here)) || fs[j].all.has(here) && fs[j].act.any(setOf(hold, call)) {
			return true
		}
	}
	return false
}
