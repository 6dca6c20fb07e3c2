package oatf

import (
	"gauntlet/oatf/match"
	"gauntlet/rawjson"
)

// maxCompared is how many bytes of messages are compared with the indicators of one
// document, all together, and perMessage what looking at one costs at least: a document
// made to cost time gets no more.
const (
	maxCompared = 16 << 20
	perMessage  = 16
)

// lintPayloads is GNT-201: a pattern that holds for what the attack itself sends, and so
// says nothing about the agent.
func (c *checker) lintPayloads() {
	messages := c.payloads()
	left := maxCompared
	for _, i := range c.indicators {
		p := member(i, "pattern", rawjson.Object)
		if !p.Exists() {
			continue
		}
		look := c.lookOf(i)
		target, condition, ok := compilePattern(i, p)
		for n := 0; ok && n < len(messages); n++ {
			m := &messages[n]
			if left -= perMessage; left < 0 {
				return
			}
			if !look.sees(m) {
				continue
			}
			left -= len(m.content.Raw())
			if _, holds := condition.HoldsAt(target, m.content); holds {
				c.rule("GNT-201", p, "", "the pattern matches what actor %s itself sends (%s, from %s): it says nothing about the agent; %s",
					clip(m.actor), clip(m.surface), pathOf(m.from), otherSide(m.side))
				break
			}
		}
	}
}

// compilePattern returns what a pattern looks at and for, if both are valid.
func compilePattern(indicator, p rawjson.Value) (match.Target, *match.Condition, bool) {
	path := textOf(indicator, "target")
	if given(p, "target") {
		path = textOf(p, "target")
	}
	target, err := match.ParseTarget(path)
	if err != nil {
		return target, nil, false
	}
	decoded := decodePattern(p)
	wanted := decoded.Condition
	if !wanted.Exists() {
		wanted = decoded.Shorthand
	}
	condition, err := match.ParseCondition(wanted)
	return target, condition, err == nil
}

// otherSide says how to look at the agent alone.
func otherSide(own Direction) string {
	if own == answers {
		return "the agent's part is direction: request"
	}
	return "the agent's part is direction: response"
}
