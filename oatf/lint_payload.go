package oatf

import (
	"gauntlet/internal/leaf/excerpt"
	"gauntlet/oatf/match"
	"gauntlet/rawjson"
)

// Budgets for comparing messages with indicators, per document, against documents made to cost time. A byte of a
// message counts once per instruction of the regular expression applied to it.
const (
	maxCompared  = 100_000_000
	perMessage   = 100
	perIndicator = 100_000
)

// lintPayloads is GNT-201: a pattern that matches what the attack itself sends, and so says nothing about the agent.
func (c *checker) lintPayloads() {
	messages := c.payloads()
	left := maxCompared
	for _, i := range c.indicators {
		p := memberOfKind(i, "pattern", rawjson.Object)
		if !p.Exists() {
			continue
		}
		seen := c.lookOf(i).filter(messages)
		if left -= perMessage * len(messages); len(seen) == 0 {
			continue
		}
		if left -= perIndicator; left < 0 {
			return
		}
		target, condition, work, ok := compilePattern(i, p)
		for _, m := range seen {
			if left -= work * len(m.content.Raw()); !ok || left < 0 {
				break
			}
			if _, holds := condition.HoldsAt(target, m.content); holds {
				c.rule("GNT-201", p, "", "the pattern matches what actor %s itself sends (%s, from %s): it says nothing about the agent; %s",
					excerpt.Clip(m.actor, mostQuoted), excerpt.Clip(m.surface, mostQuoted), pointerPath(m.from), otherSide(m.side))
				break
			}
		}
	}
}

// compilePattern returns a valid pattern's target and condition, and the cost per byte.
func compilePattern(indicator, p rawjson.Value) (t match.Target, c *match.Condition, work int, ok bool) {
	path := textOf(indicator, "target")
	if hasMember(p, "target") {
		path = textOf(p, "target")
	}
	t, err := match.ParseTarget(path)
	if err != nil {
		return t, nil, 0, false
	}
	decoded := decode[PatternMatch](p)
	wanted := decoded.Condition
	if !wanted.Exists() {
		wanted = decoded.Shorthand
	}
	if work = 1; isOperators(wanted) {
		_, instructions := neverMatches(textOf(wanted, "regex"))
		work += instructions
	}
	c, err = match.ParseCondition(wanted)
	return t, c, work, err == nil
}

// otherSide advises how to examine only the agent.
func otherSide(own Direction) string {
	if own == answers {
		return "the agent's part is direction: request"
	}
	return "the agent's part is direction: response"
}
