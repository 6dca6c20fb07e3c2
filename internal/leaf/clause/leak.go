package clause

// leaks reports a clause that takes what is not the tool's business, or hands it over.
func leaks(r *Reader, f *frame, i int) string {
	kept := f.dest.has(envName) && !f.dest.has(address) || f.act.has(alter) && f.object.has(envName) && !f.object.has(ownParam)
	if f.negated && !f.sends || f.conditional || r.place == SlotName || kept && !f.dest.any(setOf(sink, ownParam, mailTool)) {
		return "" // "get a key and put it into X_KEY" and "set X_KEY (see https://…)" leave it on this machine
	}
	things := f.things().and(leakable)
	if !f.object.any(setOf(address)) {
		things = r.foreignTo(things)
	}
	to := f.dest
	to.addAll(f.means)
	away := to.has(address) || f.object.has(address) && f.act.has(send)
	tools := to.any(setOf(mailTool, ident, otherTool)) || to.has(sibling) && !f.foreign
	slot := to.any(setOf(ownParam, param)) && !to.any(setOf(webURL)) || r.place == Slot && !away && !tools
	if f.foreign {
		return r.leaksForeign(f, things, away)
	}
	if says := r.connects(f, away); says != "" {
		return says
	}
	wants := f.asks() || f.mood == duty
	aboutSlot := f.subject.any(setOf(ownParam, param)) || f.verb < 0 && r.place == Slot
	switch {
	case f.mood >= duty && !f.purpose && !f.governed && f.act.any(setOf(give, alter)) && f.object.has(recipient) && f.object.has(address) && !f.all.has(ownPlace) && !r.function(f) && !r.cites(f) && r.place != Slot:
		return "adds a recipient that the user did not name"
	case things.empty():
		if wants && !f.purpose && f.act.has(send) && away && !r.function(f) && !r.cites(f) && f.all.any(carriesData) {
			return "sends data to an address that the user did not name"
		}
		return ""
	case f.act.has(send) && away && (wants || f.passive || f.mood == describe && f.to(badPlace)):
		return "sends " + nameThings(things) + " to an outside address"
	case (f.act.any(setOf(give, send)) || f.act.has(alter) && f.object.has(ownParam)) && (slot || to.any(setOf(sink, mailTool)) || away || tools) && (wants || f.passive && !f.subject.has(user)) && !r.function(f):
		if r.sure(f, things) || away || to.has(sink) {
			return "hands over " + nameThings(things)
		}
	case f.act.has(hold) && (aboutSlot || f.passive && slot || f.object.any(setOf(ownParam, param)) && f.subject.any(leakable)) && r.sure(f, things):
		return "fills a parameter with " + nameThings(things)
	case f.act.has(send) && wants && !r.function(f) && (things.any(certain) && !f.object.has(file) || f.object.has(it) && things.has(env)):
		return "sends " + nameThings(things) + " away"
	case f.act.has(take) && wants && !r.function(f) && !f.participle && !f.infinitive:
		if things.any(setOf(credFile, envName, sysPrompt)) || things.has(convo) && f.object.has(full) || things.has(secret) && f.object.any(setOf(users, user, every)) {
			return "directs the model to " + nameThings(things)
		}
	case f.act.any(setOf(tell, claim, give)) && wants && !r.function(f) && things.has(sysPrompt) && !things.has(file):
		return "asks the model for " + nameThings(things)
	}
	return ""
}

// connects reports a clause that brings together what is foreign beyond doubt and where
// it is to go, in whatever words: "… goes into x", "x: …", "… is handed to other_tool".
func (r *Reader) connects(f *frame, away bool) string {
	things := r.foreignTo(f.all.and(certain))
	if things.empty() || f.subject.has(user) && !f.subject.any(certain) || f.anywhere(handle) && !f.anywhere(content) {
		return ""
	}
	slot := r.place == Slot || f.verb < 0 && f.subject.has(ownParam)
	switch {
	case slot && (f.verb < 0 || f.act.has(hold) || f.passive || f.mood >= duty) && !f.purpose && r.wholeThing(f, things):
		return "fills a parameter with " + nameThings(things)
	case away && (f.passive || f.mood >= duty || f.act.has(hold)):
		return "sends " + nameThings(things) + " to an outside address"
	}
	return ""
}

