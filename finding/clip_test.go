package finding

import (
	"testing"
	"unicode/utf8"
)

func TestClip(t *testing.T) {
	for _, tt := range []struct {
		s    string
		n    int
		want string
	}{
		{"", 0, ""},
		{"abc", 3, "abc"},
		{"abcd", 3, "abc…"},
		{"aé", 2, "a…"}, // the second byte is the middle of é
		{"aéb", 3, "aé…"},
		{"日本", 2, "…"},
		{"\x80\x80\x80", 2, "…"}, // no character begins anywhere
	} {
		if got := Clip(tt.s, tt.n); got != tt.want {
			t.Errorf("Clip(%q, %d) = %q, want %q", tt.s, tt.n, got, tt.want)
		}
	}
}

func FuzzClip(f *testing.F) {
	f.Add("aéb", 2)
	f.Fuzz(func(t *testing.T, s string, n int) {
		if n < 0 {
			return
		}
		got := Clip(s, n)
		if len(got) > n+len("…") {
			t.Errorf("Clip(%q, %d) is %d bytes long", s, n, len(got))
		}
		if utf8.ValidString(s) && !utf8.ValidString(got) {
			t.Errorf("Clip(%q, %d) = %q cuts a character", s, n, got)
		}
	})
}
