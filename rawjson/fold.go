package rawjson

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// SameFolded reports whether parsers that ignore the case of member names, such as Go's encoding/json and several in C#
// and Java, take one name for the other. Unicode folding counts, too: "toolſ" is "tools" to encoding/json.
func SameFolded(a, b string) bool { return a == b || strings.EqualFold(a, b) }

// FoldName returns the same text for all names that such parsers take for each other.
func FoldName(name string) string {
	if isFolded(name) {
		return name
	}
	return strings.Map(func(r rune) rune {
		least := r
		for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
			least = min(least, f)
		}
		return least
	}, name)
}

// isFolded reports whether a name is its own folded form: ASCII without lower-case letters, since the smallest form of
// a letter is the capital.
func isFolded(name string) bool {
	for i := range len(name) {
		if c := name[i]; c >= utf8.RuneSelf || 'a' <= c && c <= 'z' {
			return false
		}
	}
	return true
}

// A Reading is a member of an object that some parser takes for the requested one.
type Reading struct {
	Name string // as spelled, decoded
	Raw  string
}

// Readings returns, in order, every member of a raw object that some parser takes for name: some take the first
// duplicate, some the last, and some ignore case. It is nil if the text is not an object.
func Readings(object, name string) (found []Reading) {
	if object == "" || object[0] != '{' {
		return nil
	}
	_ = EachMember(object, 0, func(key, value Span) bool {
		if spelled := Unquote(object[key.Start:key.End]); SameFolded(spelled, name) {
			found = append(found, Reading{spelled, object[value.Start:value.End]})
		}
		return true
	})
	return found
}

// FirstAmbiguous returns the first member at or below v, down to maxDepth levels, whose name occurs earlier in its object, ignoring
// case. isMap names the members whose value holds the author's own names, such as a schema's properties; there case matters.
func FirstAmbiguous(v Value, isMap func(member string) bool, maxDepth int) Value {
	return firstAmbiguous(v, isMap, false, maxDepth)
}

func firstAmbiguous(v Value, isMap func(string) bool, exact bool, depth int) Value {
	if depth < 0 {
		return Value{}
	}
	if v.Kind() == Object {
		if m := twin(v, exact); m.Exists() {
			return m
		}
	}
	for m := range v.Members() {
		if k := m.Value.Kind(); k == Object || k == Array {
			if found := firstAmbiguous(m.Value, isMap, isMap(m.Key.Text()), depth-1); found.Exists() {
				return found
			}
		}
	}
	for _, e := range v.Elements() {
		if k := e.Kind(); k == Object || k == Array {
			if found := firstAmbiguous(e, isMap, exact, depth-1); found.Exists() {
				return found
			}
		}
	}
	return Value{}
}

// twin returns the value of the first member whose name occurs earlier, in the same spelling or, unless exact, in another case.
func twin(v Value, exact bool) Value {
	const few = 16 // as many as honest objects have
	var names [few]string
	var more map[string]bool
	n := 0
	for m := range v.Members() {
		name := m.Key.Text()
		folded := func() string {
			if exact {
				return name
			}
			return FoldName(name)
		}
		if slices.ContainsFunc(names[:n], func(old string) bool { return old == name || !exact && strings.EqualFold(old, name) }) || more != nil && more[folded()] {
			return m.Value
		}
		if n < few {
			names[n] = name
			n++
			continue
		}
		if more == nil {
			more = map[string]bool{}
		}
		more[folded()] = true
	}
	return Value{}
}
