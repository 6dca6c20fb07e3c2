package catalog

import (
	"strings"
	"unicode/utf8"
)

// A Position is a place in a document. Both fields are 1-based; columns count code points, an ill-formed byte as one.
type Position struct{ Line, Column int }

// Positions returns the positions of ascending byte offsets in one pass over the document, since a million findings may be on one line.
func (d *Document) Positions(offsets []int) []Position {
	out := make([]Position, len(offsets))
	// Editors do not show a byte order mark.
	at, line, column := len(d.Text)-len(strings.TrimPrefix(d.Text, "\ufeff")), 1, 1
	for i, off := range offsets {
		off = min(off, len(d.Text))
		if off > at {
			part := d.Text[at:off]
			if n := strings.Count(part, "\n"); n > 0 {
				line += n
				column = 1
				part = part[strings.LastIndexByte(part, '\n')+1:]
			}
			column += utf8.RuneCountInString(part)
			at = off
		}
		out[i] = Position{line, column}
	}
	return out
}
