// Package schemadiff compares two JSON Schemas constraint by constraint: does the new one
// take more than the old one, less, or neither of the two.
//
// What it says rests on what each keyword means (JSON Schema 2020-12, and the forms of
// earlier drafts where they can be told apart). Where no rule decides, it says Unclear. One
// point is the caller's view and not the letter of the standard: see the class of a
// property in properties.go.
package schemadiff

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gauntlet/rawjson"
)

// A Class says how what a schema takes has changed.
type Class string

// The classes. Widened and narrowed are to be read as "at most": two schemas may take the
// same values in different words.
const (
	Same      Class = "same"      // nothing but words, or nothing at all
	Widened   Class = "widened"   // whatever the old one took is still taken, and more
	Narrowed  Class = "narrowed"  // nothing is taken that the old one did not, and some is not
	Unrelated Class = "unrelated" // some is taken that was not, and some is not that was
	Unclear   Class = "unclear"   // no rule decides
)

// and joins the classes of constraints that must all hold.
func (c Class) and(d Class) Class {
	switch {
	case c == d || d == Same:
		return c
	case c == Same:
		return d
	case c == Unclear || d == Unclear:
		return Unclear
	}
	return Unrelated
}

// inverse is the class of the way back.
func (c Class) inverse() Class {
	switch c {
	case Widened:
		return Narrowed
	case Narrowed:
		return Widened
	}
	return c
}

// A Change is one place in which two schemas differ.
type Change struct {
	Pointer  string // RFC 6901, from the schema: of the keyword that changed, or of the part that came or went
	Keyword  string // "" where a whole part came or went
	Class    Class
	Words    string        // what is new, for a reader; texts in it are as the server sent them
	Old, New rawjson.Value // absent where only the other side has it
}

// A Result is what a comparison found.
type Result struct {
	Class   Class
	Changes []Change // in the order of the new schema
	More    int      // changes beyond those
}

// The bounds of a comparison. What lies beyond is Unclear.
const (
	maxPairs   = 20_000 // schemas compared with each other
	maxDepth   = 100
	maxChanges = 1_000
)

// Compare compares two schemas, each of which is the root to which its local references
// ($ref with a #) point. A schema that is absent takes everything, as true does.
func Compare(old, new rawjson.Value) Result {
	c := &comparer{oldRoot: old, newRoot: new, seen: map[pair]Class{}, referred: map[string]bool{}, indexes: map[rawjson.Value]index{}}
	class := c.schemas(old, new, "", 0)
	c.definitions()
	if c.dialect() {
		class = class.and(c.report(Change{Pointer: "/$schema", Keyword: "$schema", Class: Unclear, Words: "the draft changed, and what a keyword here means depends on it", Old: old.Get("$schema"), New: new.Get("$schema")}))
	}
	if class == Same && len(c.changes) == 0 && old.Canonical() != new.Canonical() {
		for _, d := range rawjson.Differences(old, new, 10) {
			c.report(Change{Pointer: d.Pointer, Class: Same, Words: "changed, without a meaning for what is taken", Old: d.Old, New: d.New})
		}
	}
	return Result{class, c.changes, c.more}
}

// A pair is two values under comparison.
type pair struct{ old, new rawjson.Value }

// An index is the members of an object by name, of one that repeats the last, or the
// elements of an array by number.
type index map[string]rawjson.Value

// index finds members without reading the object each time: a hostile schema has many.
func (c *comparer) index(v rawjson.Value) index {
	if x, ok := c.indexes[v]; ok {
		return x
	}
	x := index{}
	for m := range v.Members() {
		x[m.Key.Text()] = m.Value
	}
	for i, e := range v.Elements() {
		x[strconv.Itoa(i)] = e
	}
	c.indexes[v] = x
	return x
}

type comparer struct {
	oldRoot, newRoot rawjson.Value
	seen             map[pair]Class // also of those under way: what refers to itself adds nothing
	pairs            int
	quiet            int // above 0: find out, do not report
	flipped          bool
	changes          []Change
	more             int
	referred         map[string]bool // definitions that were compared, by pointer
	indexes          map[rawjson.Value]index
}

