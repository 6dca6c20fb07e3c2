package classify

import (
	"strings"

	"gauntlet/capability"
)

// A claim is what one parameter says for tags.
type claim struct {
	w        *worker
	s        signal
	strength int8
	detailed bool // its description adds to its name: the place, the direction
	backed   bool // plainly a path, so that the act of the name counts beside it
}

// to gives a tag at most this weight.
func (c *claim) to(tag uint8, weight int8) {
	c.s.tag, c.s.weight = tag, min(weight, c.strength)
	c.w.add(c.s)
	if c.detailed {
		s := c.s
		s.source, s.weight = bySchemaSource, weight
		c.w.add(s)
	}
	if c.backed {
		c.w.back(tag)
	}
}

// parameters lets the roles of parameters speak. The act decides between reading and writing.
func (w *worker) parameters(p *profile) {
	reads := w.acts(readActs)
	changes := w.acts(changeActs)
	for i := range w.params {
		q := &w.params[i]
		strength := int8(1)
		if q.role.name >= 2 || q.role.desc >= 2 {
			strength = 2
		}
		give := claim{w: w, s: signal{source: byParameter, weight: strength, value: q.key, kind: "param", text: q.name}, strength: strength}
		if q.depth > 0 && !w.params[0].wrapper && !(q.role.role == capability.URL && q.role.confidence() == capability.High) {
			give.strength = 1
		}
		switch q.role.role {
		case capability.Path:
			w.path(q, p, &give)
		case capability.URL:
			if w.words = paramName(q.name, w.words[:0]); len(w.words) > 1 && w.words[0] == "data" {
				continue // a data URI is what it says
			}
			if p.is&browser != 0 && !w.acts(openActs) {
				give.to(tNet, 1)
			} else if w.acts(travelActs) && !w.acts(changeOnly) || w.own(tNet) || p.is&browser != 0 {
				give.to(tNet, 2)
			} else {
				give.to(tNet, 1)
			}
		case capability.Host:
			if w.acts(connectActs) {
				give.to(tNet, 2)
			} else {
				give.to(tNet, 1)
			}
		case capability.Command:
			if exprNamed[strings.ToLower(q.name)] && !w.own(tExec) {
				give.to(tExec, 1) // most of them calculate
			} else if w.own(tExec) || w.acts(runActs) || q.role.name >= 2 && q.role.desc >= 2 {
				give.to(tExec, 2)
			} else if q.role.desc > 0 {
				give.to(tExec, 1)
			}
		case capability.Query:
			only := w.nameAct.meets(changeOnly) && !w.nameAct.meets(lookActs) && !w.nameAct.meets(runActs)
			if (changes && !reads || only) && !sqlNamed(w.words[:0], q.name) || p.is&provision != 0 {
				continue
			}
			if p.is&db != 0 || w.own(tQuery) || sqlNamed(w.words[:0], q.name) {
				give.to(tQuery, 2)
			}
		}
	}
}

// writeLanguage reports whether a parameter is called after a language that can change
// things, readLanguage whether after one that cannot (PromQL, LogQL, KQL).
func writeLanguage(buf []string, name string) bool {
	for _, word := range paramName(name, buf) {
		if e := lex.words[word]; e != nil && e.set.meets(writeLangs) {
			return true
		}
	}
	return false
}

func readLanguage(buf []string, name string) bool {
	return sqlNamed(buf, name) && !writeLanguage(buf, name)
}

// exprNamed are parameters that hold formulas more often than code.
var exprNamed = map[string]bool{"expression": true, "expr": true, "formula": true, "equation": true}

// sqlNamed reports whether a parameter is called after a query language.
func sqlNamed(buf []string, name string) bool {
	for _, word := range paramName(name, buf) {
		if e := lex.words[word]; e != nil && e.set.meets(sqlWords) {
			return true
		}
	}
	return false
}

// freeSQL gives db_write to tools that take any statement, unless they say that they only read.
func (w *worker) freeSQL(p *profile) {
	if w.score[tQuery][byParameter] == 0 || w.hints.readOnly > 0 || w.said&saidReadOnly != 0 {
		return
	}
	for i := range w.params {
		q := &w.params[i]
		if q.role.role != capability.Query || q.role.name < 2 {
			continue
		}
		runs := w.nameSet.meets(runActs) || w.headSet.meets(runActs)
		sql := writeLanguage(w.words[:0], q.name) || w.mentions.meets(sqlWords)
		if runs && sql && !w.nameSet.meets(readNames) && !w.mentions.meets(selectOnly) && !w.mentions.meets(readLangs) && !readLanguage(w.words[:0], q.name) {
			w.add(signal{tag: tDBWrite, source: byParameter, weight: 2, value: q.key, kind: "param", text: q.name})
			return
		}
	}
}
