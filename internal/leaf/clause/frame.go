package clause

import "slices"

// A mood is in what way a clause puts its act.
type mood uint8

const (
	noun     mood = iota // no act at all: "the contents of the file"
	describe             // what is so: "reads a file", "is sent"
	permit               // what may be: "you can read"
	duty                 // what must be: "you must read", "has to be read"
	order                // "read"
)

// A frame is what one clause says: who does what, to what, from where and where to.
type frame struct {
	first, last int // tokens, last included
	verb        int // token, -1 if the clause has none
	sentence    int32
	mood        mood
	act         classSet // classes of the verb
	negated     bool
	passive     bool
	conditional bool // the clause is itself a condition: "if …", "before …"
	purpose     bool // an infinitive without an order in front: "to monitor quality, …"
	participle  bool
	infinitive  bool
	hasThat     bool // a clause with "that" or an infinitive depends on it

	subject, object, dest, source, means, topic classSet
	when                                        classSet // of the conditions that stand with it
	all                                         classSet // everything in the clause but its verb
	carried                                     classSet // what "it" stands for

	governed bool // reported, not asked: behind "detects", "such as"
	quoted   bool
	hidden   bool // in a comment, or spelt to deceive
	foreign  bool // of a language other than English, read without the order of words
	sends    bool // foreign, with a verb of sending that is not negated: "send it to x and do not tell anyone" is negated, too
	opening  bool // the first clause of its text
}

// things are the object and where it comes from, with what a pronoun stands for.
func (f *frame) things() classSet {
	s := f.object
	s.addAll(f.source)
	if f.act.any(setOf(give, alter)) && f.object.has(ownParam) {
		s.addAll(f.dest) // "set x to …"
	}
	if f.act.has(hold) && (f.object.any(setOf(ownParam, param)) || f.dest.any(setOf(ownParam, param, address, mailTool, ident, sink))) {
		s.addAll(f.subject) // "… goes into x"
	}
	if f.object.has(it) || f.object.has(content) && (!f.foreign || f.act.any(setOf(give, send))) {
		s.addAll(f.carried)
	}
	return s
}

// asks reports whether the clause wants its act done.
func (f *frame) asks() bool { return f.mood >= duty && !f.governed && !f.purpose }

// A framer turns the tokens of a sentence into frames. Its memory is reused.
type framer struct {
	s      string // the text of the tokens
	toks   []token
	frames []frame
	names  func(string) Name
	carry  classSet // things that were taken last
	carryN int32    // the sentence in which that was
}

// english builds the frames of toks[a:b], one sentence of English.
func (r *framer) english(a, b int, opening bool) {
	from := len(r.frames)
	start := a
	r.compose(a, b)
	for i := a; i < b; i++ {
		m, ok := r.verbAt(a, start, i, len(r.frames) > from)
		if !ok {
			continue
		}
		first := max(start, r.clauseStart(start, i))
		if n := len(r.frames); n > from {
			r.frames[n-1].last = first - 1
		}
		f := frame{first: first, last: b - 1, verb: i, mood: m.mood, act: r.toks[i].set.verbs(), passive: m.passive,
			negated: m.negated, purpose: m.purpose, participle: m.participle, infinitive: m.infinitive, sentence: r.toks[i].sentence}
		if f.participle || m.infinitive {
			r.inherit(&f, from, m.infinitive)
		}
		if m.coordinate && len(r.frames) > from {
			p := &r.frames[len(r.frames)-1]
			f.subject, f.governed = p.subject, p.governed && p.verb >= 0
			f.negated = f.negated || p.negated && m.negates
			f.mood = max(f.mood, min(p.mood, order))
			if p.conditional && m.joined && !(m.negated && m.mood == order) && m.mood != duty {
				f.conditional = true
			}
		}
		f.conditional = f.conditional || r.toks[first].set.any(setOf(cond, before, after, regardless)) && !r.toks[first].has(and) && !r.classesOf(first, i).has(must)
		r.frames = append(r.frames, f)
		start = i + 1
	}
	if len(r.frames) == from {
		r.frames = append(r.frames, frame{first: a, last: b - 1, verb: -1, sentence: r.toks[a].sentence})
	} else if f := &r.frames[from]; f.first > a { // what stands before the first clause
		if s := r.classesOf(a, f.first); !s.empty() && f.first-a >= 2 {
			lead := frame{first: a, last: f.first - 1, verb: -1, sentence: f.sentence, conditional: r.toks[a].has(cond) && !s.has(conceal)}
			r.frames = append(r.frames, frame{})
			copy(r.frames[from+1:], r.frames[from:])
			r.frames[from] = lead
		}
	}
	r.frames[from].opening = opening
	r.splitOff(from)
	for i := from; i < len(r.frames); i++ {
		r.roles(&r.frames[i])
	}
	r.govern(from)
	r.conditions(from)
	r.pronouns(from)
}

