package schemadiff

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gauntlet/rawjson"
)

// direction returns the class of a constraint that came, went, or neither.
func direction(old, new bool) Class {
	switch {
	case old == new:
		return Same
	case new:
		return Narrowed
	}
	return Widened
}

// opaque compares a keyword of which only its being there can be judged.
func (c *comparer) opaque(s side, name string) Class {
	old, new := s.get(name)
	if old.Canonical() == new.Canonical() {
		return Same
	}
	class, words := direction(old.Exists(), new.Exists()), "new constraint"
	switch {
	case !new.Exists():
		words = "constraint is gone"
	case old.Exists():
		class, words = Unclear, "which of the two takes more is not known"
	}
	return c.report(Change{Pointer: s.below(name), Keyword: name, Class: class, Words: words, Old: old, New: new})
}

var allTypes = []string{"array", "boolean", "integer", "null", "number", "object", "string"}

// typesOf returns the types that a schema takes, sorted; false for what is no type.
func typesOf(v rawjson.Value) ([]string, bool) {
	var out []string
	add := func(v rawjson.Value) bool {
		name := v.Text()
		if !slices.Contains(allTypes, name) {
			return false
		}
		if name == "number" && !slices.Contains(out, "integer") {
			out = append(out, "integer") // every integer is a number
		}
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
		return true
	}
	switch v.Kind() {
	case rawjson.Absent:
		return allTypes, true
	case rawjson.String:
		if !add(v) {
			return nil, false
		}
	case rawjson.Array:
		for _, e := range v.Elements() {
			if !add(e) {
				return nil, false
			}
		}
	default:
		return nil, false
	}
	slices.Sort(out)
	return out, len(out) > 0
}

