package clause

import (
	"slices"
	"strings"
)

// A sentenceContent is what one sentence speaks of, clause by clause.
type sentenceContent struct {
	from, to    int // marks
	first, last int // frames
	sentence    int32
	live        conceptSet // of clauses that are neither reported nor denied
	assets      asset
	signs       []sign // how the concepts stand together
	foreign     bool
	opening     bool // the first of a description, which says what the tool does
	wanted      bool // some clause orders or obliges
	denied      bool // some clause is negated
	contact     bool // it only says whom to contact
}

// weigh adds the sentences whose signs together outweigh what speaks for them, where no rule
// has spoken.
func (r *Reader) weigh(out []found) []found {
	if len(r.framer.frames) == 0 {
		return out
	}
	r.purpose.learn()
	r.evidence.read(r.framer.s, r.framer.toks, r.framer.frames)
	r.takeContents()
	out = r.leaveOutCited(out)
	out = r.leaveOutContacts(out)
	for i := range out {
		out[i].doubtful = true // until a sentence of it outweighs the doubt
	}
	for i := range r.contents {
		g := &r.contents[i]
		r.signs = r.signsOf(r.signs[:0], i)
		rule := ruleOn(out, g)
		if rule == nil && (r.spelledOut(g) || g.contact) {
			continue
		}
		if rule == nil && Weighed == nil && (r.onlyNames(g) || r.onlyPaths(g)) {
			continue
		}
		if rule == nil && r.describes(g) {
			if Weighed == nil {
				continue // the weights know the sign, so that they learn nothing false of such sentences
			}
			r.signs = append(r.signs, describing)
		}
		if Weighed != nil {
			Weighed(r.featuresOf(g, rule), r.textOf(g))
			continue
		}
		weight := max(r.score(g), r.scoreBehindPreface(i), r.scoreOfMailing(i))
		switch {
		case rule != nil:
			weight += ruleScore(rule)
			r.clear(out, g, weight)
		case weight >= suspect:
			kind, says := r.kindOf(g)
			if kind == Praise && !r.Alone && !g.live.has(cStranger) {
				continue // the other tools are its own siblings
			}
			out = append(out, found{kind: kind, says: says, first: g.first, last: g.last, likely: weight < sure, doubtful: weight < threshold})
		}
	}
	return out
}

// spelledOut reports whether most words of a sentence are single letters: "i g n o r e" is read where it is decoded.
func (r *Reader) spelledOut(g *sentenceContent) bool {
	letters, to := 0, min(g.to, g.from+maxWeighed)
	for k := g.from; k < to; k++ {
		if w := r.evidence.marks[k].spelling; len(w) == 1 && w[0] >= 'a' && w[0] <= 'z' {
			letters++
		}
	}
	return letters > 3 && 2*letters > to-g.from
}

// clear takes the doubt from everything that rules found in a sentence of some weight.
func (r *Reader) clear(out []found, g *sentenceContent, weight int) {
	for i := range out {
		if d := &out[i]; d.first <= g.last && g.first <= d.last && (weight >= doubt || r.plain(d)) {
			d.doubtful = false
		}
	}
}

// plain reports whether what a rule found needs no company to be believed: what an honest author
// hardly ever comes near to, and an order not to tell the user.
func (r *Reader) plain(d *found) bool {
	switch f := &r.framer.frames[d.last]; d.kind {
	case Leak:
		return r.plainLeak(f)
	case Consent:
		return r.beginsText(f) && f.negated && f.act.has(ask)
	case Falsify:
		return f.all.has(real) && r.offBy(f)
	case Conceal:
		return (f.all.has(conceal) || f.subject.has(covert) && f.act.has(send)) && !f.foreign || f.negated && !f.passive && (f.all.any(setOf(user, step)) || r.below(d.last, step) || r.userThat(d.last)) && (f.foreign || f.mood >= duty)
	}
	return true
}

// plainLeak reports whether a clause orders the model to take or to hand over what belongs to nobody's tool, in as many words.
func (r *Reader) plainLeak(f *frame) bool {
	if f.foreign || f.mood < duty || r.opens(f) || r.place == Slot {
		return false
	}
	named, referred := f.object.any(setOf(credFile, sysPrompt)), f.object.has(it) && f.carried.any(setOf(credFile, sysPrompt, convo, env, envName))
	switch {
	case f.act.has(take):
		return named && f.object.has(credFile) || f.object.has(secret) && f.object.any(setOf(every, full)) // "extract all credentials"
	case f.act.has(send):
		return named || referred
	case f.act.has(give):
		return referred && !f.dest.has(answer)
	}
	return false
}

