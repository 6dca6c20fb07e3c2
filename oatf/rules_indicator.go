package oatf

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"gauntlet/internal/leaf/excerpt"
	"gauntlet/internal/leaf/lazyregexp"
	"gauntlet/oatf/match"
	"gauntlet/rawjson"
)

var indicatorIDRegexp = lazyregexp.New(`^[A-Z][A-Z0-9-]*-[0-9]{3,}-[0-9]{2,}$`)

var celIdentifier = lazyregexp.New(`^[_a-zA-Z][_a-zA-Z0-9]*$`)

// indicatorRules checks indicators (§6).
func (c *checker) indicatorRules() {
	if list := memberOfKind(c.attack, "indicators", rawjson.Array); list.Exists() && list.Len() == 0 {
		c.rule("V-006", list, "", "indicators is empty: give it one, or leave it out")
	}
	seen := map[string]bool{}
	for _, i := range c.indicators {
		c.indicatorID(i, seen)
		c.detection(i)
		c.indicatorProtocol(i)
		c.checkTarget(i)
		c.checkPercent("V-025", i, "confidence")
		actor := memberOfKind(i, "actor", rawjson.String)
		if _, known := c.actorNamed[actor.Text()]; actor.Exists() && !known {
			c.rule("V-048", i, "actor", "there is no actor %q%s", excerpt.Clip(actor.Text(), mostQuoted), c.actorAdvice())
		}
		p := memberOfKind(i, "pattern", rawjson.Object)
		c.checkTarget(p)
		c.condition(p) // the short form
		c.condition(p.Get("condition"))
		c.expressionRules(memberOfKind(i, "expression", rawjson.Object))
		c.semanticRules(i, memberOfKind(i, "semantic", rawjson.Object))
	}
}

// indicatorID is V-010 and V-024.
func (c *checker) indicatorID(i rawjson.Value, seen map[string]bool) {
	v := memberOfKind(i, "id", rawjson.String)
	if !v.Exists() {
		return
	}
	id := v.Text()
	if seen[id] {
		c.rule("V-010", i, "id", "two indicators have the id %q", excerpt.Clip(id, mostQuoted))
	}
	seen[id] = true
	attack := textOf(c.attack, "id")
	switch {
	case !hasMember(c.attack, "id"):
	case !indicatorIDRegexp.MatchString(id):
		c.rule("V-024", i, "id", "the id %q has not the form PREFIX-000-00, such as OATF-027-01", excerpt.Clip(id, mostQuoted))
	case !isIndicatorOf(id, attack):
		c.rule("V-024", i, "id", "the id %q is not that of the attack and a number of two digits: want %s-01 or the like", excerpt.Clip(id, mostQuoted), excerpt.Clip(attack, mostQuoted))
	}
}

func isIndicatorOf(id, attack string) bool {
	number, ok := strings.CutPrefix(id, attack+"-")
	return ok && len(number) >= 2 && strings.Trim(number, "0123456789") == ""
}

// detection is V-012 and V-049.
func (c *checker) detection(i rawjson.Value) {
	var keys []string
	for _, key := range []IndicatorMethod{MethodPattern, MethodExpression, MethodSemantic} {
		if hasMember(i, string(key)) {
			keys = append(keys, string(key))
		}
	}
	switch method := textOf(i, "method"); {
	case len(keys) == 0:
		c.rule("V-012", i, "", "an indicator needs one of pattern, expression and semantic")
	case len(keys) > 1:
		c.rule("V-012", i, "", "an indicator has one of pattern, expression and semantic, and not %s together: make them indicators of their own", strings.Join(keys, " and "))
	case method != "" && method != keys[0]:
		c.rule("V-049", i, "method", "the method is %s, and what the indicator has is %s", excerpt.Clip(method, mostQuoted), keys[0])
	}
}