// impliedTypes returns the types that a schema takes: those it says, or those of the values
// that it lists.
func impliedTypes(schema rawjson.Value) ([]string, bool) {
	values, limited, ok := valuesOf(schema)
	if schema.Get("type").Exists() || !limited || !ok {
		return typesOf(schema.Get("type"))
	}
	var out []string
	for _, v := range values {
		switch v[0] {
		case '"':
			out = append(out, "string")
		case '[':
			out = append(out, "array")
		case '{':
			out = append(out, "object")
		case 't', 'f':
			out = append(out, "boolean")
		case 'n':
			out = append(out, "null")
		default:
			out = append(out, "integer")
			if strings.ContainsAny(v, ".e") { // 1e21 is an integer: taken for more, never for less
				out = append(out, "number")
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out), true
}

func (c *comparer) types(s side) Class {
	old, new := s.get("type")
	was, ok1 := impliedTypes(s.old)
	is, ok2 := impliedTypes(s.new)
	if !ok1 || !ok2 {
		return c.opaque(s, "type")
	}
	class := sets(was, is)
	if class == Same {
		return Same
	}
	return c.report(Change{Pointer: s.below("type"), Keyword: "type", Class: class, Words: "type", Old: old, New: new})
}

// sets compares what is taken, listed one by one and sorted.
func sets(old, new []string) Class {
	contains := func(all, some []string) bool {
		for _, x := range some {
			if _, ok := slices.BinarySearch(all, x); !ok {
				return false
			}
		}
		return true
	}
	switch more, less := contains(new, old), contains(old, new); {
	case more && less:
		return Same
	case more:
		return Widened
	case less:
		return Narrowed
	}
	return Unrelated
}

// valuesOf returns the values that enum and const allow, in canonical form and sorted;
// false where neither is there, or one is no list.
func valuesOf(schema rawjson.Value) (out []string, limited, ok bool) {
	enum, one := schema.Get("enum"), schema.Get("const")
	switch {
	case one.Exists() && enum.Exists():
		return nil, true, false // nobody writes both
	case one.Exists():
		return []string{one.Canonical()}, true, true
	case !enum.Exists():
		return nil, false, true
	case enum.Kind() != rawjson.Array:
		return nil, true, false
	}
	for _, e := range enum.Elements() {
		out = append(out, e.Canonical())
	}
	slices.Sort(out)
	return slices.Compact(out), true, true
}

func (c *comparer) enum(s side) Class {
	was, limited1, ok1 := valuesOf(s.old)
	is, limited2, ok2 := valuesOf(s.new)
	name := "enum"
	if s.new.Get("const").Exists() || !s.new.Get("enum").Exists() && s.old.Get("const").Exists() {
		name = "const"
	}
	old, new := s.old.Get("enum"), s.new.Get("enum")
	if !old.Exists() {
		old = s.old.Get("const")
	}
	if !new.Exists() {
		new = s.new.Get("const")
	}
	ch := Change{Pointer: s.below(name), Keyword: name, Old: old, New: new}
	switch {
	case !ok1 || !ok2:
		if s.old.Get("enum").Canonical() == s.new.Get("enum").Canonical() && s.old.Get("const").Canonical() == s.new.Get("const").Canonical() {
			return Same
		}
		ch.Class, ch.Words = Unclear, "enum and const"
	case limited1 != limited2:
		ch.Class, ch.Words = direction(limited1, limited2), "any value before"
		if limited1 {
			ch.Words = "any value now"
		}
	default:
		ch.Class = sets(was, is)
		ch.Words = "values " + plusMinus(was, is)
		if ch.Class == Same {
			return Same
		}
	}
	return c.report(ch)
}

// plusMinus lists what came and what went, a few of each.
func plusMinus(was, is []string) string {
	var words []string
	list := func(sign string, some, others []string) {
		const most = 8
		n := 0
		for _, x := range some {
			if _, ok := slices.BinarySearch(others, x); ok {
				continue
			}
			if n++; n <= most {
				words = append(words, sign+x)
			}
		}
		if n > most {
			words = append(words, fmt.Sprintf("%s%d more", sign, n-most))
		}
	}
	list("+", is, was)
	list("-", was, is)
	return strings.Join(words, ", ")
}

// A limit is the strictest lower or upper bound of a schema.
type limit struct {
	at    float64
	open  bool // the bound itself is not taken
	there bool
	ok    bool // it could be read
}

// limitOf reads name and, for minimum and maximum, its exclusive form. In draft 4 that is
// true or false.
func limitOf(schema rawjson.Value, name string, lower bool) limit {
	read := func(v rawjson.Value) (float64, bool) {
		f, err := strconv.ParseFloat(v.Raw(), 64)
		// Two bounds that no double tells apart cannot be compared.
		return f, v.Kind() == rawjson.Number && err == nil && math.Abs(f) < 1<<53
	}
	out := limit{ok: true}
	v := schema.Get(name)
	if v.Exists() {
		out.there = true
		out.at, out.ok = read(v)
	}
	exclusive := map[string]string{"minimum": "exclusiveMinimum", "maximum": "exclusiveMaximum"}[name]
	if exclusive == "" {
		if lower && !out.there { // no length is below 0
			out.there = true
		}
		return out
	}
	e := schema.Get(exclusive)
	switch e.Kind() {
	case rawjson.Absent:
	case rawjson.Bool:
		yes, _ := e.Bool()
		out.open = out.there && yes
	default:
		f, ok := read(e)
		out.ok = out.ok && ok
		if !out.there || lower && f >= out.at || !lower && f <= out.at {
			out.at, out.open = f, true
		}
		out.there = true
	}
	return out
}

func (c *comparer) bound(s side, name string, lower bool) Class {
	was, is := limitOf(s.old, name, lower), limitOf(s.new, name, lower)
	old, new := s.get(name)
	if old.Canonical() == new.Canonical() {
		name = map[string]string{"minimum": "exclusiveMinimum", "maximum": "exclusiveMaximum"}[name]
		old, new = s.get(name)
	}
	ch := Change{Pointer: s.below(name), Keyword: name, Words: "upper bound", Old: old, New: new}
	if lower {
		ch.Words = "lower bound"
	}
	switch {
	case !was.ok || !is.ok:
		if s.old.Get(name).Canonical() == s.new.Get(name).Canonical() {
			return Same
		}
		ch.Class = Unclear
	case was == is:
		return Same
	case was.there != is.there:
		ch.Class = direction(was.there, is.there)
	case was.at == is.at:
		ch.Class = direction(was.open, is.open)
	case (was.at < is.at) == lower:
		ch.Class = Narrowed
	default:
		ch.Class = Widened
	}
	return c.report(ch)
}

func (c *comparer) multipleOf(s side) Class {
	old, new := s.get("multipleOf")
	a, ok1 := old.Int()
	b, ok2 := new.Int()
	if !ok1 || !ok2 || a <= 0 || b <= 0 || a == b {
		return c.opaque(s, "multipleOf")
	}
	class := Unrelated
	switch {
	case b%a == 0:
		class = Narrowed
	case a%b == 0:
		class = Widened
	}
	return c.report(Change{Pointer: s.below("multipleOf"), Keyword: "multipleOf", Class: class, Words: "step", Old: old, New: new})
}

func (c *comparer) uniqueItems(s side) Class {
	old, new := s.get("uniqueItems")
	was, _ := old.Bool()
	is, _ := new.Bool()
	if was == is {
		return Same
	}
	return c.report(Change{Pointer: s.below("uniqueItems"), Keyword: "uniqueItems", Class: direction(was, is), Words: "elements must differ from each other", Old: old, New: new})
}
