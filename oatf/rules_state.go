package oatf

import (
	"slices"
	"strings"

	"gauntlet/internal/leaf/excerpt"
	"gauntlet/oatf/match"
	"gauntlet/rawjson"
)

// dispatchLists are the lists of responses that a binding chooses from (§7.0.1), in a state or in an entry of one of
// its lists, such as a tool. Deeper down the same words are payload.
var dispatchLists = []string{"responses", "sampling_responses", "elicitation_responses", "task_responses", "tool_responses"}

// stateRules checks the states and actions of phases: templates and responses (§5.6, §7.0.1).
func (c *checker) stateRules() {
	for i := range c.actors {
		a := &c.actors[i]
		for _, p := range a.phases {
			c.dispatch(p.state)
			c.templates(a, p.state)
			if p.value != c.execution {
				c.templates(a, p.value.Get("on_enter"))
			}
		}
	}
}

// dispatch checks every response in a state.
func (c *checker) dispatch(state rawjson.Value) {
	if input := state.Get("run_agent_input"); input.Get("synthesize").Exists() {
		c.synthesize(input)
	}
	eachList(state, c.fallbacks)
	eachAnswer(state, c.checkAnswer)
}

// eachList calls yield for every list of responses in a state.
func eachList(state rawjson.Value, yield func(name string, list rawjson.Value)) {
	for m := range state.Members() {
		if name := m.Key.Text(); slices.Contains(dispatchLists, name) {
			yield(name, m.Value)
		}
		for _, e := range m.Value.Elements() {
			for inner := range e.Members() {
				if name := inner.Key.Text(); slices.Contains(dispatchLists, name) {
					yield(name, inner.Value)
				}
			}
		}
	}
}

// Syntheses returns what a state leaves to a language model to write: the value of each synthesize where the format
// allows it, in document order.
func Syntheses(state rawjson.Value) (out []rawjson.Value) {
	add := func(_ string, entry rawjson.Value) {
		if s := entry.Get("synthesize"); s.Exists() && s.Kind() != rawjson.Null {
			out = append(out, s)
		}
	}
	add("", state.Get("run_agent_input"))
	eachAnswer(state, add)
	return out
}

// eachAnswer calls yield for every entry of those lists, and for every elicitation, which is chosen in the same way.
func eachAnswer(state rawjson.Value, yield func(list string, entry rawjson.Value)) {
	entries := func(name string, list rawjson.Value) {
		for _, e := range list.Elements() {
			if e.Kind() == rawjson.Object {
				yield(name, e)
			}
		}
	}
	eachList(state, entries)
	entries("elicitations", state.Get("elicitations"))
}

// fallbacks is V-033. Several elicitations without when may follow each other.
func (c *checker) fallbacks(_ string, list rawjson.Value) {
	n := 0
	for _, e := range list.Elements() {
		if e.Kind() == rawjson.Object && !hasMember(e, "when") {
			n++
		}
	}
	if n > 1 {
		c.rule("V-033", list, "", "%d entries have no when: only one may, for what nothing else matches", n)
	}
}

// checkAnswer is V-013 and V-027 for an entry's predicate, V-005 for a client's response to an elicitation, and W-006.
func (c *checker) checkAnswer(list string, e rawjson.Value) {
	switch when := e.Get("when"); {
	case !hasMember(e, "when"):
	case when.Kind() != rawjson.Object:
		c.mismatch("", e, "when", "want a match predicate, which is a mapping from paths to conditions, and not %s", articleFor(when))
	default:
		predicateForm.check(&c.report, when)
		c.predicate(when)
	}
	if e.Get("synthesize").Exists() {
		c.synthesize(e)
	}
	if list == "elicitation_responses" && hasMember(e, "action") {
		wordForm(ElicitAccept, ElicitDecline, ElicitCancel).check(&c.report, e.Get("action"))
	}
}

func (c *checker) synthesize(entry rawjson.Value) {
	with := "without one there is nothing to send"
	if entry.Get("content").Exists() || entry.Get("messages").Exists() {
		with = "without one the other members are sent"
	}
	c.rule("W-006", entry, "synthesize", "synthesize is reserved for a later version of the format: it takes a model to play, and %s", with)
}

// templates is V-016, V-032 and W-004 for every string at or below v.
func (c *checker) templates(a *actorLayout, v rawjson.Value) {
	for s := range v.Strings() {
		if s.IsKey || !strings.Contains(s.Value.Raw(), "{{") {
			continue
		}
		t, err := match.ParseTemplate(s.Value.Text())
		if err != nil {
			c.rule("V-016", s.Value, "", "a template is not closed: write }} behind it, or \\{{ for two braces")
			continue
		}
		for _, reference := range t.References() {
			c.reference(a, s.Value, reference)
		}
	}
}

// reference is V-032 and W-004 for one template.
func (c *checker) reference(a *actorLayout, at rawjson.Value, reference string) {
	first, rest, dotted := strings.Cut(reference, ".")
	switch trimmed := strings.TrimSpace(reference); {
	case trimmed != reference:
		c.rule("W-004", at, "", "the spaces in {{%s}} belong to the name, so the template will be empty: write {{%s}}", excerpt.Clip(reference, mostQuoted), excerpt.Clip(trimmed, mostQuoted))
	case dotted && (first == "request" || first == "response"):
	case !dotted:
		if !a.takes[reference] {
			c.rule("W-004", at, "", "no extractor of this actor is called %q: the template will be empty", excerpt.Clip(reference, mostQuoted))
		}
	default:
		i, found := c.actorNamed[first]
		if !found {
			c.rule("V-032", at, "", "the template {{%s}} names an actor that does not exist%s", excerpt.Clip(reference, mostQuoted), c.actorAdvice())
		} else if !c.actors[i].takes[rest] {
			c.rule("W-004", at, "", "no extractor of actor %s is called %q: the template will be empty", excerpt.Clip(first, mostQuoted), excerpt.Clip(rest, mostQuoted))
		}
	}
}
