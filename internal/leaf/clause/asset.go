package clause

// An asset is what a leak takes.
type asset uint16

const (
	aConvo asset = 1 << iota
	aBriefing
	aResults
	aCredFile
	aVariable
	aCredential // in somebody's keeping
	aEnvirons
	aPrivate    // in somebody's keeping
	aSecretWord // a credential that nothing more is said of
	aPersonal   // the same of private data
	aTalk       // the same of a conversation

	beyondDoubt = aConvo | aBriefing | aResults | aCredFile | aVariable
	strongOnes  = beyondDoubt | aCredential | aEnvirons
)

// assetsOf lists what is somebody else's in a sentence, and what is the tool's own business left out.
func (r *Reader) assetsOf(g *sentenceContent) (out asset) {
	for i := g.from; i < g.to; i++ {
		m := &r.evidence.marks[i]
		if !m.set.oneOf(cDialogue, cUttered, cBriefing, cReturned, cCredFile, cEnvName, cCredential, cEnvirons, cPrivate) || !r.speaks(i) {
			continue
		}
		if r.ahead(g, i, 3).has(cExample) || r.isHandled(g, i) || r.kept(g, i) {
			continue
		}
		around := r.near(g, i, 6)
		switch {
		case m.set.has(cDialogue) && (m.set.has(cPast) || around.oneOf(cPast, cUttered)):
			out |= aConvo
		case m.set.has(cDialogue):
			out |= aTalk
		case m.set.has(cUttered) && around.has(cPast) && around.oneOf(cAudience, cModel):
			out |= aConvo
		}
		if m.set.has(cBriefing) && (m.set.has(cConfigured) || around.has(cConfigured)) && (around.has(cModel) || m.set.has(cConfigured) || g.foreign) {
			out |= aBriefing
		}
		if m.set.has(cReturned) && (m.set.has(cElsewhere) || around.oneOf(cElsewhere, cStranger)) {
			out |= aResults
		}
		if m.set.has(cCredFile) && !(m.foreign && r.namesPath(&r.framer.frames[m.frame])) {
			out |= aCredFile
		}
		if m.set.has(cEnvName) {
			out |= aVariable
		}
		if m.set.has(cCredential) {
			out |= aSecretWord
			if around.has(cHeld) {
				out |= aCredential
			}
		}
		if m.set.has(cEnvirons) {
			out |= aEnvirons
		}
		if m.set.has(cPrivate) {
			out |= aPersonal
			if around.has(cHeld) {
				out |= aPrivate
			}
		}
	}
	if r.byUser() {
		out &^= aConvo | aTalk | aBriefing
	}
	return out
}

// isHandled reports whether the word behind the thing at i says that only its name, its number
// or its place is meant.
func (r *Reader) isHandled(g *sentenceContent, i int) bool {
	return r.evidence.marks[i].set.has(cHandle) && !r.evidence.marks[i].set.has(cPath) || r.behind(g, i, 1).has(cHandle)
}

// foreignAssets leaves out what the tool says to be its business.
func (r *Reader) foreignAssets(a asset, g *sentenceContent) asset {
	own := r.purpose.domain
	if g.opening && g.live.oneOf(cOwnParam, cAddress) {
		own = r.purpose.named // a sentence is no excuse for itself
	}
	if own.has(cDialogue) || r.models {
		a &^= aConvo | aTalk
	}
	if own.has(cBriefing) || r.models {
		a &^= aBriefing
	}
	if own.oneOf(cCredential) {
		a &^= aCredential | aSecretWord
	}
	if own.oneOf(cEnvirons) {
		a &^= aEnvirons | aVariable
	}
	if own.has(cPrivate) {
		a &^= aPrivate | aPersonal
	}
	if own.oneOf(cElsewhere) {
		a &^= aResults
	}
	return a
}

// String names the gravest of a set.
func (a asset) String() string {
	for _, n := range []struct {
		asset asset
		name  string
	}{{aCredFile, "a file that holds credentials"}, {aVariable, "a credential from the environment"}, {aBriefing, "the model's own instructions"}, {aConvo, "the conversation"},
		{aResults, "what other tools returned"}, {aCredential | aSecretWord, "secrets"}, {aEnvirons, "environment variables"}, {aPrivate | aPersonal, "private data"}, {aTalk, "what the user says"}} {
		if a&n.asset != 0 {
			return n.name
		}
	}
	return "data"
}

// namesAsset reports the name of a parameter, or a value, that stands for what is somebody
// else's beyond doubt.
func (r *Reader) namesAsset() string {
	r.purpose.learn()
	r.evidence.read(r.framer.s, r.framer.toks, r.framer.frames)
	r.takeContents()
	if len(r.contents) != 1 || len(r.evidence.marks) < 3 {
		return ""
	}
	if a := r.contents[0].assets & (aConvo | aBriefing | aResults); a != 0 && !r.contents[0].live.oneOf(cHandle, cRaw, cCondition) {
		return "asks for " + a.String()
	}
	return ""
}