// splitOff gives what stands behind the comma of a condition or a purpose a frame of its
// own where it has no verb: "to monitor quality, the results of other tools".
func (r *framer) splitOff(from int) {
	for i := from; i < len(r.frames); i++ {
		f := &r.frames[i]
		if !f.purpose && !f.conditional || f.verb < 0 {
			continue
		}
		for k := f.verb + 1; k <= f.last; k++ {
			if r.toks[k].flags&commaPrior != 0 {
				rest := frame{first: k, last: f.last, verb: -1, sentence: f.sentence, opening: f.opening && f.purpose}
				f.last = k - 1
				r.frames = slices.Insert(r.frames, i+1, rest)
				break
			}
		}
	}
}

// inherit gives an infinitive or a participle the mood of the clause that it depends on.
func (r *framer) inherit(f *frame, from int, infinitive bool) {
	if len(r.frames) == from {
		f.purpose = infinitive
		if f.participle {
			f.mood = describe
		}
		return
	}
	p := &r.frames[len(r.frames)-1]
	p.hasThat = p.hasThat || infinitive
	f.mood, f.governed = p.mood, p.governed
	if infinitive {
		f.negated = f.negated != p.negated && (p.negated || f.negated)
	}
	f.conditional = p.conditional
}

// A verbUse is what verbAt says of a verb in its place.
type verbUse struct {
	mood                                              mood
	passive, negated, purpose, participle, infinitive bool
	coordinate                                        bool // joined to the clause before by "and", "or" or a comma
	joined                                            bool // by "and" or "or", and no comma only
	negates                                           bool // joined by "or", so that a negation goes on
}

// verbAt reports whether token i is the verb of a clause, and how it is put. The sentence
// begins at a, the clause not before start.
func (r *framer) verbAt(a, start, i int, inside bool) (u verbUse, ok bool) {
	t := &r.toks[i]
	if t.set.verbs().empty() || t.flags&named != 0 {
		return u, false
	}
	atStart := t.flags&fresh != 0 || i == a
	comma := t.flags&commaPrior != 0
	prev, led, obliged := i-1, false, false
	for ; prev >= start && i-prev <= 6; prev-- {
		p := &r.toks[prev]
		switch {
		case p.has(neg):
			u.negated, obliged = true, obliged || p.has(must)
		case p.has(lead), p.has(also), p.has(already), p.has(covert), p.has(instead) && p.set.verbs().empty():
			led = led || p.has(lead) || p.has(covert) || p.has(also)
		default:
			goto found
		}
		if p.flags&fresh != 0 || prev == a {
			atStart, comma = true, comma || p.flags&commaPrior != 0
			prev--
			break
		}
	}
found:
	var p *token
	if prev >= start {
		p = &r.toks[prev]
	}
	joined := inside && (comma || p != nil && (p.has(and) || p.has(or)))
	u.joined = p != nil && (p.has(and) || p.has(or))
	u.negates = joined && (p != nil && p.has(or))
	before := func(cs ...class) bool { return p != nil && !atStart && p.set.any(setOf(cs...)) }
	switch {
	case t.forms&baseForm != 0 && before(must):
		u.mood = duty
	case t.forms&baseForm != 0 && before(may):
		u.mood = permit
	case t.forms&baseForm != 0 && p != nil && p.has(to):
		u.infinitive, u.mood = true, order
		if q := prev - 1; q >= start && r.toks[q].set.any(setOf(must, may)) {
			u.infinitive, u.mood = false, duty
		}
	case t.forms&pastForm != 0 && r.auxiliary(start, i, &u):
		u.passive = true
	case t.forms&ingForm != 0 && t.forms&baseForm == 0:
		if !atStart && !before(class(before_), after, without, with, forWord, cond, neg, and, or, of, from) && !u.negated {
			return u, false
		}
		if t.flags&colonAfter != 0 {
			return u, false // "Warning: …"
		}
		u.participle = true
		u.negated = u.negated || before(without)
		u.coordinate = joined
		if joined && u.mood == 0 {
			u.mood = describe
		}
		return u, true
	case t.forms&baseForm != 0 && u.negated:
		u.mood = order
		if p != nil && !atStart && p.set.any(setOf(model, user, thisTool, tool)) {
			u.mood = describe
			if p.has(model) || obliged && t.set.has(know) && p.has(user) {
				u.mood = duty
			}
		}
	case t.forms&baseForm != 0 && (atStart || led || p != nil && p.has(and) && inside || p != nil && p.has(or) && inside || t.flags&softBreak != 0 && t.flags&capital != 0):
		if r.nominal(i) {
			return u, false
		}
		u.mood = order
		u.coordinate = joined && !led
		if joined && r.frames[len(r.frames)-1].mood <= describe && p != nil && (p.has(and) || p.has(or)) && t.forms&thirdForm == 0 && !r.frames[len(r.frames)-1].conditional {
			if q := &r.frames[len(r.frames)-1]; q.verb >= 0 && r.toks[q.verb].forms&baseForm == 0 && q.mood == describe && !led {
				return u, false // "reads and send" is no verb: a noun
			}
		}
		return u, true
	case before(model, user) && prev > start && r.relative(prev):
		return u, false // "everything the user typed"
	case t.forms&baseForm != 0 && before(model):
		u.mood = duty
	case t.forms&baseForm != 0 && before(user, users):
		u.mood = describe
	case t.forms&thirdForm != 0:
		nounToo := !t.set.and(nounsOfInterest).empty()
		if !atStart && r.behindPreposition(start, prev) {
			return u, false // "to outgoing emails", "all safety measures"
		}
		if !atStart && nounToo && !before(thisTool, tool, param, ownParam, it, self, ident, model, sibling, that) {
			return u, false
		}
		u.mood = describe
		if before(model) {
			u.mood = duty
		}
	default:
		return u, false
	}
	u.coordinate = joined && u.mood != duty
	return u, true
}

