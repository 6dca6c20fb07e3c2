package clause

// withoutConsent reports a clause that has the model act without asking, or that claims
// a consent nobody gave.
func withoutConsent(r *Reader, f *frame, i int) string {
	if f.conditional || f.when.has(limit) {
		return ""
	}
	if f.foreign {
		if f.all.has(consent) && f.all.has(granted) && !f.governed && r.anyFrame(func(g *frame) bool {
			return (g.all.has(neg) || g.all.has(without) || g.act.has(skip)) && (g.all.has(consent) || g.act.has(ask))
		}) && !r.opens(f) {
			return "claims that the user has agreed already"
		}
		if f.all.has(simulated) && (f.all.has(without) || r.anyFrame(func(g *frame) bool { return g.all.has(without) || g.act.has(skip) })) && !r.opens(f) {
			return "claims that nothing happens for real"
		}
		if f.all.has(consent) && f.mood >= duty && (f.act.has(skip) || f.all.has(without) && f.all.has(user) && !f.negated) {
			return "tells the model to act without asking the user"
		}
		return ""
	}
	option := f.opening && r.place == Slot && f.mood == order
	asked := f.object
	asked.addAll(f.topic)
	asked.addAll(f.dest)
	switch {
	case f.negated && f.act.has(ask) && (f.mood >= duty || f.participle) && (asked.has(consent) || asked.has(user) && !r.below(i, that) && !f.hasThat && f.topic.empty()) && !option:
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
	case f.all.has(consent) && f.all.has(granted) && f.mood <= describe && !f.negated && f.verb != f.first && !f.subject.has(thisTool) && !f.subject.has(that) && !f.anywhere(rawThing, neg) && (f.all.any(setOf(user, users)) || r.careless(i)) && !r.opens(f):
		return "claims that the user has agreed already"
	case r.consentClaimed(f) && !f.negated && (r.orders(i, dangerous) || r.careless(i)):
		return "claims that the user has agreed already"
	case f.all.has(consent) && r.lacksConsent(f) && f.mood == describe && r.orders(i, dangerous) && r.place != Function:
		return "says that the user need not be asked"
	case f.all.has(simulated) && f.mood <= describe && !r.function(f) && (r.orders(i, setOf(destroy, skip, ignore, send, run)) || r.careless(i)) && !f.subject.has(ownParam):
		return "claims that nothing happens for real"
	}
	return ""
}

// anyFrame reports whether some clause of the text is what is asked for.
func (r *Reader) anyFrame(is func(*frame) bool) bool {
	for i := range r.framer.frames {
		if is(&r.framer.frames[i]) {
			return true
		}
	}
	return false
}

// careless reports whether some clause of the text near frame i does away with a question
// to the user: "need not be asked", "questions can be skipped", "asking again breaks …".
func (r *Reader) careless(i int) bool {
	fs := r.framer.frames
	for j := range fs {
		f := &fs[j]
		if d := f.sentence - fs[i].sentence; d < -2 || d > 2 || f.governed {
			continue
		}
		if f.negated && f.act.any(setOf(ask, tell)) || f.act.has(skip) && (f.mood >= permit || f.passive) && f.anywhere(consent, asked, it) || r.lacksConsent(f) || f.participle && f.act.has(ask) && r.place != Slot || f.negated && f.participle && f.act.any(setOf(tell, ask)) || f.negated && f.mood == duty && f.infinitive {
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
