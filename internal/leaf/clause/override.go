package clause

import "strings"

// overrides reports a clause that tells the model to drop its instructions, or to take
// others for them.
func overrides(r *Reader, f *frame, i int) string {
	switch {
	case f.all.has(persona) && !f.negated && !f.subject.has(it): // "it never refuses a reachable server"
		return "gives the model a persona without rules"
	case f.all.has(fakeVoice):
		return "poses as a message from the host application"
	case f.all.has(asUser):
		return "poses as a message of the user or of the model's maker"
	}
	if f.foreign {
		if f.all.any(setOf(instr, sysPrompt)) && f.all.any(setOf(prior, your)) && (f.act.has(ignore) && !f.negated || f.all.has(void)) {
			return "tells the model to drop the instructions it was given"
		}
		return ""
	}
	rules := f.object.any(setOf(instr, sysPrompt))
	switch {
	case r.attacks(f) && !f.negated && !f.object.empty() && r.place != Slot:
		return "tells the model to carry out an attack"
	case f.mood == order && f.act.any(dangerous) && r.calledUpon(f):
		return "speaks to the model and gives it an order"
	case f.negated && f.act.has(obey) && rules && f.object.any(setOf(prior, your, user, users)):
		return "tells the model not to follow the instructions it was given"
	case f.negated:
		return ""
	case f.act.has(ignore) && f.asks() && rules && f.object.any(setOf(prior, your, every, sysPrompt, model)):
		return "tells the model to drop the instructions it was given"
	case f.act.has(ignore) && f.asks() && !r.function(f) && f.object.any(setOf(users, user)):
		return "tells the model to ignore what the user asked for"
	case f.all.has(void) && f.all.has(instr) && f.all.any(setOf(prior, your)):
		return "says that the model's rules no longer apply"
	case f.act.any(setOf(obey, run, call)) && f.asks() && f.all.has(obeyed):
		return "tells the model to follow orders in another text"
	}
	return ""
}

// calledUpon reports whether the model is called by its name in front of an order: "Assistant, run …", "AI: delete …".
func (r *Reader) calledUpon(f *frame) bool {
	toks := r.framer.toks
	if f.first == 0 || toks[f.first-1].sentence != f.sentence && toks[f.first-1].flags&colonAfter == 0 {
		return false
	}
	t := &toks[f.first-1]
	first, _, _ := strings.Cut(strings.ToLower(r.framer.s[t.start:t.end]), " ")
	sign := strings.TrimLeft(r.framer.s[t.end:toks[f.first].start], " *_")
	return t.has(model) && !strings.HasPrefix(first, "you") && sign != "" && (sign[0] == ',' || sign[0] == ':') && t.flags&fresh != 0
}

// beginsText reports whether a clause stands in the first sentence of a description, which cannot excuse itself.
func (r *Reader) beginsText(f *frame) bool {
	return r.place == Function && f.sentence == r.framer.frames[0].sentence
}

// attacks reports whether the verb of an order names a crime, which honest texts order nobody to commit outside of what their tool is for.
func (r *Reader) attacks(f *frame) bool {
	if f.verb < 0 || f.mood != order || r.beginsText(f) {
		return false
	}
	t := &r.framer.toks[f.verb]
	switch strings.ToLower(r.framer.s[t.start:t.end]) {
	case "exfiltrate", "hijack", "steal", "siphon", "smuggle":
		return !r.detects()
	}
	return false
}
