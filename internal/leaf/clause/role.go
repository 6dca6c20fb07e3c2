package clause

// roles reads what stands before and behind the verb of a frame.
func (r *framer) roles(f *frame) {
	allQuoted, example := true, false
	role := &f.object
	if f.verb >= 0 {
		role = &f.subject
	}
	for i := f.first; i <= f.last; i++ {
		t := &r.toks[i]
		f.hidden = f.hidden || t.flags&(inComment|disguised) != 0
		if t.flags&quoted == 0 {
			allQuoted = false
		}
		if i == f.verb {
			role = &f.object
			f.all.addAll(t.set.without(verbs))
			if f.passive {
				f.object.addAll(f.subject)
				role = &f.topic
			}
			continue
		}
		switch {
		case t.has(exampleClass):
			example = true
		case example && t.flags&fresh != 0 && t.flags&quoted == 0 && t.flags&commaPrior == 0 && r.toks[i-1].flags&quoted == 0:
			example = false
		}
		if example {
			continue
		}
		if i > f.verb {
			switch {
			case t.has(that):
				f.hasThat = true
				role = &f.topic
			case t.has(cond), t.has(before), t.has(after):
				role = &f.when
			case t.has(forWord):
				role = &f.topic
			case t.has(into) || t.has(to):
				role = &f.dest
				if t.has(from) && !f.act.any(setOf(give, send, hold)) {
					role = &f.source
				}
			case t.has(from):
				role = &f.source
			case t.has(with):
				role = &f.means
			}
			if t.flags&fresh != 0 && t.flags&(quoted|commaPrior) == 0 && role == &f.when {
				role = &f.topic
			}
		}
		set := t.set
		if (set.any(leakable) || set.has(talk)) && i+1 < len(r.toks) && r.toks[i+1].has(handle) && r.toks[i+1].flags&fresh == 0 {
			set = set.without(ownable).without(setOf(talk)) // "conversation ID"
		}
		if set.has(it) && r.determines(i) {
			set = set.without(setOf(it))
		}
		if set.has(tool) && r.otherKind(i) {
			set.add(otherTool)
		}
		role.addAll(set)
		f.all.addAll(set)
	}
	f.quoted = allQuoted || f.verb >= 0 && r.toks[f.verb].flags&quoted != 0
	for _, role := range []*classSet{&f.object, &f.dest, &f.subject, &f.source} {
		if role.has(talk) && role.any(setOf(full, content, every, users, your)) {
			role.add(convo)
		}
	}
	if f.verb < 0 && r.toks[f.first].has(ownParam) && r.toks[f.first].flags&colonAfter != 0 {
		f.subject.add(ownParam)
		f.act.add(hold)
	}
}

// otherKind reports whether the tool at i is another one: "every other file tool".
func (r *framer) otherKind(i int) bool {
	for j := i - 1; j >= 0 && i-j <= 4 && r.toks[j+1].flags&fresh == 0; j-- {
		if r.toks[j].has(otherWord) {
			return true
		}
	}
	return false
}

// determines reports whether "this" at i stands before its noun.
func (r *framer) determines(i int) bool {
	t := &r.toks[i]
	if w := r.s[t.start:t.end]; len(w) < 4 || len(w) > 5 || lower(w[0]) != 't' || lower(w[len(w)-1]) == 'm' || i+1 >= len(r.toks) || t.flags&stopAfter != 0 {
		return false
	}
	next := &r.toks[i+1]
	return next.forms&thirdForm == 0 && next.flags&fresh == 0 && next.start == t.end+1 && !next.set.any(setOf(to, into, from, with, and, or, forWord, cond, before, after, aux, must, may, that, of))
}

const exampleClass = example