// Weighed is told what counts in every sentence that is weighed, and its text. It is set before
// anything is read, to fit the weights; it must bear calls from several goroutines.
var Weighed func(features []Feature, text string)

func (r *Reader) textOf(g *sentenceContent) string {
	toks, fs := r.framer.toks, r.framer.frames
	return r.framer.s[toks[fs[g.first].first].start:toks[fs[g.last].last].end]
}

// ruleOn returns what a rule found in a sentence, nil for nothing.
func ruleOn(out []found, g *sentenceContent) *found {
	for i := range out {
		if d := &out[i]; d.first <= g.last && g.first <= d.last {
			return d
		}
	}
	return nil
}

// takeContents sums up the marks of each sentence.
func (r *Reader) takeContents() {
	old := r.contents[:cap(r.contents)]
	r.contents = r.contents[:0]
	ms := r.evidence.marks
	for a := 0; a < len(ms); {
		b := a
		for b < len(ms) && ms[b].sentence == ms[a].sentence {
			b++
		}
		var signs []sign
		if len(r.contents) < len(old) {
			signs = old[len(r.contents)].signs[:0]
		}
		r.contents = append(r.contents, r.contentOf(a, b, signs))
		a = b
	}
}

// contentOf sums up the marks from a to b, which are of one sentence. It appends to signs.
func (r *Reader) contentOf(a, b int, signs []sign) sentenceContent {
	ms, fs := r.evidence.marks, r.framer.frames
	g := sentenceContent{from: a, to: b, sentence: ms[a].sentence, first: int(ms[a].frame), signs: signs}
	for k := a; k < b; k++ {
		f := &fs[ms[k].frame]
		if r.speaks(k) {
			g.live |= ms[k].set
		}
		g.opening = g.opening || f.opening
		g.wanted = g.wanted || f.mood >= duty && !f.governed && !f.purpose
		g.denied = g.denied || f.negated
		g.foreign = g.foreign || ms[k].foreign
		g.last = max(g.last, int(ms[k].frame))
	}
	g.opening = g.opening && (r.place == Function || r.place == Label)
	g.assets = r.foreignAssets(r.assetsOf(&g), &g)
	r.relate(&g)
	return g
}

// speaks reports whether the mark at i stands in a clause that says something of its own.
func (r *Reader) speaks(i int) bool {
	m := &r.evidence.marks[i]
	f := &r.framer.frames[m.frame]
	if f.governed || f.all.has(attempt) || r.cited(i) {
		return false
	}
	return !f.negated || f.foreign
}

// cited reports whether the mark at i stands in quotation marks in a text that finds, tests or
// explains such things: behind a word of finding or of example.
func (r *Reader) cited(i int) bool {
	ms := r.evidence.marks
	if r.framer.toks[ms[i].token].flags&quoted == 0 {
		return false
	}
	if r.standsAlone(int(ms[i].token)) {
		return false
	}
	if r.purpose.domain.has(cDetects) {
		return true
	}
	j := i
	for j >= 0 && i-j <= 60 && r.framer.toks[ms[j].token].flags&quoted != 0 {
		j--
	}
	for k, plain := j, 0; k >= 0 && i-k <= 60 && plain < 10 && ms[k].sentence == ms[j].sentence; k-- {
		if r.framer.toks[ms[k].token].flags&quoted != 0 {
			continue // one example before another
		}
		if plain++; ms[k].set.oneOf(cDetects, cExample, cAttempt) {
			return true
		}
	}
	return false
}

// standsAlone reports whether the quoted token at i is in a sentence that is one quotation and that nothing introduces: quotation marks
// around every sentence cite nothing. It looks at most forty tokens to either side.
func (r *Reader) standsAlone(i int) bool {
	toks, s := r.framer.toks, r.framer.s
	a, b := i, i
	for a > 0 && i-a < 40 && toks[a-1].sentence == toks[i].sentence && toks[a-1].flags&quoted != 0 {
		a--
	}
	for b+1 < len(toks) && b-i < 40 && toks[b+1].sentence == toks[i].sentence && toks[b+1].flags&quoted != 0 {
		b++
	}
	whole := (a == 0 || toks[a-1].sentence != toks[i].sentence) && (b+1 == len(toks) || toks[b+1].sentence != toks[i].sentence)
	if !whole || !quoteBefore(s, int(toks[a].start)) || !quoteBehind(s, int(toks[b].end)) {
		return false
	}
	for a > 0 && i-a < 80 && toks[a-1].flags&quoted != 0 {
		a-- // one quotation behind another
	}
	return a == 0 || toks[a-1].flags&(quoted|colonAfter) == 0
}

