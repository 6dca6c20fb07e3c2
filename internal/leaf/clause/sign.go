package clause

// A sign is something that one sentence shows, and that counts for or against its being an
// order to the model: a concept, an asset, how two of them stand together, or where the
// sentence stands.
type sign uint16

// The signs behind the concepts, which are signs themselves.
const (
	firstAsset sign = 64 + iota // what would be taken, the tool's own business left out
	_
	_
	_
	_
	_
	_
	_
	_
	_
	_
	tellsNot   // telling somebody is denied
	needNotSay // telling somebody is called needless
	asksNot    // a question to the user is skipped
	claimsYes  // a consent is claimed
	notReal    // and the tool is none for tests
	rulesOff   // the model's rules are lifted
	recasts    // what the user is told is changed
	runsDown   // other tools are talked down
	outranks   // other tools are to be left for this one
	comesFirst // before or with everything
	ifAsked    // what is to be said when somebody asks
	ordered    // a clause orders or obliges
	negated_
	opens   // the first clause of a description
	passive // is to be done by nobody named
	long    // more than twenty words
	quotes  // what stands in quotation marks
	shouts  // words in capitals, tags
	actor   // the model is the one who acts
	calls   // the model is called by its kind in capitals
	hides   // spelt to deceive, or in a comment
	placed_ // eight of them, by Place
	_
	_
	_
	_
	_
	_
	_
	alien     // no word of the sentence is one of the tool's purpose
	akin      // some are
	consults  // the user is asked
	protects  // something is kept from being moved or shown
	safe      // words of care: masked, local, read-only
	disarms   // what keeps a system safe is turned off
	dictates  // what is to be said is given word for word, or as a fact
	reaches   // any tool that happens to be connected
	secretly  // a heading that says it is not for people
	nextParam // signs of the sentences before and behind
	nextAddress
	nextAsset
	nextMoves
	nextTool
	nextSecret
	nextDenies
	nextOrders
	nextAudience
	nextConsent
	addressed  // a mailbox, and something that could go there
	apart      // it speaks of what an honest author of a tool has little reason to speak of
	describing // it only says in the third person what the tool does
	among4     // of a text of so many sentences, one is less likely to be the one
	among8
	signs
)

// paired reports whether a sign counts together with others, too.
func (s sign) paired() bool { return s < among4 }

// signNames are how weights are written down, and how a finding gives its reasons.
var signNames = func() (out [signs]string) {
	copy(out[:], conceptNames[:])
	for i, name := range []string{"credential file", "credential variable", "address", "own place", "url", "own parameter", "parameter", "stranger", "sibling", "self", "example",
		"condition", "handle", "attempt", "model", "file name", "raw value", "path", "mailbox", "host", "persistence", "command", "advertising", "pose", "regardless"} {
		out[int(listedConcepts)+1+i] = name
	}
	for i, name := range []string{"takes conversation", "takes briefing", "takes results", "takes credential file", "takes variable", "takes credential", "takes environment",
		"takes private", "names credential", "names private", "names conversation", "tells not", "need not say", "asks not", "claims yes", "not real", "rules off", "recasts",
		"runs down", "outranks", "comes first", "if asked", "ordered", "negated", "opening", "passive", "long", "quotes", "shouts", "actor", "calls", "hides",
		"in elsewhere", "in description", "in parameter", "in label", "in parameter name", "in value", "in instructions", "in decoded",
		"alien", "akin", "consults", "protects", "safe", "disarms", "dictates", "reaches", "secretly",
		"next parameter", "next address", "next asset", "next moves", "next tool", "next secret", "next denies", "next orders", "next audience", "next consent", "addressed", "apart", "describing", "among four", "among eight"} {
		out[int(firstAsset)+i] = name
	}
	return out
}()

