package schema

import (
	"cmp"
	"strings"

	"gauntlet/rawjson"
)

// A Class is how the set of accepted values has changed.
type Class string

// The classes. Widened and narrowed mean "at most": two schemas may accept the same values in different words.
const (
	Same      Class = "same"      // no change, or only of texts
	Widened   Class = "widened"   // accepts everything it did, and more
	Narrowed  Class = "narrowed"  // accepts nothing new, and less
	Unrelated Class = "unrelated" // accepts some new values, and no longer some old ones
	Unclear   Class = "unclear"   // no rule decides
)

// and combines the classes of constraints that must all hold.
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

// inverse returns the class of the change from new to old.
func (c Class) inverse() Class {
	switch c {
	case Widened:
		return Narrowed
	case Narrowed:
		return Widened
	}
	return c
}

// A Change is one difference between two schemas.
type Change struct {
	Pointer  string // RFC 6901 pointer to the changed keyword, or the added or removed part
	Keyword  string // "" for an added or removed part
	Class    Class
	Words    string        // description for a reader; quotes the server's texts
	Old, New rawjson.Value // absent on one side only
}

// A Result is the result of a comparison.
type Result struct {
	Class   Class
	Changes []Change // in the new schema's order
	More    int      // further changes
}

// Limits of a comparison. What lies beyond is Unclear.
const (
	maxPairs   = 20_000 // pairs of schemas compared
	maxDepth   = 100
	maxChanges = 1_000
)

// Compare compares two schemas constraint by constraint: does the new one accept more than the old one, less, or neither? They are the
// roots of their local references ($ref with #). An absent schema accepts everything, like true.
//
// It knows the keywords used in tool definitions: type, enum and const, properties, required and additionalProperties, items,
// bounds of numbers and sizes, pattern, format and multipleOf (present, absent or changed), allOf and anyOf, and local references.
// A change of any other keyword is Unclear. One rule takes the caller's view instead of the standard's letter: the class of a
// property, see classifyDeclared.
func Compare(old, new rawjson.Value) Result {
	c := &comparer{oldRoot: old, newRoot: new, compared: map[pair]Class{}, referenced: map[string]bool{}, indexes: map[rawjson.Value]index{}}
	class := c.compareSchemas(old, new, "", 0)
	class = class.and(c.compareDefinitions())
	if class != Same && c.refersOpaquely {
		class = Unclear
	}
	if len(c.changes) == 0 && old.Canonical() != new.Canonical() {
		for _, d := range rawjson.Differences(old, new, 10) {
			c.reportChange(Change{Pointer: d.Pointer, Class: Same, Words: "changed, without a meaning for what is accepted", Old: d.Old, New: d.New})
		}
	}
	return Result{class, c.changes, c.more}
}

func sameMember(old, new rawjson.Value, name string) bool {
	return old.Get(name).Canonical() == new.Get(name).Canonical()
}

type pair struct{ old, new rawjson.Value }

type comparer struct {
	oldRoot, newRoot rawjson.Value
	compared         map[pair]Class // including pairs in progress: a recursive schema adds nothing
	pairs            int
	refersOpaquely   bool // a keyword that is not compared may refer to a change
	changes          []Change
	more             int
	referenced       map[string]bool // compared definitions by pointer
	indexes          map[rawjson.Value]index
}

func (c *comparer) reportChange(ch Change) Class {
	if len(c.changes) >= maxChanges {
		c.more++
	} else {
		c.changes = append(c.changes, ch)
	}
	return ch.Class
}

func (c *comparer) compareSchemas(old, new rawjson.Value, at string, depth int) Class {
	old, oldAt := c.followReference(c.oldRoot, old)
	new, newAt := c.followReference(c.newRoot, new)
	if newAt != "" && newAt == oldAt { // the same definition on both sides: the change is reported there
		at = newAt
		c.referenced[newAt] = true
	}
	if old.Raw() == new.Raw() && !mayRefer(old.Raw()) {
		return Same
	}
	key := pair{old, new}
	if class, ok := c.compared[key]; ok {
		return class
	}
	if c.pairs++; c.pairs > maxPairs || depth > maxDepth {
		return c.reportChange(Change{Pointer: at, Class: Unclear, Words: "too large or too deep to compare further", Old: old, New: new})
	}
	c.compared[key] = Same
	class := c.compareKeywords(place{old: old, new: new, at: at, depth: depth})
	c.compared[key] = class
	return class
}

