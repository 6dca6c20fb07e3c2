package report

import (
	"regexp"
	"strings"
	"testing"
)

var runnerCommands = regexp.MustCompile(`(?m)^[\s\p{Z}\x{85}]*::|##[A-Za-z-]*\[`)

// No line of a report is a command to the runner whose log it goes into, however it is written.
func TestLogWriter(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"::error::x\n", ":<U+003A>error::x\n"},
		{"a\n  \t::add-mask::x", "a\n  \t:<U+003A>add-mask::x"},
		{"a\r::stop-commands::x", "a\r:<U+003A>stop-commands::x"},
		{":::x", ":<U+003A>:x"}, {"\u00a0\u2003::x", "\u00a0\u2003:<U+003A>x"},
		{"a ::b", "a ::b"}, {": :x", ": :x"}, {"std::vector", "std::vector"}, {"- ::1", "- ::1"},
		{"##[group]x", "##<U+005B>group]x"}, {"a ##vso[task]", "a ##vso<U+005B>task]"}, {"###[x]", "###<U+005B>x]"}, {"##teamcity[x", "##teamcity<U+005B>x"},
		{"## Heading [1]", "## Heading [1]"}, {"#[derive]", "#[derive]"}, {"a[0]", "a[0]"},
	} {
		for size := 1; size <= len(tt.in); size++ {
			var b strings.Builder
			w := LogWriter(&b)
			for i := 0; i < len(tt.in); i += size {
				part := tt.in[i:min(i+size, len(tt.in))]
				if n, err := w.Write([]byte(part)); n != len(part) || err != nil {
					t.Fatalf("%d, %v", n, err)
				}
			}
			if b.String() != tt.want {
				t.Errorf("%q in pieces of %d is %q, want %q", tt.in, size, b.String(), tt.want)
			}
		}
	}
}

func FuzzLogWriter(f *testing.F) {
	f.Add("::a::", 1)
	f.Add("##[b]", 3)
	f.Fuzz(func(t *testing.T, text string, size int) {
		if size < 1 {
			size = 1
		}
		var b strings.Builder
		w := LogWriter(&b)
		for i := 0; i < len(text); i += size {
			if _, err := w.Write([]byte(text[i:min(i+size, len(text))])); err != nil {
				t.Fatal(err)
			}
		}
		if at := runnerCommands.FindString(b.String()); at != "" {
			t.Errorf("%q has %q", b.String(), at)
		}
	})
}
