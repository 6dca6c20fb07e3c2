package oatf

import (
	"fmt"
	"strings"

	"gauntlet/internal/leaf/excerpt"
	"gauntlet/internal/leaf/lazyregexp"
	"gauntlet/oatf/match"
	"gauntlet/rawjson"
)

// lintTargets is GNT-204: a path that exists in no message which the indicator sees.
func (c *checker) lintTargets() {
	for _, i := range c.indicators {
		if hasMember(i, "expression") {
			continue // the target is not used
		}
		c.lintTarget(i, i)
		c.lintTarget(i, memberOfKind(i, "pattern", rawjson.Object))
		c.lintTarget(i, memberOfKind(i, "semantic", rawjson.Object))
	}
}

func (c *checker) lintTarget(indicator, holder rawjson.Value) {
	t := memberOfKind(holder, "target", rawjson.String)
	if _, err := match.ParseTarget(t.Text()); err != nil || t.Text() == "" {
		return
	}
	// The targets below it take precedence.
	if holder == indicator && (hasMember(indicator.Get("pattern"), "target") || hasMember(indicator.Get("semantic"), "target")) {
		return
	}
	protocol, surface, side := c.protocol(indicator), textOf(indicator, "surface"), Direction(textOf(indicator, "direction"))
	if fault := targetFault(protocol, surface, side, t.Text()); fault != "" {
		c.rule("GNT-204", holder, "target", "%s", fault)
	}
}

// Unobservable explains why no message of the indicator's protocol can contain what its pattern examines, "" if one can
// or nothing is known of the messages. An adversarial server may send any field, so a match is still a match.
func (i *Indicator) Unobservable() string {
	target := i.Target
	switch {
	case i.Expression != nil:
		return ""
	case i.Pattern != nil && i.Pattern.Target != nil:
		target = *i.Pattern.Target
	case i.Semantic != nil && i.Semantic.Target != nil:
		target = *i.Semantic.Target
	}
	if target == "" {
		return ""
	}
	return targetFault(i.Protocol, i.Surface, i.Direction, target)
}

// targetFault explains why a target exists in no message of a protocol, "" if it may exist.
func targetFault(protocol, surface string, side Direction, target string) string {
	name, rest, _ := strings.Cut(target, ".")
	name, wild := strings.CutSuffix(name, "[*]")
	field := fieldOf(protocol, surface, side, name)
	of := protocol
	if surface != "" {
		of += " " + excerpt.Clip(surface, mostQuoted)
	}
	if side != "" {
		of += " " + string(side)
	}
	switch {
	case messageTable()[topField{protocol, surface, "", ""}] == noField: // nothing is known of them
	case field == noField && (name == "params" || name == "result"):
		return fmt.Sprintf("a message is the content of its %s, without it: take %q off the path", name, name+".")
	case field == noField:
		return fmt.Sprintf("no %s message has a field %q at its top, so the indicator cannot match there", of, excerpt.Clip(name, mostQuoted))
	case field == listField && !wild && rest != "":
		return fmt.Sprintf("%s is a list in every %s message: write %s[*]", name, of, name)
	}
	return ""
}

// celGuard matches a CEL test for a field's presence: has(), or an optional field.
var celGuard = lazyregexp.New(`\bhas\s*\(|\.\?|\?\[|\bin\b|\bcatch\b`)

// lintExpressions is GNT-202: an expression that sees messages of all kinds and fails on those without its field.
func (c *checker) lintExpressions() {
	for _, i := range c.indicators {
		e := memberOfKind(i, "expression", rawjson.Object)
		if cel := textOf(e, "cel"); cel != "" && !hasMember(i, "surface") && !celGuard.MatchString(cel) {
			c.rule("GNT-202", e, "cel", "without a surface the expression sees every message, and errs on those without its fields: name a surface, or test with has()")
		}
	}
}