// mayRefer reports whether a schema's text may contain a reference.
func mayRefer(raw string) bool {
	return strings.Contains(raw, `ef"`) || strings.Contains(raw, `\u`)
}

// A place is a pair of schemas being compared, with their members by name.
type place struct {
	old, new   rawjson.Value
	olds, news index
	at         string
	depth      int
}

func (p place) valuesOf(keyword string) (old, new rawjson.Value) {
	return p.olds[keyword], p.news[keyword]
}

func (p place) below(name string) string { return p.at + "/" + rawjson.EscapePointer(name) }

func (p place) keywordChange(keyword string, class Class, words string) Change {
	return Change{Pointer: p.below(keyword), Keyword: keyword, Class: class, Words: words, Old: p.olds[keyword], New: p.news[keyword]}
}

// compareKeywords compares two schemas keyword by keyword, in the new one's order.
func (c *comparer) compareKeywords(p place) Class {
	ch := Change{Pointer: p.at, Old: p.old, New: p.new}
	ch.Words = cmp.Or(malformed(p.new), malformed(p.old))
	switch was, is := acceptsNothing(p.old), acceptsNothing(p.new); {
	case was && is || ch.Words != "" && p.old.Canonical() == p.new.Canonical():
		return Same
	case ch.Words != "":
		ch.Class = Unclear
		return c.reportChange(ch)
	case was:
		ch.Class, ch.Words = Widened, "forbidden before"
		return c.reportChange(ch)
	case is:
		ch.Class, ch.Words = Narrowed, "forbidden now"
		return c.reportChange(ch)
	}
	p.olds, p.news = c.indexOf(p.old), c.indexOf(p.new)
	class := Same
	done := map[string]bool{"$defs": true, "definitions": true} // see compareDefinitions
	for _, v := range []rawjson.Value{p.new, p.old} {
		for m := range v.Members() {
			name := m.Key.Text()
			if name == "required" || name == "additionalProperties" {
				name = "properties" // compared together
			}
			if !done[name] {
				done[name] = true
				class = class.and(c.compareKeyword(p, name))
			}
		}
	}
	return class
}

// acceptsAll reports whether a schema has no keyword.
func acceptsAll(v rawjson.Value) bool {
	b, ok := v.Bool()
	return !v.Exists() || ok && b || v.Kind() == rawjson.Object && v.Len() == 0
}

func acceptsNothing(v rawjson.Value) bool {
	b, ok := v.Bool()
	return ok && !b
}

// malformed returns why a value is not a schema, or "".
func malformed(v rawjson.Value) string {
	if k := v.Kind(); k != rawjson.Object && k != rawjson.Bool && k != rawjson.Absent {
		return "not a schema"
	}
	seen := map[string]bool{}
	for m := range v.Members() {
		if seen[m.Key.Text()] {
			return "a member occurs more than once; readers differ in which one they use"
		}
		seen[m.Key.Text()] = true
	}
	return ""
}

func (c *comparer) compareKeyword(p place, name string) Class {
	old, new := p.valuesOf(name)
	switch name { // may change through a reference
	case "properties":
		return c.compareProperties(p)
	case "items":
		return c.compareSchemas(old, new, p.below(name), p.depth+1)
	case "allOf", "anyOf":
		return c.compareBranches(p, name)
	}
	words, annotates := annotations[name]
	if old.Canonical() == new.Canonical() {
		isLocal := name == "$ref" && strings.HasPrefix(new.Text(), "#")
		c.refersOpaquely = c.refersOpaquely || isLocal || comparisons[name] == nil && !annotates && mayRefer(new.Raw())
		return Same
	}
	class := Same
	if !annotates {
		class, words = Unclear, "a keyword that is not compared"
	}
	if compare := comparisons[name]; compare != nil {
		class, words = compare(old, new)
		if exclusivePartners[name] != "" && !sameMember(p.old, p.new, exclusivePartners[name]) {
			class = Unclear
		}
	}
	return c.reportChange(p.keywordChange(name, class, words))
}

// WordsOnly is Change.Words for a keyword that only addresses readers.
const WordsOnly = "words only"

// annotations are keywords that do not affect what is accepted.
var annotations = map[string]string{
	"title": WordsOnly, "description": WordsOnly, "$comment": WordsOnly, "examples": WordsOnly, "deprecated": WordsOnly,
	"default":  "the value used for one that is left out",
	"readOnly": "a hint", "writeOnly": "a hint",
}
