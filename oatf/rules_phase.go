package oatf

import (
	"strings"

	"gauntlet/internal/leaf/excerpt"
	"gauntlet/oatf/match"
	"gauntlet/rawjson"
)

// phaseRules checks the content of a phase: extractors, actions, trigger (§5.2, §5.3, §5.5).
func (c *checker) phaseRules() {
	for _, a := range c.actors {
		for _, p := range a.phases {
			if p.value == c.execution {
				continue // not in the single-state form
			}
			c.extractors(p.value)
			c.actions(p.value)
			c.trigger(p)
		}
	}
}

func (c *checker) extractors(phase rawjson.Value) {
	list := memberOfKind(phase, "extractors", rawjson.Array)
	if list.Exists() && list.Len() == 0 {
		c.rule("V-038", list, "", "extractors is empty: give it an entry, or leave it out")
	}
	for _, e := range list.Elements() {
		if name := memberOfKind(e, "name", rawjson.String); name.Exists() && !identifierRegexp.MatchString(name.Text()) {
			c.rule("V-037", e, "name", "the extractor's name %q has not the form [a-z][a-z0-9_]*", excerpt.Clip(name.Text(), mostQuoted))
		}
		c.selector(e)
	}
}

// selector is V-013, V-015 and V-042.
func (c *checker) selector(e rawjson.Value) {
	s := memberOfKind(e, "selector", rawjson.String)
	if !s.Exists() {
		return
	}
	switch ExtractorType(textOf(e, "type")) {
	case ExtractJSONPath:
		if _, err := match.ParseJSONPath(s.Text()); err != nil {
			c.rule("V-015", e, "selector", "not a JSONPath of RFC 9535: %v", err)
		}
	case ExtractRegex:
		groups, err := c.validRegex(s.Text())
		if err != nil {
			c.rule("V-013", e, "selector", "%s", regexAdvice(err))
		} else if groups == 0 {
			c.rule("V-042", e, "selector", "the regular expression has no capture group, so it extracts nothing: put ( ) around the part to take")
		}
	}
}

// actions is V-041 and V-043.
func (c *checker) actions(phase rawjson.Value) {
	list := memberOfKind(phase, "on_enter", rawjson.Array)
	if list.Exists() && list.Len() == 0 {
		c.rule("V-043", list, "", "on_enter is empty: give it an action, or leave it out")
	}
	for _, a := range list.Elements() {
		if a.Kind() != rawjson.Object {
			continue
		}
		var keys []string
		for m := range a.Members() {
			if name := m.Key.Text(); !strings.HasPrefix(name, "x-") {
				keys = append(keys, excerpt.Clip(name, mostQuoted))
			}
		}
		switch {
		case len(keys) == 0:
			c.rule("V-041", a, "", "an action needs one action key, such as send or log")
		case len(keys) > 1:
			c.rule("V-041", a, "", "an action has exactly one action key, and not %s together: make them actions of their own", strings.Join(keys, " and "))
		}
	}
}

// trigger is V-019, V-029, V-036 and V-040, and V-013 and V-027 for its predicate.
func (c *checker) trigger(p phaseLayout) {
	t := memberOfKind(p.value, "trigger", rawjson.Object)
	if !t.Exists() {
		return
	}
	event := textOf(t, "event")
	if event == "" {
		for _, name := range []string{"count", "match"} {
			if hasMember(t, name) {
				c.rule("V-019", t, "", "%s counts events, so it needs an event beside it", name)
				break
			}
		}
		if !hasMember(t, "after") {
			c.rule("V-040", t, "", "a trigger needs an event or an after; leave trigger out for a phase that stays")
		}
	} else if !knowsEvent(p.mode, event) {
		c.rule("V-029", t, "event", "%s sees no event %q as far as is known%s", p.mode, excerpt.Clip(event, mostQuoted), eventAdvice(p.mode, event)+meantEvent(p.mode, event))
	}
	if after := memberOfKind(t, "after", rawjson.String); after.Exists() {
		if _, err := match.ParseDuration(after.Text()); err != nil {
			c.rule("V-036", t, "after", "%v", err)
		}
	}
	c.predicate(t.Get("match"))
}

// predicate is V-013 and V-027 for a match predicate.
func (c *checker) predicate(v rawjson.Value) {
	if v.Kind() != rawjson.Object {
		return
	}
	for m := range v.Members() {
		if _, err := match.ParsePath(m.Key.Text()); err != nil {
			c.atName(m, func() {
				c.rule("V-027", m.Value, "", "the key %q is no simple path: names of letters, digits, _ and -, joined by dots, without [ ]", excerpt.Clip(m.Key.Text(), mostQuoted))
			})
		}
		c.condition(m.Value)
	}
}

// condition is V-013 for the operators of a condition.
func (c *checker) condition(v rawjson.Value) {
	if !isOperators(v) {
		return
	}
	if re := memberOfKind(v, "regex", rawjson.String); re.Exists() {
		if _, err := c.validRegex(re.Text()); err != nil {
			c.rule("V-013", re, "", "%s", regexAdvice(err))
		}
	}
}
