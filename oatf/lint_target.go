package oatf

import (
	"slices"
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
	lists, found := fieldOf(protocol, surface, side, name)
	of := protocol
	if surface != "" {
		of += " " + clip(surface)
	}
	if side != "" {
		of += " " + string(side)
	}
	switch {
	case !knowsFields(protocol, surface):
	case !found && (name == "params" || name == "result"):
		c.rule("GNT-204", holder, "target", "a message is the content of its %s, without it: take %q off the path", name, name+".")
	case !found:
		c.rule("GNT-204", holder, "target", "no %s message has a field %q at its top, so the indicator cannot match there", of, clip(name))
	case lists && !wild && rest != "":
		c.rule("GNT-204", holder, "target", "%s is a list in every %s message: write %s[*]", name, of, name)
	}
}

// fieldOf reports whether any message that an indicator sees may have a field at its top,
// and whether it is a list in all of them.
func fieldOf(protocol, surface string, side Direction, name string) (list, found bool) {
	if slices.Contains(anyMessage, name) {
		return false, true
	}
	list = true
	for _, m := range messageFields {
		if m.protocol != protocol || surface != "" && !slices.Contains(strings.Fields(m.surfaces), surface) || side != "" && side != m.side {
			continue
		}
		fields := strings.Fields(m.fields)
		if slices.Contains(fields, name) {
			found, list = true, false
		}
		if slices.Contains(fields, name+"[]") {
			found = true
		}
	}
	if side != DirectionRequest && slices.Contains(errorFields, name) {
		return false, true
	}
	return list && found, found
}

// knowsFields reports whether the table below has the messages of a surface.
func knowsFields(protocol, surface string) bool {
	return slices.ContainsFunc(messageFields, func(m messageField) bool {
		return m.protocol == protocol && (surface == "" || slices.Contains(strings.Fields(m.surfaces), surface))
	})
}

// anyMessage are fields that a message of any kind may have: metadata, the marks of
// results of MCP 2026-07-28, and the request that a runtime puts beside a client's answer
// (SDK §4.1).
var anyMessage = []string{"_meta", "_request", "resultType", "ttlMs", "cacheScope"}

// errorFields are those of an error, which a response may be (§7.1.3).
var errorFields = []string{"code", "message", "data"}