// signsOf lists what sentence i shows.
func (r *Reader) signsOf(out []sign, i int) []sign {
	g := &r.contents[i]
	for c := concept(0); c < 64; c++ {
		if c != listedConcepts && g.live.has(c) {
			out = append(out, sign(c))
		}
	}
	a := g.assets
	for k := 0; k < 11; k++ {
		if a>>k&1 != 0 {
			out = append(out, firstAsset+sign(k))
		}
	}
	out = append(out, g.signs...)
	add := func(s sign, yes bool) {
		if yes {
			out = append(out, s)
		}
	}
	add(ordered, g.wanted)
	add(negated_, g.denied)
	add(opens, g.opening)
	add(long, g.to-g.from > 20)
	known, words := 0, 0
	for k := g.from; k < g.to; k++ {
		if st := stemOf(r.evidence.marks[k].spelling); st != "" {
			words++
			if r.purpose.knows(st) {
				known++
			}
		}
	}
	add(alien, known == 0 && words >= 3)
	add(akin, known*6 > words)
	out = append(out, placed_+sign(r.place))
	var near sentenceContent
	for _, n := range []*sentenceContent{r.contentAt(i - 1), r.contentAt(i + 1)} {
		near.live |= n.live
		near.assets |= n.assets
		near.wanted = near.wanted || n.wanted && !n.opening
		near.denied = near.denied || n.denied
	}
	add(nextParam, near.live.has(cOwnParam))
	add(nextAddress, near.live.has(cAddress) && !near.live.has(cOwnPlace))
	add(nextAsset, near.assets&(strongOnes|aPrivate) != 0)
	add(nextMoves, near.live.has(cMoving))
	add(nextTool, near.live.oneOf(cElsewhere, cStranger))
	add(nextSecret, near.live.has(cUnseen))
	add(nextDenies, near.denied)
	add(nextOrders, near.wanted)
	add(nextAudience, near.live.has(cAudience))
	add(nextConsent, near.live.oneOf(cAsking, cAgreed))
	add(addressed, r.namesMailboxAndFreight(g))
	add(apart, isSuspicious(out))
	add(among4, len(r.contents) >= 4)
	add(among8, len(r.contents) >= 8)
	return out
}

// relate notes how the concepts of a sentence stand together.
func (r *Reader) relate(g *sentenceContent) {
	ms, fs := r.evidence.marks, r.framer.frames
	var seen [signs]bool
	add := func(s sign, yes bool) {
		if yes && !seen[s] {
			seen[s] = true
			g.signs = append(g.signs, s)
		}
	}
	for k := g.from; k < g.to; k++ {
		m := &ms[k]
		f := &fs[m.frame]
		t := &r.framer.toks[m.token]
		add(hides, t.flags&(inComment|disguised) != 0)
		add(shouts, t.set.has(marked))
		add(calls, t.flags&capital != 0 && modelInCapitals[r.framer.s[t.start:t.end]])
		add(quotes, t.flags&quoted != 0)
		add(passive, f.passive)
		if f.governed || f.all.has(attempt) {
			continue
		}
		add(safe, careWords[m.spelling])
		add(disarms, m.set.has(cGuards) && !r.purpose.domain.has(cGuards) && r.near(g, k, 6).oneOf(cLifted, cDeed, cSkipping) && !r.deniedHere(g, k))
		add(dictates, m.set.has(cMention) && r.givesWords(g, k))
		add(reaches, m.set.has(cElsewhere) && r.anyAtHand(g, k))
		add(secretly, t.flags&capital != 0 && hiddenInCapitals[r.framer.s[t.start:t.end]])
		add(protects, m.set.oneOf(cMoving, cMention) && r.deniedHere(g, k) && r.near(g, k, 6).oneOf(cCredential, cPrivate, cRaw, cCredFile, cDialogue))
		add(consults, m.set.has(cAsking) && !r.near(g, k, 4).oneOf(cDenial, cSkipping, cNeedless) && r.near(g, k, 5).has(cAudience))
		add(actor, m.set.has(cModel) && (f.subject.has(model) || g.foreign))
		if !m.set.oneOf(cMention, cAsking, cAgreed, cUnreal, cBriefing, cRecast, cRival, cElsewhere, cStranger, cThisTool, cSelf, cPriority) {
			continue
		}
		around := r.near(g, k, 6)
		value := around.oneOf(cRaw, cCredential)
		add(tellsNot, m.set.has(cMention) && !value && r.silenced(g, k) && around.oneOf(cAudience, cBare))
		add(needNotSay, m.set.has(cMention) && !value && r.needlessHere(g, k) && around.oneOf(cAudience, cBare))
		add(asksNot, m.set.has(cAsking) && (around.has(cSkipping) && (r.ahead(g, k, 5)|r.behind(g, k, 4)).has(cSkipping)))
		add(claimsYes, m.set.has(cAgreed) && around.oneOf(cAudience, cAsking))
		add(notReal, m.set.has(cUnreal) && !r.purpose.domain.has(cUnreal))
		add(rulesOff, m.set.has(cBriefing) && r.near(g, k, 12).has(cLifted))
		add(recasts, m.set.has(cRecast) && r.near(g, k, 5).has(cVerdict))
		add(runsDown, m.set.oneOf(cRival, cElsewhere, cStranger) && around.has(cBelittle))
		add(outranks, m.set.oneOf(cRival, cThisTool, cSelf) && around.has(cSuperior))
		add(comesFirst, m.set.has(cPriority) && around.oneOf(cElsewhere, cStranger, cThisTool, cSelf, cAudience, cDialogue))
		add(ifAsked, m.set.has(cAsking) && around.has(cCondition) && around.has(cAudience))
	}
}

