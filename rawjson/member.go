package rawjson

import (
	"iter"
	"slices"
	"strings"
)

// Read returns the value of a text, absent if it is no JSON.
func Read(text string) Value {
	t := new(Tree)
	_ = t.Parse(text, 0) // which leaves the tree empty
	return t.Root()
}

// Fields yields the decoded name and the raw value of every member of a raw object, duplicates included; nothing if the text is not
// an object.
func Fields(object string) iter.Seq2[string, string] {
	return func(yield func(name, value string) bool) {
		if object == "" || object[0] != '{' {
			return
		}
		_ = EachMember(object, 0, func(key, value Span) bool {
			return yield(Unquote(object[key.Start:key.End]), object[value.Start:value.End])
		})
	}
}

// Items yields the elements of a raw array; nothing if the text is not an array.
func Items(array string) iter.Seq[string] {
	return func(yield func(string) bool) {
		if array == "" || array[0] != '[' {
			return
		}
		_ = EachElement(array, 0, func(_ int, s Span) bool { return yield(array[s.Start:s.End]) })
	}
}

// LastMember returns the raw value of an object's member with this name, the last duplicate, as most parsers take it;
// "" if there is none or the text is not an object.
func LastMember(object, name string) (found string) {
	for n, value := range Fields(object) {
		if n == name {
			found = value
		}
	}
	return found
}

// LastText returns the decoded string that LastMember finds, "" if it finds anything else.
func LastText(object, name string) string { return UnquoteString(LastMember(object, name)) }

// UnquoteString decodes a raw string value; "" for any other value.
func UnquoteString(raw string) string {
	if raw == "" || raw[0] != '"' {
		return ""
	}
	return Unquote(raw)
}

// Build returns an object with the members given by name and raw value, without those whose value is "".
func Build(members ...string) string {
	b := []byte{'{'}
	for i := 0; i < len(members); i += 2 {
		if members[i+1] == "" {
			continue
		}
		if len(b) > 1 {
			b = append(b, ',')
		}
		b = append(append(AppendString(b, members[i]), ':'), members[i+1]...)
	}
	return string(append(b, '}'))
}

// Join returns an object with the members of all these raw objects, in order and as they stand.
func Join(objects ...string) string {
	var all []string
	for _, o := range objects {
		if members := strings.Trim(o[1:len(o)-1], " \t\r\n"); members != "" {
			all = append(all, members)
		}
	}
	return "{" + strings.Join(all, ",") + "}"
}

// Without returns a raw object without the members of these names; the others are unchanged.
func Without(object string, names ...string) string {
	var kept []string
	_ = EachMember(object, 0, func(key, value Span) bool {
		if !slices.Contains(names, Unquote(object[key.Start:key.End])) {
			kept = append(kept, object[key.Start:value.End])
		}
		return true
	})
	return "{" + strings.Join(kept, ",") + "}"
}

// Replace returns a raw object with the value of every member of this name replaced.
func Replace(object, name, value string) string {
	var b strings.Builder
	at := 0
	_ = EachMember(object, 0, func(key, v Span) bool {
		if Unquote(object[key.Start:key.End]) == name {
			b.WriteString(object[at:v.Start])
			b.WriteString(value)
			at = v.End
		}
		return true
	})
	return b.String() + object[at:]
}
