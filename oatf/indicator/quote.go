package indicator

import "strings"

// quote returns what evidence shows of a text. It is a copy, since texts share the memory
// of their message.
func quote(s string) string {
	if len(s) <= maxEvidence {
		return strings.Clone(s)
	}
	return strings.ToValidUTF8(s[:maxEvidence], "") + "…"
}
