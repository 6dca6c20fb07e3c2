package schema

import (
	"fmt"
	"slices"
	"strings"

	"gauntlet/rawjson"
)

// comparisons are the keywords whose values can be compared without nested schemas. Either value may be absent.
var comparisons = map[string]func(old, new rawjson.Value) (Class, string){
	"type": compareTypes, "enum": compareEnums, "const": comparePresence,
	"minimum": compareLowerBounds, "exclusiveMinimum": compareLowerBounds, "maximum": compareUpperBounds, "exclusiveMaximum": compareUpperBounds,
	"minLength": compareLowerBounds, "minItems": compareLowerBounds, "minProperties": compareLowerBounds,
	"maxLength": compareUpperBounds, "maxItems": compareUpperBounds, "maxProperties": compareUpperBounds,
	"pattern": comparePresence, "format": comparePresence, "multipleOf": comparePresence,
}

// exclusivePartners are pairs of keywords with one meaning: a change of both is not judged.
var exclusivePartners = map[string]string{
	"minimum": "exclusiveMinimum", "exclusiveMinimum": "minimum", "maximum": "exclusiveMaximum", "exclusiveMaximum": "maximum",
	"enum": "const", "const": "enum",
}

// comparePresence compares a keyword by presence alone: no rule says which of two patterns accepts more.
func comparePresence(old, new rawjson.Value) (Class, string) {
	switch {
	case !old.Exists():
		return Narrowed, "new constraint"
	case !new.Exists():
		return Widened, "constraint is gone"
	}
	return Unclear, "cannot tell which of the two accepts more"
}

var allTypes = []string{"array", "boolean", "integer", "null", "number", "object", "string"}

// typesOf returns the types that a "type" accepts, sorted; false if one is unknown.
func typesOf(v rawjson.Value) (types []string, ok bool) {
	switch v.Kind() {
	case rawjson.Absent:
		return allTypes, true
	case rawjson.String:
		types = append(types, v.Text())
	case rawjson.Array:
		for _, e := range v.Elements() {
			types = append(types, e.Text())
		}
	}
	if slices.Contains(types, "number") {
		types = append(types, "integer") // every integer is a number
	}
	slices.Sort(types)
	return slices.Compact(types), len(types) > 0 && containsAll(allTypes, types)
}

func compareTypes(old, new rawjson.Value) (Class, string) {
	was, wasKnown := typesOf(old)
	is, isKnown := typesOf(new)
	if !wasKnown || !isKnown {
		return Unclear, "type"
	}
	return compareSets(was, is), "type"
}

// containsAll reports whether all, sorted, contains each of some.
func containsAll(all, some []string) bool {
	return !slices.ContainsFunc(some, func(x string) bool { _, ok := slices.BinarySearch(all, x); return !ok })
}

// compareSets compares sorted lists of accepted values.
func compareSets(old, new []string) Class {
	switch more, less := containsAll(new, old), containsAll(old, new); {
	case more && less:
		return Same
	case more:
		return Widened
	case less:
		return Narrowed
	}
	return Unrelated
}

// canonicalElements returns an array's elements in canonical form, sorted.
func canonicalElements(v rawjson.Value) (out []string) {
	for _, e := range v.Elements() {
		out = append(out, e.Canonical())
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func compareEnums(old, new rawjson.Value) (Class, string) {
	switch isList := func(v rawjson.Value) bool { return !v.Exists() || v.Kind() == rawjson.Array }; {
	case !isList(old) || !isList(new):
		return Unclear, "not a list of values"
	case !old.Exists():
		return Narrowed, "any value before"
	case !new.Exists():
		return Widened, "any value now"
	}
	was, is := canonicalElements(old), canonicalElements(new)
	return compareSets(was, is), strings.TrimSpace("values " + describeEdits(was, is))
}

// describeEdits lists added and removed values, a few of each.
func describeEdits(was, is []string) string {
	var words []string
	list := func(sign string, some, others []string) {
		const most = 8
		some = slices.DeleteFunc(slices.Clone(some), func(x string) bool { return containsAll(others, []string{x}) })
		for _, x := range some[:min(most, len(some))] {
			words = append(words, sign+x)
		}
		if more := len(some) - most; more > 0 {
			words = append(words, fmt.Sprintf("%s%d more", sign, more))
		}
	}
	list("+", is, was)
	list("-", was, is)
	return strings.Join(words, ", ")
}

func compareLowerBounds(old, new rawjson.Value) (Class, string) {
	class, _ := compareUpperBounds(new, old)
	if old.Exists() != new.Exists() {
		class = class.inverse() // a new bound narrows, on either side
	}
	return class, "lower bound"
}

// compareUpperBounds compares two bounds exactly. Draft 4's boolean exclusive bounds are Unclear.
func compareUpperBounds(old, new rawjson.Value) (Class, string) {
	class := Unclear
	order, comparable := rawjson.CompareNumbers(old, new)
	switch {
	case old.Kind() == rawjson.Number && !new.Exists(), comparable && order < 0:
		class = Widened
	case new.Kind() == rawjson.Number && !old.Exists(), comparable && order > 0:
		class = Narrowed
	case comparable:
		class = Same
	}
	return class, "upper bound"
}
