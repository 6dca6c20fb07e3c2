package report

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestVisible(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"plain text stays", "read a file", "read a file"},
		{"letters of the world stay", "naïve 日本語 العربية हिन्दी 👍", "naïve 日本語 العربية हिन्दी 👍"},
		{"ideographic space stays", "日本\u3000語", "日本\u3000語"},
		{"terminal escape", "\x1b[31mred", "<U+001B>[31mred"},
		{"C1 control sequence introducer", "\u009b2J", "<U+009B>2J"},
		{"newline and tab", "a\n\tb", "a<U+000A><U+0009>b"},
		{"DEL", "\x7f", "<U+007F>"},
		{"bidi override", "\u202eexe", "<U+202E>exe"},
		{"bidi isolate", "\u2066x\u2069", "<U+2066>x<U+2069>"},
		{"Arabic letter mark", "\u061c", "<U+061C>"},
		{"zero width", "a\u200b\u200c\u200d\u2060\ufeffb", "a<U+200B><U+200C><U+200D><U+2060><U+FEFF>b"},
		{"tag characters", "\U000E0001\U000E0041", "<U+E0001><U+E0041>"},
		{"line and paragraph separator", "\u2028\u2029", "<U+2028><U+2029>"},
		{"variation selectors", "\ufe0f\U000E0100", "<U+FE0F><U+E0100>"},
		{"Hangul filler and braille blank", "\u3164\u115f\u2800", "<U+3164><U+115F><U+2800>"},
		{"grapheme joiner", "\u034f", "<U+034F>"},
		{"soft hyphen", "\u00ad", "<U+00AD>"},
		{"odd spaces", "\u00a0\u2003", "<U+00A0><U+2003>"},
		{"private use", "\ue000\U00100000", "<U+E000><U+100000>"},
		{"unassigned and noncharacter", "\u0378\uffff", "<U+0378><U+FFFF>"},
		{"ill-formed byte", "a\xffb", "a\ufffdb"},
		{"as long as is shown", strings.Repeat("a", 8<<10), strings.Repeat("a", 8<<10)},
		{"longer than is shown", strings.Repeat("a", 8<<10+1), strings.Repeat("a", 8<<10-3) + "…"},
		{"longer with its escapes", strings.Repeat("\n", 8<<10), strings.Repeat("<U+000A>", 1023) + "<U+00…"},
		{"replacement character stays", "\ufffd", "\ufffd"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := Visible(tt.in); got != tt.want {
				t.Errorf("Visible(%q) = %q, want %q", tt.in, got, tt.want)
			}
		})
	}
}

func FuzzVisible(f *testing.F) {
	f.Add(hostile)
	f.Add("read a file")
	f.Fuzz(func(t *testing.T, s string) {
		got := Visible(s)
		if !utf8.ValidString(got) {
			t.Errorf("Visible(%q) = %q is not valid UTF-8", s, got)
		}
		if i := strings.IndexFunc(got, func(r rune) bool { return unicode.In(r, unicode.C, unicode.Zl, unicode.Zp) }); i >= 0 {
			t.Errorf("Visible(%q) = %q has a control or format character at %d", s, got, i)
		}
		if again := Visible(got); again != got {
			t.Errorf("Visible twice: %q, then %q", got, again)
		}
		if n := utf8.RuneCountInString(s); utf8.RuneCountInString(got) < n {
			t.Errorf("Visible(%q) = %q lost characters", s, got)
		}
	})
}