// report records a change and returns its class.
func (c *comparer) report(ch Change) Class {
	class := ch.Class
	if c.quiet > 0 {
		return class
	}
	if len(c.changes) >= maxChanges {
		c.more++
		return class
	}
	if c.flipped {
		ch.Class = class.inverse()
	}
	c.changes = append(c.changes, ch)
	return class
}

// silently finds out a class without reporting what makes it.
func (c *comparer) silently(find func() Class) Class {
	c.quiet++
	defer func() { c.quiet-- }()
	return find()
}

// schemas compares two schemas that stand at one place.
func (c *comparer) schemas(old, new rawjson.Value, at string, depth int) Class {
	old, oldAt := c.resolve(c.oldRoot, old)
	new, newAt := c.resolve(c.newRoot, new)
	if newAt != "" && newAt == oldAt { // one definition on both sides: a change is one of the definition
		at = newAt
		if c.quiet == 0 {
			c.referred[newAt] = true
		}
	}
	if old.Raw() == new.Raw() && !refers(old.Raw()) {
		return Same
	}
	key := pair{old, new}
	if class, ok := c.seen[key]; ok {
		return class
	}
	if c.pairs++; c.pairs > maxPairs || depth > maxDepth {
		return c.report(Change{Pointer: at, Class: Unclear, Words: "too large or too deep to compare further", Old: old, New: new})
	}
	c.seen[key] = Same
	class := c.compare(old, new, at, depth)
	c.seen[key] = class
	if c.quiet > 0 {
		delete(c.seen, key) // what makes it was not reported yet
	}
	return class
}

// refers reports whether a schema's text may hold a reference, whose meaning stands elsewhere.
func refers(raw string) bool {
	return strings.Contains(raw, `ef"`) || strings.Contains(raw, `\u`)
}

func (c *comparer) compare(old, new rawjson.Value, at string, depth int) Class {
	switch oldAny, newAny := takesAll(old), takesAll(new); {
	case oldAny && newAny:
	case takesNothing(old) && takesNothing(new):
		return Same
	case takesNothing(old):
		return c.report(Change{Pointer: at, Class: Widened, Words: "forbidden before", Old: old, New: new})
	case takesNothing(new):
		return c.report(Change{Pointer: at, Class: Narrowed, Words: "forbidden now", Old: old, New: new})
	}
	if why := cmp.Or(odd(new), odd(old)); why != "" {
		if old.Canonical() == new.Canonical() {
			return Same
		}
		return c.report(Change{Pointer: at, Class: Unclear, Words: why, Old: old, New: new})
	}
	return c.keywords(old, new, at, depth)
}

// takesAll reports whether a schema has no keyword at all.
func takesAll(v rawjson.Value) bool {
	b, ok := v.Bool()
	return !v.Exists() || ok && b || v.Kind() == rawjson.Object && v.Len() == 0
}

func takesNothing(v rawjson.Value) bool {
	b, ok := v.Bool()
	return ok && !b
}

// odd returns why a value cannot be read as a schema, "" if it can.
func odd(v rawjson.Value) string {
	switch k := v.Kind(); {
	case k != rawjson.Object && k != rawjson.Bool && k != rawjson.Absent:
		return "not a schema"
	case repeats(v):
		return "a member stands more than once; readers differ in which one they take"
	}
	return ""
}

func repeats(v rawjson.Value) bool {
	seen := map[string]bool{}
	for m := range v.Members() {
		if seen[m.Key.Text()] {
			return true
		}
		seen[m.Key.Text()] = true
	}
	return false
}

// keywords compares two schemas keyword by keyword, in the order of the new one.
func (c *comparer) keywords(old, new rawjson.Value, at string, depth int) Class {
	class := Same
	done := map[string]bool{}
	for _, v := range []rawjson.Value{new, old} {
		for m := range v.Members() {
			name := m.Key.Text()
			group, known := groups[name]
			if !known {
				group = name
			}
			if done[group] {
				continue
			}
			done[group] = true
			here := side{old, new, c.index(old), c.index(new), at, depth}
			class = class.and(c.group(here, group))
		}
	}
	return class
}

// groups are the keywords that depend on each other.
var groups = map[string]string{
	"exclusiveMinimum": "minimum", "exclusiveMaximum": "maximum", "const": "enum",
	"required": "properties", "additionalProperties": "properties", "patternProperties": "properties", "unevaluatedProperties": "properties",
	"prefixItems": "items", "additionalItems": "items", "unevaluatedItems": "items",
	"minContains": "contains", "maxContains": "contains", "then": "if", "else": "if",
}

