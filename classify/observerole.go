package classify

import "gauntlet/capability"

// The kinds of what is observed of a parameter, for its role.
var (
	roleWhole    = newFactKind("r_param", false)
	roleWord     = newFactKind("r_word", false)
	roleConcept  = newFactKind("r_concept", false)
	roleFirst    = newFactKind("r_first_word", false)
	roleLast     = newFactKind("r_last_word", false)
	roleLastConc = newFactKind("r_last_concept", false)
	roleShape    = newFactKind("r_shape", false)
	roleFormat   = newFactKind("r_format", false)
	roleRule     = newFactKind("r_rule", false)
	roleOpening  = newFactKind("r_opening_word", false)
	roleOpenConc = newFactKind("r_opening_concept", false)
	roleProse    = newFactKind("r_prose_word", false)
	roleProsConc = newFactKind("r_prose_concept", false)

	roleToolWord  = newFactKind("r_tool_word", false)
	roleToolConc  = newFactKind("r_tool_concept", false)
	roleToolFirst = newFactKind("r_tool_first_concept", false)
	roleToolHead  = newFactKind("r_tool_head_word", false)
	roleToolHeadC = newFactKind("r_tool_head_concept", false)
	roleToolAct   = newFactKind("r_tool_act", false)
	roleToolName  = newFactKind("r_tool_name", false)
	roleToolHeads = newFactKind("r_tool_head", false)
)

// observeForRoles collects what the tool says that bears on all of its parameters.
func (w *toolReader) observeForRoles() {
	o := &w.seen
	o.reset()
	for i, word := range w.words {
		stem := stemWord(append(w.stem[:0], word...))
		o.addWord(roleToolWord, stem)
		s := w.concepts.conceptsOf(stem)
		o.addConcepts(roleToolConc, s)
		if i == 0 {
			o.addConcepts(roleToolFirst, s)
		}
	}
	eachProseWord(w.prose, observedProse/2, w.stem[:0], func(stem []byte, at proseWord) bool {
		if at.first {
			o.addWord(roleToolHead, stem)
			o.addConcepts(roleToolHeadC, w.concepts.conceptsOf(stem))
		}
		return at.first
	})
	o.addClasses(roleToolAct, w.nameAct)
	o.addClasses(roleToolName, w.nameSet)
	o.addClasses(roleToolHeads, w.headSet)
}

var kindNames = [...]string{"any type", "string", "number", "boolean", "object"}

// observeForRole collects what one parameter is called, what is said of it, and what the rules take it for.
func (w *toolReader) observeForRole(q *parameter) {
	o := &w.seen
	o.reset()
	o.addText(roleWhole, q.whole)
	for i, part := range q.parts {
		stem := stemWord(append(w.stem[:0], part...))
		s := w.concepts.conceptsOf(stem)
		o.addWord(roleWord, stem)
		o.addConcepts(roleConcept, s)
		switch {
		case i == len(q.parts)-1:
			o.addWord(roleLast, stem)
			o.addConcepts(roleLastConc, s)
		case i == 0:
			o.addWord(roleFirst, stem)
		}
	}
	o.addText(roleShape, kindNames[q.kind])
	for _, f := range [...]struct {
		is   bool
		what string
	}{{q.list, "list"}, {q.must, "required"}, {q.closed, "fixed values"}} {
		if f.is {
			o.addText(roleShape, f.what)
		}
	}
	if q.format != "" {
		o.addText(roleFormat, q.format)
	}
	w.observeRoleRule(&q.role)
	n := 0
	q.speaksOf = 0
	eachProseWord(w.saidOf(q), cueWords, w.stem[:0], func(stem []byte, at proseWord) bool {
		s := w.concepts.conceptsOf(stem)
		if n++; n <= 5 {
			o.addWord(roleOpening, stem)
			o.addConcepts(roleOpenConc, s)
		}
		if n <= observedParam && !at.negated {
			q.speaksOf |= s
		}
		o.addWord(roleProse, stem)
		o.addConcepts(roleProsConc, s)
		return true
	})
}

func (w *toolReader) observeRoleRule(r *roleScore) {
	facts := &roleFacts[roleIndex(r.role)]
	w.seen.addText(roleRule, facts[0])
	switch r.roleConfidence() {
	case capability.High:
		w.seen.addText(roleRule, facts[1])
	case capability.Medium:
		w.seen.addText(roleRule, facts[2])
	}
	for i, is := range [...]bool{r.name > 0, r.name > 1, r.desc > 0} {
		if is {
			w.seen.addText(roleRule, facts[3+i])
		}
	}
}

var roleFacts = func() (out [numRoles][6]string) {
	for i, r := range roleOrder {
		for j, how := range [...]string{"", " surely", " likely", " by name", " plainly by name", " by description"} {
			out[i][j] = string(r) + how
		}
	}
	return out
}()
