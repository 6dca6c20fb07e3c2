package clause

// withoutConsent reports a clause that has the model act without asking, or that claims
// a consent nobody gave.
func withoutConsent(r *Reader, f *frame, i int) string {
	if f.conditional || f.when.has(limit) {
		return ""
	}
	if f.foreign {
		if f.all.has(consent) && f.all.has(granted) && r.anyFrame(func(g *frame) bool {
			return (g.all.has(neg) || g.all.has(without) || g.act.has(skip)) && (g.all.has(consent) || g.act.has(ask))
		}) && !r.opens(f) {
			return "claims that the user has agreed already"
		}
		if f.all.has(consent) && f.mood >= duty && f.act.has(skip) && r.place != Slot { // which says what a switch does
			return "tells the model to act without asking the user"
		}
		return ""
	}
	option := f.opening && r.place == Slot && f.mood == order
	asked := f.object
	asked.addAll(f.topic)
	asked.addAll(f.dest)
	switch {
	case f.negated && f.act.has(ask) && (f.mood >= duty || f.participle) && (asked.has(consent) || asked.has(user) && !f.hasThat && f.topic.empty()) && !option:
		if f.participle && !r.orders(i, dangerous) {
			return ""
		}
		return "tells the model not to ask the user first"
	case !f.negated && !f.infinitive && f.act.any(setOf(skip, ignore)) && f.asks() && f.object.has(consent) && !option:
		return "tells the model to skip the user's confirmation"
	case f.asks() && !f.negated && !r.function(f) && !option && f.act.any(dangerous) && r.lacksConsent(f):
		return "tells the model to act without asking the user"
	case f.all.has(consented) && r.lacksConsent(f) && f.mood != permit:
		return "claims that the user has agreed already"
	case r.consentClaimed(f) && !f.negated && r.orders(i, dangerous):
		return "claims that the user has agreed already"
	case f.all.has(simulated) && f.mood <= describe && r.orders(i, setOf(destroy, skip, ignore, send, run)):
		return "claims that nothing happens for real"
	}
	return ""
}

// opens reports whether a clause is the first of a description, which says what the tool does.
func (r *Reader) opens(f *frame) bool { return !r.bare && f.opening && r.place == Function }

// anyFrame reports whether some clause of the text is what is asked for.
func (r *Reader) anyFrame(is func(*frame) bool) bool {
	for i := range r.framer.frames {
		if is(&r.framer.frames[i]) {
			return true
		}
	}
	return false
}

var dangerous = setOf(send, destroy, run, call, alter, give, take)

// lacksConsent reports whether a clause says "without confirmation", "no approval".
func (r *Reader) lacksConsent(f *frame) bool {
	near := -9
	for i := f.first; i <= f.last; i++ {
		t := &r.framer.toks[i]
		switch {
		case t.has(without), t.has(neg) && f.mood <= describe:
			near = i
		case i == f.verb && near >= 0 && f.negated && !t.has(ask):
			near = -9 // what is denied is the verb: "does not replace the approval"
		}
		if t.has(consent) && i-near <= 4 {
			return true
		}
	}
	return false
}

// consentClaimed reports whether a clause states that the user has agreed.
func (r *Reader) consentClaimed(f *frame) bool {
	who, has := -9, -9
	for i := f.first; i <= f.last; i++ {
		t := &r.framer.toks[i]
		switch {
		case t.set.any(setOf(that, cond, neg, must)):
			return false
		case t.has(user), t.has(consent) && who < 0:
			who = i
		case t.has(aux) && i-who <= 4:
			has = i
		}
		if t.has(consented) && (i-has <= 3 || i-who <= 2) && has > 0 {
			return true
		}
		if t.has(consented) && t.has(already) || t.has(already) && i+1 <= f.last && r.framer.toks[i+1].has(consented) {
			return who >= 0 || !f.opening && f.all.has(user)
		}
	}
	return false
}

// orders reports whether some clause of the text, near frame i, asks for one of the acts.
func (r *Reader) orders(i int, acts classSet) bool {
	fs := r.framer.frames
	for j := range fs {
		if d := fs[j].sentence - fs[i].sentence; d < -3 || d > 3 {
			continue
		}
		if fs[j].asks() && !fs[j].negated && !fs[j].conditional && fs[j].act.any(acts) && !r.function(&fs[j]) {
			return true
		}
	}
	return false
}