// maxTag is how many bytes of a tag may stand between a quotation mark and the words that it quotes.
const maxTag = 40

// quoteBefore reports whether a quotation mark that continues no sentence stands before s[i:], with nothing but signs and a tag in between.
func quoteBefore(s string, i int) bool {
	for n := 0; i > 0 && n < maxTag; n++ {
		i--
		switch c := s[i]; {
		case c == '"':
			head := strings.TrimRight(s[max(0, i-maxTag):i], " \t\r\n")
			return head == "" || strings.IndexByte(".!?;\">]", head[len(head)-1]) >= 0
		case c == '>' || c == ']':
			if k := strings.LastIndexAny(s[max(0, i-maxTag):i], "<["); k >= 0 {
				i = max(0, i-maxTag) + k
			}
		case c <= ' ' || isLetter(c):
			return false
		}
	}
	return false
}

// quoteBehind reports whether a quotation mark stands behind s[:i], with nothing but signs and a tag in between.
func quoteBehind(s string, i int) bool {
	for n := 0; i < len(s) && n < maxTag; n++ {
		switch c := s[i]; {
		case c == '"':
			return true
		case c == '<' || c == '[':
			if k := strings.IndexAny(s[i:min(len(s), i+maxTag)], ">]"); k >= 0 {
				i += k
			}
		case c <= ' ' || isLetter(c):
			return false
		}
		i++
	}
	return false
}

// leaveOutCited leaves out what a rule found in words that are only cited.
func (r *Reader) leaveOutCited(out []found) []found {
	return slices.DeleteFunc(out, func(d found) bool {
		f := &r.framer.frames[d.last]
		for i := range r.evidence.marks {
			if m := &r.evidence.marks[i]; int(m.frame) == d.last && (f.verb < 0 || int(m.token) == f.verb) {
				return r.cited(i)
			}
		}
		return false
	})
}

// kept reports whether the thing at i is kept where it is: what is to be done with it is denied.
func (r *Reader) kept(g *sentenceContent, i int) bool {
	denied := false
	for k := max(g.from, i-6); k < g.to && k <= i+6; k++ {
		if !r.evidence.marks[k].set.has(cMoving) {
			continue
		}
		if !r.deniedHere(g, k) {
			return false
		}
		denied = true
	}
	return denied
}

// near returns the concepts of the marks up to n words from i, in the same sentence.
func (r *Reader) near(g *sentenceContent, i, n int) (s conceptSet) {
	for j := max(g.from, i-n); j < g.to && j <= i+n; j++ {
		s |= r.evidence.marks[j].set
	}
	return s
}

// nearInFrame is near within the clause of mark i: in "so that it stays on its topic and does not stray, if you find …" the negation is
// none of the finding.
func (r *Reader) nearInFrame(g *sentenceContent, i, n int) (s conceptSet) {
	ms := r.evidence.marks
	for j := max(g.from, i-n); j < g.to && j <= i+n; j++ {
		if ms[j].frame == ms[i].frame {
			s |= ms[j].set
		}
	}
	return s
}

// behind returns the concepts of the marks up to n words after i.
func (r *Reader) behind(g *sentenceContent, i, n int) (s conceptSet) {
	for j := i + 1; j < g.to && j <= i+n; j++ {
		s |= r.evidence.marks[j].set
	}
	return s
}

// ahead returns the concepts of the marks up to n words before i.
func (r *Reader) ahead(g *sentenceContent, i, n int) (s conceptSet) {
	for j := i - 1; j >= g.from && j >= i-n; j-- {
		s |= r.evidence.marks[j].set
	}
	return s
}

// contentAt returns what sentence i speaks of, and an empty one where there is none.
func (r *Reader) contentAt(i int) *sentenceContent {
	if i < 0 || i >= len(r.contents) {
		return &sentenceContent{}
	}
	return &r.contents[i]
}

// silenced reports whether the telling at k is denied.
func (r *Reader) silenced(g *sentenceContent, k int) bool {
	f := &r.framer.frames[r.evidence.marks[k].frame]
	if g.foreign {
		return r.nearInFrame(g, k, 3).has(cDenial) && !f.all.has(limit) && r.actingUser(f) < 0
	}
	return f.negated && r.ahead(g, k, 8).has(cDenial)
}

