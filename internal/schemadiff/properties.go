package schemadiff

import (
	"slices"

	"gauntlet/rawjson"
)

// properties compares what objects may hold and must hold.
//
// A schema that does not forbid further properties takes, by the letter, any property
// before it is declared. A model that calls a tool sends what is declared, and a reviewer
// asks what the tool can now be given. So a new property that need not be there is called
// widened, and one that went narrowed. A new property that must be there narrows: calls as
// they were are refused.
func (c *comparer) properties(s side) Class {
	was, is := requiredOf(s.old), requiredOf(s.new)
	class := Same
	old, new := s.get("properties")
	if !isObject(old) || !isObject(new) {
		return c.opaque(s, "properties")
	}
	olds, news := c.index(old), c.index(new)
	for m := range new.Members() {
		name := m.Key.Text()
		at := s.below("properties") + "/" + rawjson.EscapePointer(name)
		if before := olds[name]; before.Exists() {
			class = class.and(c.schemas(before, m.Value, at, s.depth+1))
			continue
		}
		_, must := slices.BinarySearch(is, name)
		class = class.and(c.property(s, s.olds, rawjson.Value{}, m.Value, at, must))
	}
	for m := range old.Members() {
		name := m.Key.Text()
		if news[name].Exists() {
			continue
		}
		_, must := slices.BinarySearch(was, name)
		at := s.below("properties") + "/" + rawjson.EscapePointer(name)
		class = class.and(c.property(s, s.news, m.Value, rawjson.Value{}, at, must))
	}
	class = class.and(c.required(s, was, is))
	for _, name := range []string{"additionalProperties", "unevaluatedProperties"} {
		class = class.and(c.subschema(s, name))
	}
	return class.and(c.patternProperties(s))
}

// isObject takes an absent value for an empty object.
func isObject(v rawjson.Value) bool { return !v.Exists() || v.Kind() == rawjson.Object }

// property judges a property that only one side declares. without is the other side.
func (c *comparer) property(s side, without index, old, new rawjson.Value, at string, must bool) Class {
	ch := Change{Pointer: at, Words: "new property", Old: old, New: new}
	declared := new
	if old.Exists() {
		ch.Words, declared = "property is gone", old
	}
	if must {
		ch.Words += ", required"
	}
	// As for a new one; one that went is the way back.
	further := without["additionalProperties"]
	switch shut := closed(without); {
	case takesNothing(declared):
		ch.Class = direction(false, !shut)
	case len(c.index(without["patternProperties"])) > 0:
		ch.Class = Unclear // a pattern may have taken it already
	case !shut && !takesAll(further):
		// Further properties have a schema, which the property had as well.
		a, b := further, declared
		if old.Exists() {
			a, b = b, a
		}
		ch.Class = c.silently(func() Class { return c.schemas(a, b, "", s.depth+1) })
		if old.Exists() {
			ch.Class = ch.Class.inverse()
		}
		ch.Class = ch.Class.and(direction(false, must))
	case must && shut:
		ch.Class = Unrelated // all calls are others now
	default:
		ch.Class = map[bool]Class{true: Narrowed, false: Widened}[must]
	}
	if old.Exists() {
		ch.Class = ch.Class.inverse()
	}
	return c.report(ch)
}

// closed reports whether a schema forbids properties that it does not declare.
func closed(schema index) bool {
	return takesNothing(schema["additionalProperties"]) || takesNothing(schema["unevaluatedProperties"])
}

// requiredOf returns the names that an object must hold, sorted.
func requiredOf(schema rawjson.Value) []string {
	var out []string
	for _, e := range schema.Get("required").Elements() {
		if e.Kind() == rawjson.String {
			out = append(out, e.Text())
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// required compares the lists of what must be there. A property that came or went with its
// requirement has been judged with it.
func (c *comparer) required(s side, was, is []string) Class {
	old, new := s.get("required")
	if k := [2]rawjson.Kind{old.Kind(), new.Kind()}; slices.Contains(k[:], rawjson.Bool) {
		return c.opaque(s, "required") // draft 3
	}
	without := func(names []string, props, others index) []string {
		var out []string
		for _, n := range names {
			if !props[n].Exists() || others[n].Exists() {
				out = append(out, n)
			}
		}
		return out
	}
	old, new = s.get("properties")
	oldProps, newProps := c.index(old), c.index(new)
	old, new = s.get("required")
	was, is = without(was, oldProps, newProps), without(is, newProps, oldProps)
	class := sets(is, was) // the more must be there, the less is taken
	if class == Same {
		return Same
	}
	return c.report(Change{Pointer: s.below("required"), Keyword: "required", Class: class, Words: "required " + plusMinus(was, is), Old: old, New: new})
}

// subschema compares a keyword whose value is a schema that must hold; absent is true.
func (c *comparer) subschema(s side, name string) Class {
	old, new := s.get(name)
	if takesAll(old) && takesAll(new) {
		return Same // written out or not
	}
	return c.schemas(old, new, s.below(name), s.depth+1)
}

func (c *comparer) patternProperties(s side) Class {
	old, new := s.get("patternProperties")
	olds, news := c.index(old), c.index(new)
	class := Same
	at := s.below("patternProperties") + "/"
	for m := range new.Members() {
		name := m.Key.Text()
		before := olds[name]
		if before.Exists() {
			class = class.and(c.schemas(before, m.Value, at+rawjson.EscapePointer(name), s.depth+1))
			continue
		}
		class = class.and(c.pattern(s.olds, before, m.Value, at+rawjson.EscapePointer(name)))
	}
	for m := range old.Members() {
		if name := m.Key.Text(); !news[name].Exists() {
			class = class.and(c.pattern(s.news, m.Value, rawjson.Value{}, at+rawjson.EscapePointer(name)))
		}
	}
	return class
}

// pattern judges a pattern of names that only one side has.
func (c *comparer) pattern(without index, old, new rawjson.Value, at string) Class {
	class, words := Narrowed, "new pattern of names"
	if closed(without) {
		class = Widened
		if takesNothing(new) || takesNothing(old) {
			class = Same
		}
	} else if !takesAll(without["additionalProperties"]) {
		class = Unclear
	}
	if old.Exists() {
		class, words = class.inverse(), "pattern of names is gone"
	}
	return c.report(Change{Pointer: at, Class: class, Words: words, Old: old, New: new})
}
