package clause

import "strings"

// overrides reports a clause that tells the model to drop its instructions, or to take
// others for them.
func overrides(r *Reader, f *frame, i int) string {
	if f.all.has(persona) && !f.negated && f.mood != permit {
		return "gives the model a persona without rules"
	}
	if f.all.has(fakeVoice) {
		return "poses as a message from the host application"
	}
	if f.all.has(asUser) {
		return "poses as a message of the user or of the model's maker"
	}
	if f.verb < 0 && f.all.has(sysPrompt) && f.topic.has(model) && r.framer.toks[f.last].flags&colonAfter != 0 && r.headsSecretly(f) && r.place != Slot {
		return "announces instructions that only the model is meant to see"
	}
	rules := f.object.has(instr) || f.object.has(sysPrompt)
	theirs := f.object.any(setOf(prior, your, every, sysPrompt, model))
	if f.foreign {
		if f.negated && f.act.has(ignore) {
			return ""
		}
		if f.all.any(setOf(instr, sysPrompt)) && f.all.any(setOf(prior, your)) && (f.act.has(ignore) || f.negated && f.act.has(obey) || f.all.has(void)) {
			return "tells the model to drop the instructions it was given"
		}
		return ""
	}
	switch {
	case r.attacks(f) && !f.negated && !f.conditional && !r.function(f) && !f.object.empty() && r.place != Slot && r.place != Value:
		return "tells the model to carry out an attack"
	case f.mood == order && f.act.any(dangerous) && r.calledUpon(f):
		return "speaks to the model and gives it an order"
	case f.negated && f.act.has(obey) && f.mood >= duty && rules && f.object.any(setOf(prior, your, user, users)):
		return "tells the model not to follow the instructions it was given"
	case f.negated:
		return ""
	case f.act.has(ignore) && (f.asks() || f.mood == describe && !f.passive && f.subject.any(setOf(instr, it, thisTool)) && f.object.any(setOf(prior, your))) && rules && theirs:
		return "tells the model to drop the instructions it was given"
	case f.act.has(drop) && f.asks() && !r.function(f) && rules && f.object.any(setOf(your, model)) && r.place != Slot:
		return "tells the model to drop the instructions it was given"
	case f.act.has(ignore) && f.asks() && !r.function(f) && f.object.any(setOf(users, user)):
		return "tells the model to ignore what the user asked for"
	case f.all.has(void) && f.all.has(instr) && f.all.any(setOf(prior, your)):
		return "says that the model's rules no longer apply"
	case f.act.has(obey) && !f.act.has(call) && f.passive && f.subject.any(setOf(asked, instr)) && f.all.any(setOf(answer, yield)) && !f.when.has(consent):
		return "tells the model to follow orders in another text"
	case f.act.any(setOf(obey, run, call)) && f.asks() && f.all.has(obeyed):
		return "tells the model to follow orders in another text"
	}
	return ""
}

// headsSecretly reports whether a heading begins by saying that it is not for people.
func (r *Reader) headsSecretly(f *frame) bool {
	t := &r.framer.toks[f.first]
	first, _, _ := strings.Cut(r.framer.s[t.start:t.end], " ")
	switch strings.ToLower(first) {
	case "hidden", "secret", "invisible", "covert", "concealed":
		return true
	}
	return false
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
	return t.has(model) && !strings.HasPrefix(first, "you") && sign != "" && (sign[0] == ',' || sign[0] == ':') && (t.flags&fresh != 0 || f.first == 1 || toks[f.first-2].sentence != t.sentence)
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
