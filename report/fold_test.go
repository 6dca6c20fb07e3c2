package report

import (
	"io"
	"strings"
	"testing"
)

// What is folded loses no word, and no line is longer than the terminal.
func TestFoldedLinesFit(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"a short line", "all fits here\n", "all fits here\n"},
		{"words", "one two three four five six\n", "one two three four\n  five six\n"},
		{"what stands below its text", "    one two three four five\n", "    one two three\n      four five\n"},
		{"a bar", "  │ one two three four five\n", "  │ one two three\n  │ four five\n"},
		{"a long word", "abcdefghijklmnopqrstuvwxyz\n", "abcdefghijklmnopqrst\n  uvwxyz\n"},
		{"a long word behind short ones", "a b abcdefghijklmnopqrstuvwxyz\n", "a b\n  abcdefghijklmnopqr\n  stuvwxyz\n"},
		{"colours take no room", "\x1b[31mone two\x1b[0m three four five\n", "\x1b[31mone two\x1b[0m three four\n  five\n"},
		{"wide characters", "日本語日本語日本語日本語\n", "日本語日本語日本語日\n  本語\n"},
		{"a command", "Next: gauntlet scan -v a-long-name.json\n", "Next: gauntlet scan -v a-long-name.json\n"},
		{"no end", "one two three four five six", "one two three four\n  five six"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := folded(t, tt.text, 20); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
	if got := folded(t, strings.Repeat("x ", 100), 0); got != strings.Repeat("x ", 100) {
		t.Errorf("without a terminal it is folded: %q", got)
	}
}

// folded writes a text a byte at a time.
func folded(t *testing.T, text string, n int) string {
	t.Helper()
	var b strings.Builder
	if err := WriteFolded(&b, n, func(w io.Writer) error {
		for i := range len(text) {
			if _, err := w.Write([]byte{text[i]}); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func FuzzFold(f *testing.F) {
	f.Add("one two   three \x1b[31mfour\x1b[0m five six seven", 20)
	f.Add("      │ \u0301\u0301日本語                      x\n\n y", 21)
	f.Fuzz(func(t *testing.T, text string, n int) {
		if n < leastFolded || n > 300 {
			t.Skip("no terminal")
		}
		text = Visible(text)
		got := folded(t, text, n)
		strip := strings.NewReplacer(" ", "", "\n", "", "│", "")
		if strip.Replace(got) != strip.Replace(text) {
			t.Errorf("%q became %q", text, got)
		}
		for line := range strings.Lines(got) {
			line = strings.TrimSuffix(line, "\n")
			if !strings.HasPrefix(line, commandLine) && columns(strings.TrimRight(line, " ")) > n {
				t.Errorf("%d columns of %d: %q", columns(line), n, line)
			}
		}
	})
}
