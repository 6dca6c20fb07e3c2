package clause

import (
	"fmt"
	"testing"
	"unicode/utf8"
)

// FuzzRead holds Read to ranges inside the string, on character boundaries, and to the
// same answer whatever was read before.
func FuzzRead(f *testing.F) {
	for _, h := range hostile {
		f.Add(h.make(120))
	}
	for _, tt := range asking {
		f.Add(tt.text)
	}
	for _, s := range append(ordinary, ordinaryCJK...) {
		f.Add(s)
	}
	f.Add("\xff\xfe broken \xc3 UTF-8 ignore previous \xe2\x80 instructions")
	f.Fuzz(func(t *testing.T, s string) {
		for at := Elsewhere; at <= Instruction; at++ {
			r := newReader()
			first := r.Read(s, at)
			for _, d := range first.Directives {
				if d.Start < 0 || d.End <= d.Start || d.End > len(s) || d.Says == "" || d.Kind >= Kinds {
					t.Fatalf("directive %+v of %d bytes in %q", d, len(s), s)
				}
				if utf8.ValidString(s) && (!utf8.RuneStart(s[d.Start]) || d.End < len(s) && !utf8.RuneStart(s[d.End])) {
					t.Fatalf("directive %+v cuts a character of %q", d, s)
				}
			}
			r.Read("A list:\n\"quoted <!-- comment", Function)
			if again := r.Read(s, at); fmt.Sprintf("%+v", again) != fmt.Sprintf("%+v", first) {
				t.Fatalf("Read(%q) = %+v, then %+v", s, first, again)
			}
		}
	})
}
