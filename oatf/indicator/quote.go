package indicator

import (
	"strings"

	"gauntlet/internal/leaf/excerpt"
)

// quoteClipped returns the evidence quoted from a text. It copies, since texts share their message's memory.
func quoteClipped(s string) string {
	return strings.Clone(excerpt.Clip(s, maxEvidence))
}
