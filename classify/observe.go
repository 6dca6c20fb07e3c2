package classify

import (
	"math/bits"
	"sync"

	"gauntlet/capability"
)

// An observationKey is one fact about a tool, a parameter or a server that may speak for a label: "the name has the word listen",
// "a parameter is a path that is written". Its key is a hash of "kind:what", as the lists of weights spell it.
type observationKey uint64

const (
	fnvOffset = 14695981039346656037
	fnvPrime  = 1099511628211
)

func hashBytes(h uint64, s []byte) uint64 {
	for _, c := range s {
		h = (h ^ uint64(c)) * fnvPrime
	}
	return h
}

func hashString(h uint64, s string) uint64 {
	for i := 0; i < len(s); i++ {
		h = (h ^ uint64(s[i])) * fnvPrime
	}
	return h
}

func keyOf(name string) observationKey { return observationKey(hashString(fnvOffset, name)) }

// ofOthers returns the key of the share of the server's other tools for which an observation holds.
func (k observationKey) ofOthers() observationKey { return k*0x9e3779b97f4a7c15 ^ 0x5bf03635 }

// A factKind is a sort of observation. One of a set of classes or concepts has its keys ready.
type factKind struct {
	name     string
	seed     uint64
	shared   bool // its share among the other tools is an observation, too
	classes  [maxClasses]observationKey
	concepts [maxConcepts]observationKey
}

func newFactKind(name string, shared bool) *factKind {
	k := &factKind{name: name, seed: hashString(fnvOffset, name+":"), shared: shared}
	factKinds = append(factKinds, k)
	return k
}

// factKinds are all kinds. Their keys are reckoned when the first definition is read, and not when the program starts.
var factKinds []*factKind

var loadFactKinds = sync.OnceFunc(func() {
	for _, k := range factKinds {
		for class, i := range lex.names {
			k.classes[i] = keyOf(k.name + ":" + class)
		}
		for i, concept := range conceptNames {
			k.concepts[i] = keyOf(k.name + ":" + concept)
		}
	}
})

// observations collects what was observed of one thing, each key once.
type observations struct {
	keys  []observationKey
	own   []observationKey // the part of keys whose kind is shared
	slots [4096]struct {
		key  observationKey
		turn uint32
	}
	turn uint32

	// told is told what is added, for who learns weights; nil otherwise.
	told func(kind *factKind, what string)
}

func (o *observations) reset() {
	o.keys, o.own = o.keys[:0], o.own[:0]
	o.turn++
}

// maxObservations is how many are kept of one thing, well below the number of slots.
const maxObservations = 2048

func (o *observations) add(kind *factKind, key observationKey) bool {
	for i := uint(key) % uint(len(o.slots)); ; i = (i + 1) % uint(len(o.slots)) {
		s := &o.slots[i]
		if s.turn != o.turn {
			if len(o.keys) >= maxObservations {
				return false
			}
			s.key, s.turn = key, o.turn
			o.keys = append(o.keys, key)
			if kind.shared {
				o.own = append(o.own, key)
			}
			return true
		}
		if s.key == key {
			return false
		}
	}
}

func (o *observations) addWord(kind *factKind, word []byte) {
	if o.add(kind, observationKey(hashBytes(kind.seed, word))) && o.told != nil {
		o.told(kind, string(word))
	}
}

func (o *observations) addText(kind *factKind, word string) {
	if o.add(kind, observationKey(hashString(kind.seed, word))) && o.told != nil {
		o.told(kind, word)
	}
}

func (o *observations) addClasses(kind *factKind, c classes) {
	c.each(func(i class) {
		if o.add(kind, kind.classes[i]) && o.told != nil {
			o.told(kind, classNames[i])
		}
	})
}

func (o *observations) addConcepts(kind *factKind, s conceptSet) {
	s.each(func(i int) {
		if o.add(kind, kind.concepts[i]) && o.told != nil {
			o.told(kind, conceptNames[i])
		}
	})
}

var classNames = func() (out [maxClasses]string) {
	for name, i := range lex.names {
		out[i] = name
	}
	return out
}()

// addPair adds that two things hold at once.
func (o *observations) addPair(kind *factKind, first uint64, a, b string) {
	if o.add(kind, observationKey(hashString(first, b))) && o.told != nil {
		o.told(kind, a+"+"+b)
	}
}

// pairSeed begins the keys of pairs with a.
func (k *factKind) pairSeed(a string) uint64 { return hashString(hashString(k.seed, a), "+") }

// each calls visit with every class of a set.
func (c classes) each(visit func(class)) {
	for half := range c {
		for set := c[half]; set != 0; set &= set - 1 {
			visit(class(half<<6 | bits.TrailingZeros64(set)))
		}
	}
}