// indicatorProtocol is V-018, V-028, V-034, W-003 and W-005.
func (c *checker) indicatorProtocol(i rawjson.Value) {
	if c.modeless && !hasMember(i, "protocol") && c.execution.Exists() {
		c.rule("V-028", i, "protocol", "the execution has no mode, so each indicator needs a protocol, such as mcp")
	}
	protocol := c.protocol(i)
	own := memberOfKind(i, "protocol", rawjson.String)
	switch {
	case own.Exists() && !identifierRegexp.MatchString(protocol):
		c.rule("V-034", i, "protocol", "the protocol %q has not the form [a-z][a-z0-9_]*", excerpt.Clip(protocol, mostQuoted))
		return
	case own.Exists() && !slices.Contains(KnownProtocols(), protocol):
		c.rule("W-003", i, "protocol", "the protocol %q is of no known binding (%s)%s", excerpt.Clip(protocol, mostQuoted), alternatives(KnownProtocols()), meant(protocol, KnownProtocols()))
	case protocol != "" && len(c.actors) > 0 && !c.protocols[protocol]:
		at := "protocol"
		if !own.Exists() {
			at = ""
		}
		c.rule("W-005", i, at, "no actor speaks %s, so the indicator sees no message", protocol)
	}
	if surface := memberOfKind(i, "surface", rawjson.String); surface.Exists() && !knowsSurface(protocol, surface.Text()) {
		c.rule("V-018", i, "surface", "%s has no operation %q as far as is known%s", protocol, excerpt.Clip(surface.Text(), mostQuoted), meant(surface.Text(), operationNames(protocol)))
	}
}

// checkTarget is V-021 for the target of an indicator, a pattern or a semantic block.
func (c *checker) checkTarget(v rawjson.Value) {
	t := memberOfKind(v, "target", rawjson.String)
	if _, err := match.ParseTarget(t.Text()); err == nil {
		return
	}
	advice := "names of letters, digits, _ and -, each with [*] behind it or not, joined by dots"
	if regexp.MustCompile(`\[\d+\]`).MatchString(t.Text()) {
		advice = "write [*] for all entries of a list, or use a CEL expression for one of them"
	}
	c.rule("V-021", v, "target", "%q is no wildcard path: %s", excerpt.Clip(t.Text(), mostQuoted), advice)
}

// expressionRules is V-014, V-026 and V-039.
func (c *checker) expressionRules(e rawjson.Value) {
	var names []string
	for m := range memberOfKind(e, "variables", rawjson.Object).Members() {
		names = append(names, m.Key.Text())
		if name := m.Key.Text(); !celIdentifier.MatchString(name) {
			c.atName(m, func() {
				c.rule("V-039", m.Value, "", "%q is no name that CEL can read: want letters, digits and _", excerpt.Clip(name, mostQuoted))
			})
		}
		if _, err := match.ParsePath(m.Value.Text()); err != nil {
			c.rule("V-026", m.Value, "", "%q is no simple path: names of letters, digits, _ and -, joined by dots, without [ ]", excerpt.Clip(m.Value.Text(), mostQuoted))
		}
	}
	if cel := memberOfKind(e, "cel", rawjson.String); cel.Exists() {
		if err := c.validCEL(cel.Text(), names); err != nil {
			c.rule("V-014", e, "cel", "not a CEL expression: %v", err)
		}
	}
}

// semanticRules is V-022 and W-007.
func (c *checker) semanticRules(i, s rawjson.Value) {
	if !s.Exists() {
		return
	}
	c.checkTarget(s)
	c.rule("W-007", s, "", "a semantic indicator is experimental: its verdict depends on a model, and without one it is skipped")
	if n, ok := floatOf(s.Get("threshold")); ok && (n < 0 || n > 1) {
		c.rule("V-022", s, "threshold", "the threshold is %s: want 0 to 1", s.Get("threshold").Raw())
	}
}

func (c *checker) actorAdvice() string {
	var names []string
	for _, a := range c.actors {
		if a.name != "" && len(names) < 10 {
			names = append(names, excerpt.Clip(a.name, mostQuoted))
		}
	}
	if len(names) == 0 {
		return ""
	}
	return fmt.Sprintf(": there is %s", strings.Join(names, ", "))
}
