package syntax

import (
	"errors"
	"strings"
	"testing"
)

// TestDensity reads texts of two megabytes in one line: what is left out is known before it is parsed.
func TestDensity(t *testing.T) {
	const size = 2 << 20
	line := func(part string) string { return strings.Repeat(part, size/len(part)) }
	for _, tt := range []struct {
		name, text string
		dense      bool
	}{
		{"one-digit numbers", "x=[" + line("1,") + "1]", true},
		{"empty statements", line(";"), true},
		{"lists in lists", line("[],"), true},
		{"one-letter names", line("a;"), true},
		{"minified code", line(`function e(t,n){return r.property.call(this,"name",t)||n.another};`), false},
		{"a table of bytes", "x=[" + line("104,") + "1]", true},
		{"a table beside code", "x=[" + strings.Repeat("104,", size/16) + "1];" + line(`first.second(third, "fourth");`)[:size*3/4], false},
		{"prose", line("a comment says what the code does and why. "), false},
		{"lines that are drawn", line("// ------------------------------------------------\n"), false},
		{"one string", `x="` + line("a,") + `"`, false},
		{"strings without an end", line(`'a,b,`) + "\"", true},
		{"a short list", "x=[" + strings.Repeat("1,", 40_000) + "1]", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := isDense(len(tt.text), countSymbols([]byte(tt.text))); got != tt.dense {
				t.Errorf("got %v for %d symbols in %d bytes", got, countSymbols([]byte(tt.text)), len(tt.text))
			}
			if tt.dense {
				if _, err := Parse(JavaScript(), []byte(tt.text), nil); !errors.Is(err, ErrDense) {
					t.Errorf("got %v", err)
				}
			}
		})
	}
}
