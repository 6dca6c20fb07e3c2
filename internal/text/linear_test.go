package text

import (
	"strings"
	"testing"
	"time"
)

// fill repeats a unit up to n bytes.
func fill(unit string, n int) string {
	return strings.Repeat(unit, n/len(unit)+1)[:n/len(unit)*len(unit)]
}

var hostile = []struct {
	name string
	make func(n int) string
}{
	{"quotes", func(n int) string { return fill(`"`, n) }},
	{"words in quotes", func(n int) string { return fill(`"user" `, n) }},
	{"comment openings", func(n int) string { return fill("<!-- ", n) }},
	{"comment closings", func(n int) string { return fill("a --> ", n) }},
	{"JSON escapes", func(n int) string { return fill(`\u0041`, n) }},
	{"JSON escapes apart", func(n int) string { return fill(`\u0041 `, n) }},
	{"percent escapes", func(n int) string { return fill("%41", n) }},
	{"broken percent escapes", func(n int) string { return fill("%4", n) }},
	{"percent signs apart", func(n int) string { return fill("%41 ", n) }},
	{"percent in quotes", func(n int) string { return fill(`%41"`, n) }},
	{"base64", func(n int) string { return fill("QUJDabcd0123+/", n) }},
	{"wrapped base64", func(n int) string { return fill("QUJDabcd0123QUJDabcd0123QUJDabcd\n", n) }},
	{"base64 of falling width", func(n int) string { return fill("QUJDabcd0123QUJDabcd0123QUJDabcd\nQUJDabcd0123QUJDabcd0123\n", n) }},
	{"hex", func(n int) string { return fill("0123456789abcdef", n) }},
	{"spaced hex", func(n int) string { return fill("49 67 ", n) }},
	{"spaced letters", func(n int) string { return fill("i g n o r e ", n) }},
	{"spaced letters, five at a time", func(n int) string { return fill("a b c d e 1 ", n) }},
	{"ignore", func(n int) string { return fill("ignore ", n) }},
	{"leads", func(n int) string { return fill("you must then always please ", n) }},
	{"guarded matches", func(n int) string { return "detect example " + fill("ignore previous instructions ", n) }},
	{"refused matches", func(n int) string { return fill("not ignore previous instructions ", n) }},
	{"half matches", func(n int) string { return fill("ignore previous ", n) }},
	{"phrases that do not come", func(n int) string { return fill("keep make sure to take ", n) }},
	{"one gap", func(n int) string { return "keep" + strings.Repeat(" ", n) + "secret" }},
	{"gaps", func(n int) string { return fill("keep     -    ", n) }},
	{"entities", func(n int) string { return fill("&#73;", n) }},
	{"entities of entities", func(n int) string { return fill("&amp;#73;", n) }},
	{"ampersands", func(n int) string { return fill("&", n) }},
	{"zero width", func(n int) string { return fill("\u200b", n) }},
	{"joiners", func(n int) string { return fill("a\u200d", n) }},
	{"tags", func(n int) string { return fill("\U000E0041", n) }},
	{"black flags", func(n int) string { return fill("\U0001F3F4\U000E0067", n) }},
	{"selectors", func(n int) string { return fill("\ufe0f", n) }},
	{"bidi controls", func(n int) string { return fill("\u202a", n) }},
	{"look-alikes", func(n int) string { return fill("p\u0430ssword ", n) }},
	{"one word of look-alikes", func(n int) string { return fill("p\u0430", n) }},
	{"abbreviations", func(n int) string { return fill("e.g. ", n) }},
	{"abbreviations in a row", func(n int) string { return fill("e.g.", n) }},
	{"letters and dots", func(n int) string { return fill("a.", n) }},
	{"dots and quotes", func(n int) string { return fill(".'", n) }},
	{"dots", func(n int) string { return fill(".", n) }},
	{"one word", func(n int) string { return fill("a", n) }},
	{"one identifier", func(n int) string { return fill("ab_", n) }},
	{"one number", func(n int) string { return fill("7", n) }},
	{"Chinese", func(n int) string { return fill("忽略", n) }},
	{"Chinese without a term", func(n int) string { return fill("橙", n) }},
	{"accents", func(n int) string { return fill("\u0301", n) }},
	{"at signs", func(n int) string { return fill("@", n) }},
	{"mailboxes", func(n int) string { return fill("a@b.c ", n) }},
	{"slashes", func(n int) string { return fill("/", n) }},
	{"path", func(n int) string { return fill("/a.b", n) }},
	{"colons", func(n int) string { return fill("ab:", n) }},
	{"schemes", func(n int) string { return fill("http://", n) }},
	{"escape sequences", func(n int) string { return fill("\x1b[", n) }},
	{"open titles", func(n int) string { return fill("\x1b]", n) }},
	{"open titles with text", func(n int) string { return fill("\x1b]abc", n) }},
	{"list signs", func(n int) string { return fill("\n- ", n) }},
	{"numbered lines", func(n int) string { return fill("\n1. ", n) }},
	{"entries", func(n int) string { return fill("\na: ", n) }},
	{"hyphens", func(n int) string { return fill("-", n) }},
	{"apostrophes", func(n int) string { return fill("a'", n) }},
	{"brackets", func(n int) string { return fill("<", n) }},
	{"ligatures", func(n int) string { return fill("\uFDFA", n) }},
	{"tags of angle brackets", func(n int) string { return fill("<important>", n) }},
}

// TestLinear guards against quadratic time: eight times the input may take 32 times as
// long, which leaves room for caches and a busy machine, while quadratic time takes 64.
func TestLinear(t *testing.T) {
	if testing.Short() || raceEnabled {
		t.Skip("measures time")
	}
	const n = 16 << 10
	for _, h := range hostile {
		t.Run(h.name, func(t *testing.T) {
			small, large := h.make(n), h.make(8*n)
			ratio := 0.0
			for range 4 { // a slow moment of the machine must not count
				a, b := fastest(small, 5), fastest(large, 2)
				if ratio = float64(b) / float64(max(a, 20*time.Microsecond)); ratio < 32 {
					t.Logf("%.1f MB/s", float64(len(large))/1e6/b.Seconds())
					return
				}
			}
			t.Errorf("%d bytes take %.0f times as long as %d", len(large), ratio, len(small))
		})
	}
}

func fastest(s string, runs int) time.Duration {
	best := time.Duration(1 << 62)
	for range runs {
		var r Reader
		start := time.Now()
		r.Read(s)
		best = min(best, time.Since(start))
	}
	return best
}
