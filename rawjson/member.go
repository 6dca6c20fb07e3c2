package rawjson

// LastMember returns the raw value of an object's member with this name, the last duplicate, as most parsers take it;
// "" if there is none or the text is not an object.
func LastMember(object, name string) (found string) {
	if object == "" || object[0] != '{' {
		return ""
	}
	_ = EachMember(object, 0, func(key, value Span) bool {
		if Unquote(object[key.Start:key.End]) == name {
			found = object[value.Start:value.End]
		}
		return true
	})
	return found
}

// UnquoteString decodes a raw string value; "" for any other value.
func UnquoteString(raw string) string {
	if raw == "" || raw[0] != '"' {
		return ""
	}
	return Unquote(raw)
}
