package oatf

import (
	"strings"

	"gauntlet/rawjson"
)

// lintTargets is GNT-204: a path that no message which the indicator sees can have.
func (c *checker) lintTargets() {
	for _, i := range c.indicators {
		if given(i, "expression") {
			continue // it does not look at the target
		}
		c.lintTarget(i, i)
		c.lintTarget(i, member(i, "pattern", rawjson.Object))
		c.lintTarget(i, member(i, "semantic", rawjson.Object))
	}
}

func (c *checker) lintTarget(indicator, holder rawjson.Value) {
	t := member(holder, "target", rawjson.String)
	if !t.Exists() || t.Text() == "" || !validWildcardPath(t.Text()) {
		return
	}
	// What stands below it is used instead.
	if holder == indicator && (given(indicator.Get("pattern"), "target") || given(indicator.Get("semantic"), "target")) {
		return
	}
	name, rest, _ := strings.Cut(t.Text(), ".")
	name, wild := strings.CutSuffix(name, "[*]")
	protocol, surface, side := c.protocol(indicator), textOf(indicator, "surface"), Direction(textOf(indicator, "direction"))
	field := fieldOf(protocol, surface, side, name)
	of := protocol
	if surface != "" {
		of += " " + clip(surface)
	}
	if side != "" {
		of += " " + string(side)
	}
	switch {
	case !knowsFields(protocol, surface):
	case field == noField && (name == "params" || name == "result"):
		c.rule("GNT-204", holder, "target", "a message is the content of its %s, without it: take %q off the path", name, name+".")
	case field == noField:
		c.rule("GNT-204", holder, "target", "no %s message has a field %q at its top, so the indicator cannot match there", of, clip(name))
	case field == listField && !wild && rest != "":
		c.rule("GNT-204", holder, "target", "%s is a list in every %s message: write %s[*]", name, of, name)
	}
}
