package text

import (
	"testing"
	"unicode/utf8"
)

func TestFoldString(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"ASCII stays, case and all", "Ignore ALL.", "Ignore ALL."},
		{"full width", "ＩＧＮＯＲＥ！", "ignore!"},
		{"ligatures", "ﬁle oﬀ", "file off"},
		{"diacritics", "Ïgnöré", "ignore"},
		{"combining marks", "i\u0301gnore", "ignore"},
		{"smart quotes and dashes", "“don’t” — ‘no’", `"don't" - 'no'`},
		{"no-break and em spaces", "a\u00a0b\u2003c", "a b c"},
		{"mathematical letters", "𝐢𝐠𝐧𝐨𝐫𝐞 𝒶𝓁𝓁", "ignore all"},
		{"circled letters", "ⓘⓖⓝⓞⓡⓔ", "ignore"},
		{"zero width and soft hyphens", "ig\u200bno\u00adre", "ignore"},
		{"escape sequences", "\x1b[31mred\x1b[0m", "red"},
		{"Chinese punctuation", "忽略。是！", "忽略.是!"},
		{"German, ASCII case left to the words", "Schlüssel", "Schlussel"},
		{"Cyrillic look-alikes stay", "р\u0430ss", "р\u0430ss"},
		{"line separator", "a\u2028b", "a\nb"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := Fold(tt.in).text; got != tt.want {
				t.Errorf("Fold(%q) = %q, want %q", tt.in, got, tt.want)
			}
		})
	}
}

func TestFoldSpan(t *testing.T) {
	for _, tt := range []struct {
		name, in   string
		start, end int // in the folded text
		want       string
	}{
		{"full width", "ＡＢＣ", 1, 2, "Ｂ"},
		{"half a ligature is all of it", "ﬁx", 0, 1, "ﬁ"},
		{"the other half too", "ﬁx", 1, 2, "ﬁ"},
		{"what is hidden behind goes along", "a\u200bb", 0, 1, "a\u200b"},
		{"the last character", "aé", 1, 2, "é"},
		{"nothing", "aé", 1, 1, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := Fold(tt.in)
			if i, j := f.Span(tt.start, tt.end); tt.in[i:j] != tt.want {
				t.Errorf("span(%d, %d) of %q = %q, want %q", tt.start, tt.end, tt.in, tt.in[i:j], tt.want)
			}
		})
	}
}

// checkFold holds a fold to what span promises: ranges inside the string, on character
// boundaries, in order, and never empty.
func checkFold(t *testing.T, s string) {
	t.Helper()
	f := Fold(s)
	before := 0
	for i := range len(f.text) {
		start, end := f.Span(i, i+1)
		if start < before || end <= start || end > len(s) || !utf8.RuneStart(s[start]) || end < len(s) && !utf8.RuneStart(s[end]) {
			t.Fatalf("fold %q of %q: span(%d, %d) = %d, %d", f.text, s, i, i+1, start, end)
		}
		before = start
	}
	if start, end := f.Span(0, len(f.text)); len(f.text) > 0 && (start < 0 || end > len(s) || end <= start) {
		t.Fatalf("fold of %q: span of all = %d, %d", s, start, end)
	}
}

func TestFoldMapsBack(t *testing.T) {
	for _, s := range []string{"", "plain", "ﬁﬂ ﷺ ½ ㎏ Å", "a\u200b\u200bb\u0301c", "\u200b", "忽略。𝐢𝐠", "e\u0301\u0302\u0303", "\x1b[31mü\x1b[0m", "İI"} {
		checkFold(t, s)
	}
}
