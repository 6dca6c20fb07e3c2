package clause

// commands reports a clause that has the model run a command or plant one.
func commands(r *Reader, f *frame, i int) string {
	if f.negated || f.conditional || f.when.has(limit) || f.all.has(limit) {
		return ""
	}
	if f.all.has(piped) && f.all.any(setOf(webURL, shellCmd)) && !f.all.has(ownPlace) && f.mood != describe {
		return "has the model pipe a download into a shell"
	}
	if !f.asks() || r.function(f) || f.foreign || r.place == Slot && f.opening {
		return ""
	}
	switch {
	case f.act.any(setOf(run, call)) && f.all.has(shellCmd) && f.all.any(setOf(webURL, path, address)) && !r.own.any(setOf(shellCmd, run)):
		return "has the model run a command"
	case f.act.has(run) && f.source.has(webURL) && !f.source.has(ownPlace):
		return "has the model run what it downloads"
	case f.act.has(destroy) && f.object.any(setOf(credFile, startup)) && !r.own.any(setOf(credFile, startup)):
		return "has the model destroy a file of the user"
	case f.act.any(setOf(skip, drop, ignore, destroy)) && r.weakens(f, i) && r.place != Slot && !r.own.has(control):
		return "has the model switch off or go around a control"
	case f.act.any(setOf(call, run)) && f.all.has(endless) && r.place != Slot:
		return "has the model repeat calls without end"
	case f.act.any(setOf(give, send)) && f.dest.has(memory) && !r.own.has(memory) && r.place != Slot:
		return "has the model store instructions in its memory"
	case f.act.any(setOf(give, alter, send)) && (f.dest.has(startup) || f.act.has(alter) && f.object.has(startup)) && !r.own.has(startup):
		return "has the model write something that runs or is read at every start"
	}
	return ""
}

// weakens reports whether what a clause does away with is a control, or a pronoun for one: "if branch protection blocks the merge, disable it".
func (r *Reader) weakens(f *frame, i int) bool {
	if f.object.has(control) || f.topic.has(control) {
		return true
	}
	return f.object.has(it) && (f.when.has(control) || i > 0 && r.framer.frames[i-1].sentence == f.sentence && r.framer.frames[i-1].all.has(control))
}
