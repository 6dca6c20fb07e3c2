package sandbox

import "strings"

// joinedValues joins what stands behind the names of a query, a form or a header: "?a=gh&b=p_".
func joinedValues(text string) string {
	var b strings.Builder
	for rest := text; ; {
		i := strings.IndexAny(rest, "=:")
		if i < 0 {
			return b.String()
		}
		rest = strings.TrimLeft(rest[i+1:], " \"'")
		end := strings.IndexFunc(rest, func(r rune) bool { return !isWord(r) && r != '_' && r != '-' && r != '.' })
		if end < 0 {
			end = len(rest)
		}
		b.WriteString(rest[:end])
		rest = rest[end:]
	}
}
