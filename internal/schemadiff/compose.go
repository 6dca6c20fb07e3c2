package schemadiff

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gauntlet/rawjson"
)

// resolve follows a schema that is a local reference and nothing else, but for words beside
// it. at is where it led, "" if nowhere; what cannot be followed stays.
func (c *comparer) resolve(root, v rawjson.Value) (target rawjson.Value, at string) {
	const hops = 16 // of references to references
	target = v
	for range hops {
		ref := c.index(target)["$ref"]
		if ref.Kind() != rawjson.String {
			return target, at
		}
		for m := range target.Members() {
			name := m.Key.Text()
			if _, words := annotations[name]; name != "$ref" && !words {
				return target, at
			}
		}
		next, pointer, ok := c.lookup(root, ref.Text())
		if !ok {
			return target, at
		}
		target, at = next, pointer
	}
	return v, "" // round and round
}

// circular reports whether a reference leads to references only, round and round.
func (c *comparer) circular(root, v rawjson.Value) bool {
	_, at := c.resolve(root, v)
	_, _, ok := c.lookup(root, v.Get("$ref").Text())
	return ok && at == "" && v.Len() == 1
}

// unescape reads one reference token of a JSON Pointer (RFC 6901).
var unescape = strings.NewReplacer("~1", "/", "~0", "~")

// lookup finds what a local reference points to: "#", or "#/" and a JSON Pointer.
func (c *comparer) lookup(root rawjson.Value, ref string) (v rawjson.Value, pointer string, ok bool) {
	pointer, ok = strings.CutPrefix(ref, "#")
	if !ok || pointer != "" && pointer[0] != '/' {
		return rawjson.Value{}, "", false
	}
	v = root
	if pointer == "" {
		return v, "", v.Exists()
	}
	for token := range strings.SplitSeq(pointer[1:], "/") {
		token = unescape.Replace(token)
		v = c.index(v)[token]
	}
	return v, pointer, v.Exists()
}

// reference compares a reference beside other keywords: what it leads to must hold as well.
func (c *comparer) reference(s side) Class {
	old, new := s.get("$ref")
	follow := func(root, ref rawjson.Value) (rawjson.Value, bool) {
		if !ref.Exists() {
			return ref, true
		}
		v, _, ok := c.lookup(root, ref.Text())
		return v, ok
	}
	a, ok1 := follow(c.oldRoot, old)
	b, ok2 := follow(c.newRoot, new)
	if !ok1 || !ok2 || c.circular(c.oldRoot, a) || c.circular(c.newRoot, b) {
		if old.Canonical() == new.Canonical() {
			return Same // what stands elsewhere is not known on either side
		}
		return c.report(Change{Pointer: s.below("$ref"), Keyword: "$ref", Class: Unclear, Words: "a reference that is not followed", Old: old, New: new})
	}
	at := s.below("$ref")
	if old.Text() == new.Text() {
		at = strings.TrimPrefix(new.Text(), "#")
		c.referred[at] = true
	}
	return c.schemas(a, b, at, s.depth+1)
}

// tuple takes the keywords for elements apart: schemas for the first ones and one for the
// rest. Before draft 2020-12 a list under items was what prefixItems is.
func tuple(schema rawjson.Value) (first []rawjson.Value, rest rawjson.Value) {
	items, prefix := schema.Get("items"), schema.Get("prefixItems")
	if items.Kind() == rawjson.Array {
		prefix, items = items, schema.Get("additionalItems")
	}
	for _, e := range prefix.Elements() {
		first = append(first, e)
	}
	return first, items
}

func (c *comparer) items(s side) Class {
	was, oldRest := tuple(s.old)
	is, newRest := tuple(s.new)
	class := Same
	for i := range max(len(was), len(is)) {
		old, new := oldRest, newRest
		if i < len(was) {
			old = was[i]
		}
		if i < len(is) {
			new = is[i]
		}
		class = class.and(c.schemas(old, new, s.below("prefixItems")+"/"+strconv.Itoa(i), s.depth+1))
	}
	class = class.and(c.schemas(oldRest, newRest, s.below("items"), s.depth+1))
	return class.and(c.subschema(s, "unevaluatedItems"))
}

// contains asks for some element; how many, the bounds beside it say.
func (c *comparer) contains(s side) Class {
	old, new := s.get("contains")
	for _, name := range []string{"minContains", "maxContains"} {
		if a, b := s.get(name); a.Canonical() != b.Canonical() || b.Exists() && name == "maxContains" {
			if old.Canonical() != new.Canonical() || a.Canonical() != b.Canonical() {
				return c.report(Change{Pointer: s.below("contains"), Keyword: "contains", Class: Unclear, Words: "contains and how often", Old: old, New: new})
			}
		}
	}
	if old.Exists() && new.Exists() {
		return c.schemas(old, new, s.below("contains"), s.depth+1)
	}
	return c.opaque(s, "contains")
}

// branches returns the schemas of allOf, anyOf or oneOf; false where they are none.
func branches(schema rawjson.Value, name string) (out []rawjson.Value, ok bool) {
	v := schema.Get(name)
	for _, e := range v.Elements() {
		out = append(out, e)
	}
	return out, v.Kind() == rawjson.Array && len(out) > 0
}

