package classify

import (
	"slices"
	"strings"

	"gauntlet/capability"
)

// A parameterClaim is what one parameter says for tags.
type parameterClaim struct {
	w        *toolReader
	s        signal
	strength int8
	backed   bool // plainly a path, so that the act of the name counts beside it
}

// support gives a tag at most this weight.
func (c *parameterClaim) support(tag uint8, weight int8) {
	c.s.tag, c.s.weight = tag, min(weight, c.strength)
	c.w.addSignal(c.s)
	if c.backed {
		c.w.supportByName(tag)
	}
}

// scoreParameters lets the roles of parameters speak. The act decides between reading and writing.
func (w *toolReader) scoreParameters(p *profile) {
	reads := w.hasAct(readActs)
	changes := w.hasAct(changeActs)
	for i := range w.params {
		q := &w.params[i]
		strength := int8(1)
		if q.role.name >= 2 || q.role.desc >= 2 {
			strength = 2
		}
		give := parameterClaim{w: w, s: signal{source: byParameter, weight: strength, value: q.key, kind: "param", text: q.name}, strength: strength}
		switch q.role.role {
		case capability.Path:
			w.scorePath(q, p, &give)
		case capability.URL:
			if p.is&browser != 0 && !w.hasAct(openActs) {
				give.support(tNet, 1)
			} else if w.hasAct(travelActs) && !w.hasAct(changeOnly) || w.hasOwnEvidence(tNet) || p.is&browser != 0 {
				give.support(tNet, 2)
			} else {
				give.support(tNet, 1)
			}
		case capability.Host:
			if w.hasAct(connectActs) {
				give.support(tNet, 2)
			} else {
				give.support(tNet, 1)
			}
		case capability.Command:
			if exprNamed[strings.ToLower(q.name)] && !w.hasOwnEvidence(tExec) {
				give.support(tExec, 1) // most of them calculate
			} else if w.hasOwnEvidence(tExec) || w.hasAct(runActs) || q.role.name >= 2 && q.role.desc >= 2 {
				give.support(tExec, 2)
			} else if q.role.desc > 0 {
				give.support(tExec, 1)
			}
		case capability.Query:
			only := w.nameAct.meets(changeOnly) && !w.nameAct.meets(lookActs) && !w.nameAct.meets(runActs)
			if (changes && !reads || only) && !nameMeets(q, sqlWords) || p.is&provision != 0 {
				continue
			}
			if p.is&db != 0 || w.hasOwnEvidence(tQuery) || nameMeets(q, sqlWords) {
				give.support(tQuery, 2)
			}
		}
	}
}

// exprNamed are parameters that hold formulas more often than code.
var exprNamed = map[string]bool{"expression": true, "expr": true, "formula": true, "equation": true}

// nameMeets reports whether a word of a parameter's name has such a meaning: a language that can change things (SQL), or one
// that cannot (PromQL).
func nameMeets(q *parameter, as classes) bool {
	return slices.ContainsFunc(q.parts, func(word string) bool { e := lex.findWord(word); return e != nil && e.set.meets(as) })
}

// scoreFreeSQL gives db_write to tools that take any statement, unless they say that they only read.
func (w *toolReader) scoreFreeSQL(p *profile) {
	if w.score[tQuery][byParameter] == 0 || w.hints.readOnly > 0 || w.said&saidReadOnly != 0 {
		return
	}
	for i := range w.params {
		q := &w.params[i]
		if q.role.role != capability.Query || q.role.name < 2 {
			continue
		}
		runs := w.nameSet.meets(runActs) || w.headSet.meets(runActs)
		sql := nameMeets(q, writeLangs) || w.mentions.meets(sqlWords)
		if runs && sql && !w.nameSet.meets(readNames) && !w.mentions.meets(selectOnly) && !w.mentions.meets(readLangs) && !(nameMeets(q, sqlWords) && !nameMeets(q, writeLangs)) {
			w.addSignal(signal{tag: tDBWrite, source: byParameter, weight: 2, value: q.key, kind: "param", text: q.name})
			return
		}
	}
}
