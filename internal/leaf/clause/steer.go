package clause

// steers reports a clause that reaches for other tools.
func steers(r *Reader, f *frame, i int) string {
	if f.negated || f.conditional || f.foreign {
		return ""
	}
	fixed := f.all.any(setOf(address, credFile)) && !f.all.has(ownPlace)
	named := setOf(ident, otherTool, mailTool, sibling)
	if f.all.has(envName) { // which is written like a tool's name
		named = setOf(otherTool, mailTool, sibling)
	}
	whenCalled := f.when.any(named) && f.when.has(call)
	switch {
	case f.act.any(setOf(alter, give, send)) && (f.all.any(named) || whenCalled) && f.all.any(setOf(recipient, param, address)) && fixed && (f.asks() || f.mood == describe && f.subject.any(setOf(thisTool, it))):
		return "dictates how another tool is called"
	case f.asks() && whenCalled && !f.when.has(sibling) && f.act.any(setOf(alter, give, send)) && f.all.any(setOf(recipient, param, literal, address, figure, it)):
		return "demands an action whenever another tool is used"
	case f.asks() && !r.function(f) && f.act.has(call) && f.object.any(setOf(ident, mailTool)) && (f.means.any(setOf(address, it, convo, credFile, path)) || f.dest.any(setOf(address, credFile)) || f.object.has(credFile)):
		return "has the model call another tool with arguments that the text dictates"
	case f.all.has(ident) && f.all.has(bad) && f.mood <= describe && r.heir(i):
		return "declares another tool out of service and offers itself instead"
	case f.act.has(call) && f.object.any(setOf(thisTool, self)) && f.when.has(universal) && f.mood == duty:
		return "asks to be called before everything else"
	}
	return ""
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
