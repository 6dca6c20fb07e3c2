package surface

import (
	"fmt"

	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/internal/leaf/text"
)

var _ = register(check.Check{
	ID: "SEC-005", Name: "hidden-unicode", Severity: finding.High, Maturity: check.Stable,
	Taxonomy: "MCP03:2025 close, ASI01 weak, ASI09 weak, CWE-1007 close, CWE-451 close, CWE-176 weak, AML.T0068 close, SAFE-T1402 close, L3 close, L2 weak",
	Axis:     "tool-poisoning", Needs: check.Definitions, Source: check.SourceSEC,
	Doc: `A name, a description or another string contains characters that are invisible or that change how the rest is
displayed: zero-width characters, bidirectional controls, tag characters (which spell ASCII invisibly),
variation selectors in a row (which can carry bytes), private-use and control characters, terminal escape
sequences, and words in which Cyrillic, Armenian, Cherokee or Lisu letters replace the ASCII letters they look
like.

With such characters, the person who approves a tool and the model that reads it see different texts.

Not reported: characters that ordinary writing needs. These are emoji sequences with joiners, skin tones and
the three subdivision flags; joiners of Indic and Arabic scripts; line-break hints of Thai and Khmer;
direction marks in right-to-left text; variation selectors after symbols and ideographs; soft hyphens where a
long word may be divided; a few private-use characters that stand alone, as icon fonts have them; and a byte
order mark at the very start. Overrides (U+202D, U+202E) are always reported. The finding shows what tag characters and
variation selectors spell.`,
	Advice:  "Remove the characters. If the text is about them, write their names instead.",
	RunItem: hiddenUnicode,
})

func hiddenUnicode(it *check.Item) {
	for i := range it.Fields {
		f := &it.Fields[i]
		for _, m := range firsts(f.Text.Marks) {
			if m.Kind == text.Control && f.Sort == check.SchemaOther {
				continue // patterns legitimately contain control characters
			}
			it.Report(check.Report{Field: f, Start: m.Start, End: m.End, Normalized: m.Decoded, Message: hiddenMessage(f, m.Mark, m.more)})
		}
	}
}

// A place is the first mark of a kind in a text and the number of others.
type place struct {
	text.Mark
	more int
}

// firsts keeps one mark of each kind, since many characters of one kind are one finding, and every mark that carries text.
func firsts(marks []text.Mark) []place {
	var out []place
	first := map[text.MarkKind]int{}
	for _, m := range marks {
		i, seen := first[m.Kind]
		switch {
		case m.Decoded != "":
			out = append(out, place{Mark: m})
		case seen:
			out[i].more++
		default:
			first[m.Kind] = len(out)
			out = append(out, place{Mark: m})
		}
	}
	return out
}

func hiddenMessage(f *check.Field, m text.Mark, more int) string {
	also := ""
	switch {
	case more == 1:
		also = ", here and in one more place"
	case more > 1:
		also = fmt.Sprintf(", here and in %d more places", more)
	}
	if m.Kind == text.Homoglyph {
		return fmt.Sprintf("%s contains a word with letters of another script that look like ASCII%s", where(f), also)
	}
	return fmt.Sprintf("%s contains %s that a reader does not see%s", where(f), describe(m, f.Text.Raw), also)
}

// describe names a mark: a single character by its code point, several by their number.
func describe(m text.Mark, s string) string {
	runes := []rune(s[m.Start:min(m.End, m.Start+4096)])
	switch {
	case m.Kind == text.Control && runes[0] == 0x1B:
		return "a terminal escape sequence"
	case len(runes) == 1:
		return fmt.Sprintf("a %s (U+%04X)", m.Kind, runes[0])
	}
	return fmt.Sprintf("%d %ss (from U+%04X)", len(runes), m.Kind, runes[0])
}
