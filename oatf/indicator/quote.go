package indicator

import (
	"strings"

	"gauntlet/internal/leaf/excerpt"
)

// quoteClipped returns what evidence shows of a text. It is a copy, since texts share the memory
// of their message.
func quoteClipped(s string) string {
	return strings.Clone(excerpt.Clip(s, maxEvidence))
}