// allOf: every branch must hold. What takes more in every branch takes more.
func (c *comparer) allOf(s side) Class {
	was, ok1 := branches(s.old, "allOf")
	is, ok2 := branches(s.new, "allOf")
	if !ok1 || !ok2 {
		return c.opaque(s, "allOf")
	}
	if len(was) == len(is) {
		class := Same
		for i := range was {
			class = class.and(c.schemas(was[i], is[i], s.below("allOf")+"/"+strconv.Itoa(i), s.depth+1))
		}
		return class
	}
	// Takes more: each condition that is left is no stricter than one that was there.
	wider := c.covered(cover{is, was, false, Widened}, s.depth)
	narrower := c.covered(cover{was, is, true, Narrowed}, s.depth)
	return c.composed(s, "allOf", was, is, wider, narrower)
}

// alternatives compares anyOf, and oneOf where its branches exclude each other.
func (c *comparer) alternatives(s side, name string) Class {
	was, ok1 := branches(s.old, name)
	is, ok2 := branches(s.new, name)
	if !ok1 || !ok2 {
		return c.opaque(s, name)
	}
	if len(was) == len(is) { // most often one of them changed where it stands
		class := Same
		apart := 0
		for i := range was {
			k := c.silently(func() Class { return c.schemas(was[i], is[i], "", s.depth+1) })
			if k != Same || was[i].Canonical() != is[i].Canonical() {
				apart++
			}
			class = class.and(k)
		}
		exclusive := name == "anyOf" || c.exclusive(c.oldRoot, was) && c.exclusive(c.newRoot, is)
		if apart <= 1 && (exclusive || class == Same) {
			class = Same
			for i := range was {
				class = class.and(c.schemas(was[i], is[i], s.below(name)+"/"+strconv.Itoa(i), s.depth+1))
			}
			return class
		}
	}
	// Takes more: whatever fitted a branch fits one that is there now.
	wider := c.covered(cover{was, is, true, Widened}, s.depth)
	narrower := c.covered(cover{is, was, false, Narrowed}, s.depth)
	if name == "oneOf" && !(wider && narrower && len(was) == len(is)) && !(c.exclusive(c.oldRoot, was) && c.exclusive(c.newRoot, is)) {
		return c.report(Change{Pointer: s.below(name), Keyword: name, Class: Unclear, Words: "what fits two branches of oneOf is refused, and these may overlap", Old: s.old.Get(name), New: s.new.Get(name)})
	}
	return c.composed(s, name, was, is, wider, narrower)
}

// A cover asks whether each of some branches has a counterpart among others from which it
// differs in one way at most, read from the old schema to the new one.
type cover struct {
	some, others []rawjson.Value
	someAreOld   bool
	way          Class
}

// maxBranches is how many comparisons of branches are tried at one place.
const maxBranches = 250_000

func (c *comparer) covered(q cover, depth int) bool {
	if len(q.some)*len(q.others) > maxBranches {
		return false
	}
	fits := func(x, y rawjson.Value) bool {
		old, new := x, y
		if !q.someAreOld {
			old, new = y, x
		}
		k := c.silently(func() Class { return c.schemas(old, new, "", depth+1) })
		return k == Same || k == q.way
	}
	for _, x := range q.some {
		if !slices.ContainsFunc(q.others, func(y rawjson.Value) bool { return fits(x, y) }) {
			return false
		}
	}
	return true
}

func (c *comparer) composed(s side, name string, was, is []rawjson.Value, wider, narrower bool) Class {
	class, words := Unclear, "other branches"
	switch {
	case wider && narrower:
		class, words = Same, "branches in another order or in other words"
	case wider:
		class = Widened
	case narrower:
		class = Narrowed
	}
	if len(was) != len(is) {
		words = fmt.Sprintf("%s → %d", count(len(was), "branch"), len(is))
	}
	return c.report(Change{Pointer: s.below(name), Keyword: name, Class: class, Words: words, Old: s.old.Get(name), New: s.new.Get(name)})
}

// exclusive reports whether no value fits two of the branches: their types, or the values
// they list, have nothing in common.
func (c *comparer) exclusive(root rawjson.Value, branches []rawjson.Value) bool {
	types, values := map[string]int{}, map[string]int{}
	typed, listed := true, true
	for i, b := range branches {
		b, _ = c.resolve(root, b)
		ts, ok := typesOf(b.Get("type"))
		typed = typed && ok && b.Get("type").Exists()
		for _, t := range ts {
			if j, there := types[t]; there && j != i {
				typed = false
			}
			types[t] = i
		}
		vs, limited, ok := valuesOf(b)
		listed = listed && ok && limited
		for _, v := range vs {
			if j, there := values[v]; there && j != i {
				listed = false
			}
			values[v] = i
		}
	}
	return typed || listed
}

// not turns everything round.
func (c *comparer) not(s side) Class {
	old, new := s.get("not")
	if !old.Exists() || !new.Exists() {
		return c.opaque(s, "not")
	}
	c.flipped = !c.flipped
	defer func() { c.flipped = !c.flipped }()
	return c.schemas(old, new, s.below("not"), s.depth+1).inverse()
}

// conditional compares if, then and else, of which a change decides nothing.
func (c *comparer) conditional(s side) Class {
	class := Same
	for _, name := range []string{"if", "then", "else"} {
		old, new := s.get(name)
		k := c.silently(func() Class { return c.schemas(old, new, "", s.depth+1) })
		if k == Same {
			c.schemas(old, new, s.below(name), s.depth+1) // for words in it
		} else {
			class = class.and(c.report(Change{Pointer: s.below(name), Keyword: name, Class: Unclear, Words: "a condition", Old: old, New: new}))
		}
	}
	return class
}