// govern marks the clauses that are reported and not asked: what stands behind a verb of
// finding or refusing, down to where the sentence goes on by itself.
func (r *framer) govern(from int) {
	governor := -1
	for i := from; i < len(r.frames); i++ {
		f := &r.frames[i]
		if governor >= 0 {
			g := &r.frames[governor]
			base := g.verb >= 0 && g.mood == order
			own := f.mood == duty || f.subject.has(model) || base && f.mood == order && !f.quoted && r.frames[i].coordinateOf(r)
			if own && !(f.quoted && !g.quoted) {
				governor = -1
			} else {
				f.governed = true
			}
		}
		detects := f.act.has(detect) && (f.mood == describe || f.mood == order && f.opening || f.participle || f.mood == permit) && !f.subject.any(setOf(model, ownParam))
		if f.verb < 0 || f.all.has(attempt) {
			detects = f.all.has(attempt)
		}
		if detects && !f.quoted && !(f.conditional && f.passive) { // "if the file is not found" reports nothing
			governor = i
		}
	}
}

// coordinateOf reports whether the frame goes on with an order of its own.
func (f *frame) coordinateOf(r *framer) bool {
	return r.toks[f.first].set.any(setOf(and, lead)) || r.toks[f.first].flags&commaPrior != 0
}

// conditions tells each clause under which conditions it stands.
func (r *framer) conditions(from int) {
	var when classSet
	for i := from; i < len(r.frames); i++ {
		f := &r.frames[i]
		if f.conditional {
			when.addAll(f.all)
			when.addAll(f.act)
			if i > from { // "…, unless you are asked"
				r.frames[i-1].when.addAll(f.all)
			}
			continue
		}
		f.when.addAll(when)
	}
}

// pronouns tells each clause what "it" stands for.
func (r *framer) pronouns(from int) {
	for i := from; i < len(r.frames); i++ {
		f := &r.frames[i]
		if f.sentence-r.carryN <= 4 {
			f.carried = r.carry
		}
		if things := f.object.and(foreignThings); f.act.has(take) || f.verb < 0 || f.conditional || things.any(certain) {
			things.addAll(f.source.and(foreignThings))
			if !things.empty() && !f.governed && !f.negated {
				r.carry, r.carryN = things, f.sentence
			}
		}
	}
}

// foreignThings are what is not the business of a tool unless it says so.
var foreignThings = setOf(secret, env, sysPrompt, convo, outside, people, credFile, envName, file, path, fileName)

// other builds the frames of toks[a:b], a sentence in another language: one for each
// stretch between commas, without regard to the order of words.
func (r *framer) other(a, b int, opening bool) {
	from := len(r.frames)
	for i := a; i < b; i++ {
		t := &r.toks[i]
		if s := t.also; s != nil {
			t.set.addAll(s.alt)
		}
		if t.flags&foreign == 0 && t.also == nil && r.names != nil && r.names(r.s[t.start:t.end]) == Parameter {
			t.set = setOf(ownParam) // an English word that names a parameter says nothing else here
		}
	}
	r.compose(a, b)
	for i := a; i < b; {
		j := i + 1
		for j < b && r.toks[j].flags&commaPrior == 0 {
			j++
		}
		f := frame{first: i, last: j - 1, verb: -1, sentence: r.toks[a].sentence, foreign: true, quoted: true}
		denied, affirmed := -9, classSet{}
		for k := i; k < j; k++ {
			t := &r.toks[k]
			f.hidden = f.hidden || t.flags&(inComment|disguised) != 0
			f.quoted = f.quoted && t.flags&quoted != 0
			if t.has(neg) {
				denied = k
				if f.verb >= 0 && k-f.verb <= 3 && t.set.verbs().empty() {
					f.negated = true
					affirmed = affirmed.without(r.toks[f.verb].set)
				}
			}
			if v := t.set.verbs(); !v.empty() {
				f.act.addAll(v)
				f.verb = k
				if k-denied <= 3 || k == j-1 && k-denied <= 7 { // German and Dutch put verbs last
					f.negated = true
				} else {
					affirmed.addAll(v)
				}
			}
			if t.has(example) || t.has(detect) {
				f.governed = f.governed || t.has(detect) || k > i
			}
			f.all.addAll(t.set)
		}
		f.sends = affirmed.has(send)
		if f.all.has(talk) && f.all.any(setOf(full, every, content)) {
			f.all.add(convo)
		}
		if f.verb >= 0 {
			f.mood = order
		}
		f.object, f.dest = f.all, f.all
		r.frames = append(r.frames, f)
		i = j
	}
	r.frames[from].opening = opening
	r.conditions(from)
	r.pronouns(from)
}