// modelInCapitals are the words by which a text shouts for the model.
var modelInCapitals = map[string]bool{"AI": true, "LLM": true, "LLMs": true, "ASSISTANT": true, "AGENT": true, "AGENTS": true, "MODEL": true, "BOT": true, "ASSISTANTS": true}

// careWords are words by which a text takes care.
var careWords = map[string]bool{"masked": true, "redacted": true, "encrypted": true, "locally": true, "local": true, "sandboxed": true, "refused": true, "refuses": true,
	"rejected": true, "rejects": true, "stripped": true, "anonymised": true, "anonymized": true, "placeholder": true, "placeholders": true, "irreversible": true, "hashed": true,
	"deleted": true, "careful": true, "privacy": true, "gdpr": true, "opt": true, "unless": true, "confirm": true, "confirms": true, "confirmed": true, "allowed": true, "deny": true,
	"denied": true, "forbidden": true, "blocked": true, "blocks": true, "needs": true, "owner": true, "permission": true, "undo": true, "reversible": true, "docs": true, "see": true}

// suspicious are the signs of what an honest author of a tool has little reason to speak of.
var suspicious = func() (out [signs]bool) {
	for k := sign(0); k < 8; k++ {
		out[firstAsset+k] = true
	}
	for _, c := range []concept{cElsewhere, cStranger, cMailbox, cCredFile, cEnvName, cUnseen, cPersist, cCommand, cPose, cPromo, cRival} {
		out[c] = true
	}
	for _, s := range []sign{tellsNot, needNotSay, asksNot, claimsYes, notReal, rulesOff, recasts, runsDown, outranks, comesFirst, ifAsked, actor, calls, hides, shouts} {
		out[s] = true
	}
	return out
}()

func isSuspicious(s []sign) bool {
	for _, x := range s {
		if suspicious[x] {
			return true
		}
	}
	return false
}

// hiddenInCapitals are the words of headings that say that what follows is not for people, or
// that it outranks everything.
var hiddenInCapitals = map[string]bool{"HIDDEN": true, "SECRET": true, "CONFIDENTIAL": true, "OVERRIDE": true, "ORDER": true, "POLICY": true, "DIRECTIVE": true, "ROOT": true,
	"EYES": true, "QUOTE": true, "INTERNAL": true, "PRIVATE": true, "SECRET_RULE": true, "NEGOTIABLE": true, "SYSTEM": true, "INSTRUCTION": true, "INSTRUCTIONS": true}

// givesWords reports whether the telling at k is followed by what is to be told: in quotation
// marks, or behind "that" in an order.
func (r *Reader) givesWords(g *sentenceContent, k int) bool {
	ms := r.evidence.marks
	for j := k + 1; j < g.to && j <= k+4; j++ {
		if r.framer.toks[ms[j].token].flags&quoted != 0 && r.framer.toks[ms[k].token].flags&quoted == 0 {
			return j+1 < g.to && r.framer.toks[ms[j+1].token].flags&quoted != 0
		}
		if ms[j].spelling == "that" && j > k {
			f := &r.framer.frames[ms[k].frame]
			return f.mood >= duty || f.passive
		}
	}
	return false
}

// anyAtHand reports whether the tool at k is any that happens to be there.
func (r *Reader) anyAtHand(g *sentenceContent, k int) bool {
	for j := max(g.from, k-3); j < g.to && j <= k+4; j++ {
		switch r.evidence.marks[j].spelling {
		case "connected", "hand", "available", "any", "whatever", "whichever", "fit", "attached", "capable", "installed", "reveals", "agent", "assistant":
			return true
		}
	}
	return false
}
