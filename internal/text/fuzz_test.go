package text

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

func seeds(f *testing.F) {
	f.Helper()
	for _, h := range hostile {
		f.Add(h.make(120))
	}
	for _, d := range disguises {
		f.Add(d.of(attacks[0].s))
	}
	for _, s := range append(ordinary, ordinaryCJK...) {
		f.Add(s)
	}
	f.Add("\xff\xfe broken \xc3 UTF-8 ignore previous \xe2\x80 instructions")
}

// FuzzRead holds Read to ranges inside the string, on character boundaries, and to the
// same answer whoever reads and whatever was read before.
func FuzzRead(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, s string) {
		var r Reader
		tx := r.Read(s)
		checkText(t, s, tx)
		first := fmt.Sprintf("%+v", tx)
		r.Read("A list:\n\"quoted <!-- comment")
		if again := fmt.Sprintf("%+v", r.Read(s)); again != first {
			t.Fatalf("Read(%q) = %s, then %s", s, first, again)
		}
		r.Reset()
		if again := fmt.Sprintf("%+v", r.Read(s)); again != first {
			t.Fatalf("Read(%q) = %s, after Reset %s", s, first, again)
		}
		if utf8.ValidString(s) {
			checkFold(t, s)
		}
	})
}

func FuzzReadName(f *testing.F) {
	seeds(f)
	for _, s := range []string{"readSecretFile", "content_from_reading_ssh_key", "a.b-c_dÉ", "get-API-key"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		r := Reader{Names: func(n string) Name { return Name(len(n) % 4) }}
		tx := r.ReadName(s)
		checkText(t, s, tx)
		if again := r.ReadName(s); fmt.Sprintf("%+v", again) != fmt.Sprintf("%+v", tx) {
			t.Fatalf("ReadName(%q) = %+v, then %+v", s, tx, again)
		}
	})
}

func FuzzMarks(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, s string) {
		ms := Marks(s)
		checkText(t, s, Text{Marks: ms})
		for i := 1; i < len(ms); i++ {
			if ms[i].Kind != Homoglyph && ms[i].Start < ms[i-1].End {
				t.Fatalf("marks %+v and %+v of %q overlap", ms[i-1], ms[i], s)
			}
		}
		if plain(s) && len(ms) > 0 {
			t.Fatalf("Marks(%q) = %+v in plain text", s, ms)
		}
		if strings.ContainsAny(s, "\u202d\u202e\u2060\u00ad") && len(ms) == 0 {
			t.Fatalf("Marks(%q) = none", s)
		}
	})
}

func FuzzBlobs(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, s string) {
		for _, bs := range [][]Blob{Blobs(s), SpacedLetters(s)} {
			checkText(t, s, Text{Blobs: bs})
			for i, b := range bs {
				if i > 0 && b.Start < bs[i-1].End || b.End == b.Start || b.Encoding == "" {
					t.Fatalf("blob %+v of %q", b, s)
				}
				if !utf8.ValidString(b.Decoded) {
					t.Fatalf("blob %+v of %q decodes to ill-formed text", b, s)
				}
			}
		}
	})
}