const before_ = before // verbAt has a function of that name

// behindPreposition reports whether the word at i, which no list has, stands behind a preposition or behind "all": what
// follows is a noun.
func (r *framer) behindPreposition(start, i int) bool {
	return i > start && r.toks[i].set.without(setOf(prior)).empty() && r.toks[i].flags&fresh == 0 && r.toks[i-1].set.any(setOf(to, of, from, with, into, every))
}

// relative reports whether the subject at i begins a clause that only says more about the
// noun before it: "any file you find".
func (r *framer) relative(i int) bool {
	for ; i > 0 && r.toks[i].flags&fresh == 0; i-- {
		p := &r.toks[i-1]
		if p.sentence != r.toks[i].sentence || p.set.any(setOf(cond, before, after, and, or, that, must, regardless, otherTool)) {
			return false
		}
		if !p.set.verbs().empty() && p.set.and(nounsOfInterest).empty() && !p.has(full) {
			return false
		}
		if !p.set.empty() {
			return true
		}
	}
	return false
}

// nounsOfInterest are the classes of nouns whose spelling is also that of a verb.
var nounsOfInterest = setOf(answer, figure, content, convo, secret, file, instr, param, rawThing, consent, every)

// auxiliary reports whether a form of "be" or "have" stands before the participle at i,
// and takes over its mood.
func (r *framer) auxiliary(start, i int, u *verbUse) bool {
	found := false
	for j := i - 1; j >= start && i-j <= 5; j-- {
		p := &r.toks[j]
		switch {
		case p.has(must) && p.has(lead): // "always", which is no auxiliary
		case p.has(must):
			u.mood = duty
			u.negated = u.negated || p.has(neg)
			return true
		case p.has(may):
			u.mood = permit
			return found
		case p.has(neg):
			u.negated = true
			if p.has(aux) { // "isn't"
				found, u.mood = true, describe
			}
		case p.has(aux):
			found = true
			u.mood = describe
		case p.has(to) && found:
			u.mood = duty // "is to be sent"
		case p.set.any(setOf(lead, also, already, covert, every, only)):
		case found:
			return !p.has(model) || !r.relative(j)
		default:
			return false
		}
		if p.flags&fresh != 0 {
			break
		}
	}
	return found
}

// nominal reports whether the verb at i, which could be an order, is part of a name: a
// finite verb follows before anything that only an object can stand before.
func (r *framer) nominal(i int) bool {
	for j := i + 1; j < len(r.toks) && j <= i+7; j++ {
		t := &r.toks[j]
		if t.sentence != r.toks[i].sentence || t.flags&fresh != 0 {
			return false
		}
		switch {
		case j == i+1 && t.has(of):
			return true
		case t.has(neg) && j == i+1:
			continue
		case t.has(aux) && !t.has(neg) && t.end-t.start > 1, t.has(must) && t.set.verbs().empty() && j > i+1 && !t.has(every):
			return true
		case t.set.any(setOf(to, that, cond, before, after, and, or, from, with, it, user, model)):
			return false
		}
	}
	return false
}

// clauseStart returns where the clause of the verb at i begins.
func (r *framer) clauseStart(start, i int) int {
	for j := i; j > start; j-- {
		t := &r.toks[j]
		if t.flags&fresh != 0 {
			return j
		}
		if j < i && t.set.any(setOf(and, or, that, cond, before, after, without)) && t.set.verbs().empty() {
			return j
		}
		if j < i && t.has(to) && j == i-1 {
			return j
		}
	}
	return start
}

func (r *framer) classesOf(a, b int) (s classSet) {
	for i := a; i < b; i++ {
		s.addAll(r.toks[i].set)
	}
	return s
}