// group compares one keyword, with those that depend on it.
func (c *comparer) group(s side, name string) Class {
	switch name {
	case "type":
		return c.types(s)
	case "enum":
		return c.enum(s)
	case "minimum", "minLength", "minItems", "minProperties":
		return c.bound(s, name, true)
	case "maximum", "maxLength", "maxItems", "maxProperties":
		return c.bound(s, name, false)
	case "multipleOf":
		return c.multipleOf(s)
	case "uniqueItems":
		return c.uniqueItems(s)
	case "pattern", "format":
		return c.opaque(s, name)
	case "properties":
		return c.properties(s)
	case "propertyNames":
		return c.subschema(s, name)
	case "dependentRequired", "dependentSchemas", "dependencies", "$recursiveRef", "$dynamicRef":
		return c.opaque(s, name)
	case "items":
		return c.items(s)
	case "contains":
		return c.contains(s)
	case "allOf":
		return c.allOf(s)
	case "anyOf", "oneOf":
		return c.alternatives(s, name)
	case "not":
		return c.not(s)
	case "if":
		return c.conditional(s)
	case "$ref":
		return c.reference(s)
	case "$defs", "definitions":
		return Same // see definitions
	}
	return c.other(s, name)
}

// A side is two schemas and where they stand.
type side struct {
	old, new   rawjson.Value
	olds, news index
	at         string
	depth      int
}

func (s side) get(name string) (old, new rawjson.Value) { return s.olds[name], s.news[name] }

func (s side) below(name string) string { return s.at + "/" + rawjson.EscapePointer(name) }

// other compares a keyword that says nothing about what is taken, or that nobody knows.
func (c *comparer) other(s side, name string) Class {
	old, new := s.get(name)
	if old.Canonical() == new.Canonical() {
		return Same
	}
	words := "not a keyword of JSON Schema"
	if what, ok := annotations[name]; ok {
		words = what
	}
	return c.report(Change{Pointer: s.below(name), Keyword: name, Class: Same, Words: words, Old: old, New: new})
}

// WordsOnly is what Words says of a keyword that only speaks to readers.
const WordsOnly = "words only"

// annotations are keywords without effect on what is taken.
var annotations = map[string]string{
	"title": WordsOnly, "description": WordsOnly, "$comment": WordsOnly, "examples": WordsOnly,
	"$schema": "the draft; no keyword here depends on it",
	"default": "what stands for a value that is left out", "deprecated": WordsOnly,
	"readOnly": "a hint", "writeOnly": "a hint", "$id": "a name", "$anchor": "a name", "$vocabulary": "a name",
	"contentEncoding": "a hint", "contentMediaType": "a hint", "contentSchema": "a hint",
}

// dialect reports whether the draft changed and the schema has a keyword whose meaning
// depends on it.
func (c *comparer) dialect() bool {
	old, new := c.oldRoot.Get("$schema"), c.newRoot.Get("$schema")
	if old.Canonical() == new.Canonical() {
		return false
	}
	moved := []string{"prefixItems", "additionalItems", "dependencies", "dependentSchemas", "dependentRequired",
		"unevaluatedProperties", "unevaluatedItems", "$recursiveRef", "$dynamicRef", "contains", "id"}
	for _, root := range []rawjson.Value{c.oldRoot, c.newRoot} {
		for s := range root.Strings() {
			if s.IsKey && slices.Contains(moved, s.Value.Text()) {
				return true
			}
		}
	}
	return false
}

// definitions reports changes of definitions that no reference led to.
func (c *comparer) definitions() {
	for _, group := range []string{"$defs", "definitions"} {
		old, new := c.oldRoot.Get(group), c.newRoot.Get(group)
		for _, d := range rawjson.Differences(old, new, maxChanges) {
			name, _, _ := strings.Cut(strings.TrimPrefix(d.Pointer, "/"), "/")
			at := "/" + group + "/" + name
			if name == "" || c.referred[at] {
				continue
			}
			c.report(Change{Pointer: "/" + group + d.Pointer, Class: Same, Words: "a definition that no reference in both schemas leads to", Old: d.Old, New: d.New})
		}
	}
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
