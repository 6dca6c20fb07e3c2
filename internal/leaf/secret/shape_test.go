package secret

import (
	"regexp/syntax"
	"testing"
)

// What a regexp matches at least and at most decides how much of a text is searched around a keyword.
func TestExtent(t *testing.T) {
	for _, tt := range []struct {
		regexp      string
		least, most int // bytes
		space       bool
	}{
		{`abc`, 3, 12, false}, // a letter may be folded to one of four bytes
		{`a c`, 3, 12, true},
		{`[a-z]`, 1, 4, false},
		{`[a-z ]`, 1, 4, true},
		{`.`, 1, 4, true},
		{`(?s).`, 1, 4, true},
		{`([a-z])`, 1, 4, false},
		{`[a-z]?`, 0, 4, false},
		{`[a-z]*`, 0, maxReach, false},
		{`[a-z]+`, 1, maxReach, false},
		{`[a-z]{3,7}`, 3, 28, false},
		{`[a-z]{3,}`, 3, maxReach, false},
		{`[a-z]{900,1000}[a-z]{900,1000}[a-z]{900,1000}`, 2700, maxReach, false},
		{`(?:abcd|[0-9]{2}|x y)`, 2, 16, true},
		{`\babc$`, 3, 12, false},
		{`abc(?:["\s]|$)`, 3, 16, false}, // what ends the run is none of it
		{`(?:["\s]|$)abc`, 3, 16, true},
		{``, 0, 0, false},
	} {
		re, err := syntax.Parse(tt.regexp, syntax.Perl)
		if err != nil {
			t.Fatal(err)
		}
		if least, most, space := extent(re); least != tt.least || most != tt.most || space != tt.space {
			t.Errorf("%s: %d to %d bytes, space %v; want %d to %d, %v", tt.regexp, least, most, space, tt.least, tt.most, tt.space)
		}
	}
}