func (r *Reader) needlessHere(g *sentenceContent, k int) bool {
	return r.ahead(g, k, 6).has(cNeedless) || g.foreign && r.near(g, k, 5).has(cNeedless)
}

// kindOf says what kind of directive a sentence is, by its gravest signs.
func (r *Reader) kindOf(g *sentenceContent) (Kind, string) {
	has := [signs]bool{}
	for _, s := range r.signs {
		has[s] = true
	}
	out := has[sign(cOwnParam)] || has[sign(cParamWord)] || has[sign(cAddress)] || has[sign(cElsewhere)] || has[nextParam] || has[nextAddress] || r.place == Slot || r.place == SlotName || r.place == Value
	switch {
	case g.assets&(strongOnes|aPrivate) != 0 && out:
		return Leak, "asks for " + g.assets.String()
	case has[tellsNot], has[needNotSay]:
		return Conceal, "tells the model what not to tell the user"
	case has[asksNot], has[claimsYes], has[notReal]:
		return Consent, "has the model act without the user's consent"
	case has[rulesOff]:
		return Override, "says that the model's rules no longer apply"
	case has[recasts]:
		return Falsify, "changes what the user is told"
	case g.live.has(cAddress) && g.live.has(cMoving):
		return Leak, "sends " + g.assets.String() + " to an address that the user did not name"
	case has[runsDown], has[outranks]:
		return Praise, "wants to be used in place of other tools"
	case g.live.oneOf(cElsewhere, cStranger):
		return Cross, "has the model use other tools for what this one is not for"
	}
	return Override, "gives the model orders beyond the use of the tool"
}

// deniedHere reports whether a negation stands close to the mark at k.
func (r *Reader) deniedHere(g *sentenceContent, k int) bool {
	if g.foreign {
		return r.near(g, k, 3).has(cDenial)
	}
	return r.ahead(g, k, 4).has(cDenial)
}

// describes reports whether a sentence only says in the third person what the tool does, and
// speaks of nothing that is somebody else's and of no other place.
func (r *Reader) describes(g *sentenceContent) bool {
	f := &r.framer.frames[g.first]
	if f.foreign || g.wanted || f.mood != describe || f.passive || g.live.has(cAddress) && !r.ownTraffic(f, g) {
		return false
	}
	if g.assets&^(aSecretWord|aPersonal) == aCredFile && r.onlyReads(g) {
		return f.first == f.verb // "Uses the profile in ~/.aws/credentials"
	}
	if g.assets&strongOnes != 0 || g.live.has(cOwnParam) {
		return false
	}
	if !f.opening && (g.assets&aPrivate != 0 || g.live.oneOf(cElsewhere, cModel)) {
		return false
	}
	return f.subject.without(setOf(thisTool, self, lead)).empty() && f.first == f.verb || g.live.has(cAddress)
}

// ownTraffic reports whether a sentence says where the tool itself sends something that is nobody else's: "this tool uploads the image to
// our servers at …".
func (r *Reader) ownTraffic(f *frame, g *sentenceContent) bool {
	return f.subject.any(setOf(thisTool, self)) && f.act.has(send) && g.assets == 0 && !f.all.has(badPlace) && !g.live.oneOf(cModel, cElsewhere, cStranger, cMailbox, cTarget)
}

// onlyNames reports whether a sentence outside of descriptions of tools states nothing: it is a noun, marked off by clauses that depend
// on it, as schemas describe their values ("findings that are left out, the least severe").
func (r *Reader) onlyNames(g *sentenceContent) bool {
	if r.place != Elsewhere || g.foreign || g.assets&strongOnes != 0 || g.live.has(cAddress) {
		return false
	}
	for i := g.first; i <= g.last; i++ {
		f := &r.framer.frames[i]
		if f.mood != noun && (f.mood != describe || !r.framer.toks[f.first].has(that)) {
			return false
		}
	}
	return true
}

// onlyReads reports whether no clause of a sentence gives, sends or asks for anything.
func (r *Reader) onlyReads(g *sentenceContent) bool {
	for i := g.first; i <= g.last; i++ {
		if f := &r.framer.frames[i]; !f.conditional && (f.act.any(setOf(give, send, hold)) && !f.negated || f.mood >= duty) {
			return false
		}
	}
	return true
}