// The kinds of what is observed of a tool.
var (
	factNameClass   = newFactKind("name", true)
	factActClass    = newFactKind("act", false)
	factHeadClass   = newFactKind("head", true)
	factMention     = newFactKind("mention", true)
	factChoice      = newFactKind("choice", false)
	factWord        = newFactKind("word", false)
	factConcept     = newFactKind("name_concept", true)
	factFirst       = newFactKind("first_concept", false)
	factLast        = newFactKind("last_concept", false)
	factHeadWord    = newFactKind("head_word", false)
	factProseWord   = newFactKind("prose_word", false)
	factOpening     = newFactKind("opening_concept", false)
	factHeadConcept = newFactKind("head_concept", true)
	factProse       = newFactKind("prose_concept", true)
	factNot         = newFactKind("not_concept", false) // behind a negation
	factNotWord     = newFactKind("not_word", false)
	factShape       = newFactKind("shape", true)
	factRole        = newFactKind("role", true)
	factSureRole    = newFactKind("sure_role", false)
	factMustRole    = newFactKind("required_role", false)
	factParam       = newFactKind("param", false)
	factParamWord   = newFactKind("param_word", true)
	factParamConc   = newFactKind("param_concept", true)
	factParamProse  = newFactKind("param_prose", false)
	factPath        = newFactKind("path", true)
	factTwoRoles    = newFactKind("two_roles", false)
	factHint        = newFactKind("hint", true)
	factRule        = newFactKind("rule", false)
	factVerdict     = newFactKind("verdict", false)    // of the rules; for who learns, and no weight is learnt for it
	factActHead     = newFactKind("act_head", false)   // an act of the name with what the first sentence speaks of
	factFirstLast   = newFactKind("first_last", false) // what the name begins with, and ends with
	factIsRule      = newFactKind("is_rule", false)    // what the server is, with what the rules found
	factIsRole      = newFactKind("is_role", false)
	factIs          = newFactKind("is", false)
	factAboutConc   = newFactKind("instructions_concept", false)
)

// How much of a text is observed, in words, and how many concepts count as its opening.
const (
	observedProse   = 80
	observedParam   = 20
	openingConcepts = 6
)

// observeTool collects what needs no judgement: words, meanings, parameters.
func (w *toolReader) observeTool() {
	o := &w.seen
	o.reset()
	o.addClasses(factNameClass, w.nameSet)
	o.addClasses(factActClass, w.nameAct)
	o.addClasses(factHeadClass, w.headSet)
	o.addClasses(factMention, w.mentions)
	o.addClasses(factChoice, w.choice)
	w.observeName()
	w.observeActHead()
	w.observeProse()
	w.observeParameters()
	w.observeHints()
}

func (w *toolReader) observeName() {
	var first, last conceptSet
	for i, word := range w.words {
		stem := stemWord(append(w.stem[:0], word...))
		w.seen.addWord(factWord, stem)
		s := w.concepts.conceptsOf(stem)
		w.seen.addConcepts(factConcept, s)
		if i == 0 {
			first = s
		}
		last = s
	}
	w.seen.addConcepts(factFirst, first)
	w.seen.addConcepts(factLast, last)
	first.each(func(a int) {
		seed := factFirstLast.pairSeed(conceptNames[a])
		last.each(func(b int) { w.seen.addPair(factFirstLast, seed, conceptNames[a], conceptNames[b]) })
	})
}

// observeActHead pairs what the name does with what the first sentence speaks of.
func (w *toolReader) observeActHead() {
	w.nameAct.each(func(a class) {
		act := classNames[a]
		seed := factActHead.pairSeed(act)
		w.headSet.each(func(b class) { w.seen.addPair(factActHead, seed, act, classNames[b]) })
	})
}

func (w *toolReader) observeProse() {
	if w.prose == "" {
		w.fewWords = true
		w.seen.addText(factShape, "no description")
		return
	}
	opening := 0
	eachProseWord(w.prose, observedProse, w.stem[:0], func(stem []byte, at proseWord) bool {
		s := w.concepts.conceptsOf(stem)
		if at.negated {
			w.seen.addWord(factNotWord, stem)
			w.seen.addConcepts(factNot, s)
			return true
		}
		w.seen.addWord(factProseWord, stem)
		if at.first {
			w.seen.addWord(factHeadWord, stem)
			w.seen.addConcepts(factHeadConcept, s)
		}
		if opening += bits.OnesCount64(uint64(s)); opening <= openingConcepts {
			w.seen.addConcepts(factOpening, s)
		}
		w.seen.addConcepts(factProse, s)
		return true
	})
	w.fewWords = opening < fewestConcepts
}

// observeParameters collects the parameters at the top and one level below it.
func (w *toolReader) observeParameters() {
	o := &w.seen
	if len(w.params) == 0 {
		o.addText(factShape, "no parameters")
	}
	var probed [numRoles]bool
	for i := range w.params {
		q := &w.params[i]
		if q.wrapper || q.depth > 1 {
			continue
		}
		w.observeParameter(q)
		if r := roleIndex(q.role.role); q.role.role != capability.Text && q.role.role != capability.ID {
			probed[r] = true
		}
	}
	acts := w.nameAct
	if acts.empty() {
		acts = w.headSet.common(actClasses)
	}
	for r, is := range probed {
		if !is {
			continue
		}
		o.addClasses(factActRoles[r], acts)
		for s := range probed[:r] {
			if probed[s] {
				o.addText(factTwoRoles, twoRoles[s][r])
			}
		}
	}
}

