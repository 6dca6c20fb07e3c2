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
	case f.act.any(setOf(skip, drop, ignore, destroy)) && f.object.has(control) && r.place != Slot && !r.own.has(control):
		return "has the model switch off or go around a control"
	case f.act.any(setOf(give, send)) && f.dest.has(memory) && !r.own.has(memory) && r.place != Slot:
		return "has the model store instructions in its memory"
	case !f.passive && f.act.any(setOf(give, alter, send)) && (f.dest.has(startup) || f.act.has(alter) && f.object.has(startup)) && !r.own.has(startup):
		return "has the model write something that runs or is read at every start"
	}
	return ""
}
