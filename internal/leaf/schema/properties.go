package schema

import (
	"slices"

	"gauntlet/rawjson"
)

// compareProperties compares what objects may and must contain.
func (c *comparer) compareProperties(p place) Class {
	old, new := p.valuesOf("properties")
	if !isObject(old) || !isObject(new) {
		if old.Canonical() == new.Canonical() {
			return Same
		}
		return c.reportChange(p.keywordChange("properties", Unclear, "not an object of schemas"))
	}
	was, is := requiredOf(p.olds), requiredOf(p.news)
	class := Same
	olds, news := c.indexOf(old), c.indexOf(new)
	for m := range new.Members() {
		ch := Change{Pointer: p.below("properties") + "/" + rawjson.EscapePointer(m.Key.Text()), Words: "new property", New: m.Value}
		if before := olds[m.Key.Text()]; before.Exists() {
			class = class.and(c.compareSchemas(before, m.Value, ch.Pointer, p.depth+1))
			continue
		}
		class = class.and(c.reportChange(classifyDeclared(ch, p.olds, containsAll(is, []string{m.Key.Text()}))))
	}
	for m := range old.Members() {
		if news[m.Key.Text()].Exists() {
			continue
		}
		ch := Change{Pointer: p.below("properties") + "/" + rawjson.EscapePointer(m.Key.Text()), Words: "property is gone", Old: m.Value}
		ch = classifyDeclared(ch, p.news, containsAll(was, []string{m.Key.Text()}))
		ch.Class = ch.Class.inverse()
		class = class.and(c.reportChange(ch))
	}
	class = class.and(c.compareRequired(p, was, is))
	old, new = p.valuesOf("additionalProperties")
	return class.and(c.compareSchemas(old, new, p.below("additionalProperties"), p.depth+1))
}

// isObject treats an absent value as an empty object.
func isObject(v rawjson.Value) bool {
	return !v.Exists() || v.Kind() == rawjson.Object && malformed(v) == ""
}

// classifyDeclared classifies a property declared only in the new schema; for a removed one the inverse applies.
//
// By the letter, a schema that allows additional properties accepts any property before it is declared. But a model sends what is
// declared, and a reviewer asks what the tool can now receive. So a new optional property is Widened. A new required one narrows:
// previous calls are rejected.
func classifyDeclared(ch Change, other index, required bool) Change {
	if required {
		ch.Words += ", required"
	}
	further := other["additionalProperties"]
	switch closed := acceptsNothing(further); {
	case other["patternProperties"].Exists() || other["unevaluatedProperties"].Exists() || !closed && !acceptsAll(further):
		ch.Class = Unclear // the property had a schema before
	case acceptsNothing(ch.Old) || acceptsNothing(ch.New):
		ch.Class = Unclear
	case required && closed:
		ch.Class = Unrelated // no call is accepted by both
	case required:
		ch.Class = Narrowed
	default:
		ch.Class = Widened
	}
	return ch
}

// requiredOf returns an object's required names, sorted.
func requiredOf(schema index) []string {
	out := schema["required"].Texts()
	slices.Sort(out)
	return slices.Compact(out)
}

// compareRequired compares the lists of required names. A property added or removed together with its requirement is already
// judged.
func (c *comparer) compareRequired(p place, was, is []string) Class {
	isList := func(v rawjson.Value) bool { return !v.Exists() || v.Kind() == rawjson.Array }
	if old, new := p.valuesOf("required"); !isList(old) || !isList(new) { // draft 3
		if old.Canonical() == new.Canonical() {
			return Same
		}
		return c.reportChange(p.keywordChange("required", Unclear, "not a list of names"))
	}
	old, new := p.valuesOf("properties")
	oldProps, newProps := c.indexOf(old), c.indexOf(new)
	was = slices.DeleteFunc(was, func(n string) bool { return oldProps[n].Exists() && !newProps[n].Exists() })
	is = slices.DeleteFunc(is, func(n string) bool { return newProps[n].Exists() && !oldProps[n].Exists() })
	class := compareSets(is, was) // the more is required, the less is accepted
	if class == Same {
		return Same
	}
	return c.reportChange(p.keywordChange("required", class, "required "+describeEdits(was, is)))
}