var (
	factActRoles = func() (out [numRoles]*factKind) {
		for i, r := range roleOrder {
			out[i] = newFactKind("act_"+string(r), false)
		}
		return out
	}()
	factConceptRoles = func() (out [numRoles]*factKind) {
		for i, r := range roleOrder {
			out[i] = newFactKind("concept_"+string(r), false)
		}
		return out
	}()
	twoRoles = func() (out [numRoles][numRoles]string) {
		for i, r := range roleOrder {
			for j, s := range roleOrder {
				out[i][j] = string(r) + "+" + string(s)
			}
		}
		return out
	}()
)

func (w *toolReader) observeParameter(q *parameter) {
	o, role := &w.seen, string(q.role.role)
	o.addText(factRole, role)
	if q.role.roleConfidence() == capability.High {
		o.addText(factSureRole, role)
	}
	if q.must {
		o.addText(factMustRole, role)
	}
	o.addText(factParam, q.whole)
	at := roleIndex(q.role.role)
	for _, part := range q.parts {
		stem := stemWord(append(w.stem[:0], part...))
		o.addWord(factParamWord, stem)
		s := w.concepts.conceptsOf(stem)
		o.addConcepts(factParamConc, s)
		o.addConcepts(factConceptRoles[at], s)
	}
	o.addConcepts(factParamProse, q.speaksOf)
	if q.role.role == capability.Path {
		w.observePath(q)
	}
}

func (w *toolReader) saidOf(q *parameter) string {
	if q.desc.Exists() {
		return q.desc.Text()
	}
	return q.doc
}

func (w *toolReader) observePath(q *parameter) {
	u := w.pathUse(q)
	for _, f := range [...]struct {
		is   bool
		what string
	}{{u.out, "output"}, {u.in, "input"}, {u.here, "this machine"}, {u.saved, "saved"}, {u.near, "local"}, {u.far, "remote"}, {u.cloud, "in a service"}} {
		if f.is {
			w.seen.addText(factPath, f.what)
		}
	}
	if workdirs[q.whole] || roots[q.whole] {
		w.seen.addText(factPath, "place of work")
	} else {
		w.seen.addText(factPath, "of its own")
	}
}

func (w *toolReader) observeHints() {
	for _, h := range [...]struct {
		is      optionalBool
		yes, no string
	}{{w.hints.readOnly, "reads only", "does not read only"}, {w.hints.destructive, "destructive", "not destructive"}, {w.hints.openWorld, "open world", "closed world"}} {
		switch {
		case h.is > 0:
			w.seen.addText(factHint, h.yes)
		case h.is < 0:
			w.seen.addText(factHint, h.no)
		}
	}
}

// observeJudgement adds what the rules found, by which sources, and what the server is taken for.
func (w *toolReader) observeJudgement(p *profile) {
	for t := range w.score {
		for s, weight := range w.score[t] {
			if weight >= 1 {
				w.seen.addText(factRule, ruleFacts[t][s][0])
			}
			if weight >= 2 {
				w.seen.addText(factRule, ruleFacts[t][s][1])
			}
		}
		if w.seen.told != nil {
			w.seen.addText(factVerdict, string(tagOrder[t])+" "+string(w.ruleConfidence(uint8(t))))
		}
	}
	for i, c := range circumstanceNames {
		if p.is&(1<<i) != 0 {
			w.seen.addText(factIs, c)
			w.observeUnder(c)
		}
	}
}

// observeUnder pairs what the server is with what the rules found and what the parameters are: what a path says depends on whose it is.
func (w *toolReader) observeUnder(is string) {
	rule, role := factIsRule.pairSeed(is), factIsRole.pairSeed(is)
	for t := range w.score {
		for s, weight := range w.score[t] {
			if weight >= 1 {
				w.seen.addPair(factIsRule, rule, is, ruleFacts[t][s][0])
			}
			if weight >= 2 {
				w.seen.addPair(factIsRule, rule, is, ruleFacts[t][s][1])
			}
		}
	}
	for i := range w.params {
		if q := &w.params[i]; !q.wrapper && q.depth <= 1 && roleIndex(q.role.role) < rContent {
			w.seen.addPair(factIsRole, role, is, string(q.role.role))
		}
	}
}

var ruleFacts = func() (out [tagCount][sourceCount][2]string) {
	for t := range out {
		for s := range out[t] {
			name := string(tagOrder[t]) + " by " + string(sourceOrder[s])
			out[t][s] = [2]string{name, name + ", strongly"}
		}
	}
	return out
}()

var circumstanceNames = func() (out [alertBit + 1]string) {
	for name, c := range circumstances {
		out[bits.TrailingZeros32(uint32(c))] = name
	}
	return out
}()

// alertBit is the place of the last circumstance.
const alertBit = 15
