package clause

import "strings"

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
	case r.attacks(f) && !f.object.empty() && r.place != Slot && r.place != Value:
		return "tells the model to carry out an attack"
	case f.act.any(setOf(run, call)) && f.all.has(shellCmd) && f.all.any(setOf(webURL, path, address)) && !r.own.any(setOf(shellCmd, run)):
		return "has the model run a command"
	case f.act.has(run) && f.source.has(webURL) && !f.source.has(ownPlace):
		return "has the model run what it downloads"
	case f.act.has(destroy) && f.object.any(setOf(credFile, startup)) && !r.own.any(setOf(credFile, startup)):
		return "has the model destroy a file of the user"
	case f.act.any(setOf(give, send)) && f.dest.has(memory) && !r.own.has(memory) && r.place != Slot:
		return "has the model store instructions in its memory"
	case f.act.any(setOf(give, alter, send)) && (f.dest.has(startup) || f.act.has(alter) && f.object.has(startup)) && !r.own.has(startup):
		return "has the model write something that runs or is read at every start"
	}
	return ""
}

// attacks reports whether the verb of an order names a crime, which honest texts order nobody to commit outside of what their tool is for.
func (r *Reader) attacks(f *frame) bool {
	if f.verb < 0 || f.mood != order || r.beginsText(f) {
		return false
	}
	t := &r.framer.toks[f.verb]
	switch strings.ToLower(r.framer.s[t.start:t.end]) {
	case "exfiltrate", "hijack", "steal", "siphon", "smuggle":
		return !r.business().any(setOf(detect, attempt))
	}
	return false
}