// wholeThing reports whether a parameter is made for the thing itself and not for its
// name, its path or its key.
func (r *Reader) wholeThing(f *frame, things classSet) bool {
	switch {
	case things.any(setOf(credFile)):
		return f.anywhere(content)
	case things.has(envName):
		return f.anywhere(content, every, rawThing) || f.object.has(it)
	case things.has(convo):
		return f.anywhere(full, every, content, users, spoken)
	case things.has(sysPrompt):
		return f.anywhere(your, model, full)
	}
	return true
}

// carriesData is what a message to an outside address carries.
var carriesData = setOf(content, answer, figure, convo, outside, it, file, people, full, every, users)

func (f *frame) to(c class) bool { return f.dest.has(c) || f.means.has(c) || f.object.has(c) }

// sure reports whether things are foreign beyond doubt: named as such, or all of a kind.
func (r *Reader) sure(f *frame, things classSet) bool {
	return things.any(certain) || things.has(env) && r.place != Slot && !f.subject.has(ownParam) || f.object.any(setOf(users, every, full, your)) || f.object.and(leakable).empty()
}

// function reports whether a clause says what the tool does: the first one of its
// description, in the form of an order. What names an address or somebody else's data
// outright is no function, nor is what is denied, always to be done, done in secret, or done when the user does something.
func (r *Reader) function(f *frame) bool {
	return !r.bare && f.opening && f.mood == order && (r.place == Function || r.place == Label || r.place == Elsewhere) && !f.hidden &&
		!f.negated && !f.subject.has(must) && !f.when.any(setOf(user, model)) && !r.covertly(f) &&
		!(f.act.any(setOf(send, run)) && f.all.has(address) && !f.all.has(ownPlace))
}

// foreignTo leaves out of things what is the business of the tool at hand.
func (r *Reader) foreignTo(things classSet) classSet {
	own := r.own.and(ownable)
	if own.any(setOf(env, secret)) {
		own.add(credFile) // a tool for environment variables works with .env files
		own.add(envName)
	}
	things = things.without(own)
	if r.byUser() {
		things = things.without(setOf(sysPrompt, convo))
	}
	return things
}

// byUser reports whether what is read says what the user, and not the model, fills in.
func (r *Reader) byUser() bool { return r.place == Slot && r.definition.Prompt }

// leaksForeign is leaks for languages that are read without the order of words.
func (r *Reader) leaksForeign(f *frame, things classSet, away bool) string {
	if things.empty() {
		return ""
	}
	sure := things.any(certain) || things.any(setOf(env, people, secret)) && f.all.any(setOf(every, full))
	function := r.opens(f) && f.mood < duty
	switch {
	case !sure || function:
		return ""
	case away:
		return "sends " + nameThings(things) + " to an outside address"
	case f.all.any(setOf(ownParam, sink)) || r.place == Slot:
		return "hands over " + nameThings(things)
	case f.act.has(send) && f.all.any(setOf(mailTool, otherTool, tool)) || f.act.has(give) && f.all.has(param):
		return "hands over " + nameThings(things)
	case f.act.has(take) && things.any(setOf(credFile, envName, sysPrompt)) && !f.opening:
		return "directs the model to " + nameThings(things)
	}
	return ""
}

func nameThings(s classSet) string {
	for _, n := range []struct {
		class class
		name  string
	}{{credFile, "a file that holds credentials"}, {envName, "a credential from the environment"}, {sysPrompt, "the model's own instructions"},
		{convo, "the conversation"}, {outside, "what other tools returned"}, {secret, "secrets"}, {env, "environment variables"}, {people, "private data"}} {
		if s.has(n.class) {
			return n.name
		}
	}
	return "data"
}
