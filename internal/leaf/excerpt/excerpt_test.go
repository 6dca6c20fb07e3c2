package excerpt

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestCut(t *testing.T) {
	for _, tt := range []struct {
		name, in         string
		n                int
		head, tail, clip string
	}{
		{"shorter", "abc", 4, "abc", "abc", "abc"},
		{"as long as allowed", "abcd", 4, "abcd", "abcd", "abcd"},
		{"one byte too long", "abcde", 4, "abcd", "bcde", "abcd…"},
		{"the limit falls into a character", "aé", 2, "a", "é", "a…"},
		{"a character of four bytes", "🙂🙂", 5, "🙂", "🙂", "🙂…"},
		{"a character of four bytes, one byte short", "🙂🙂", 7, "🙂", "🙂", "🙂…"},
		{"nothing fits", "🙂", 3, "", "", "…"},
		{"no room", "abc", 0, "", "", "…"},
		{"a negative limit is none", "abc", -1, "", "", "…"},
		{"stray continuation bytes", strings.Repeat("\x80", 9), 5, strings.Repeat("\x80", 5), strings.Repeat("\x80", 5), strings.Repeat("\x80", 5) + "…"},
		{"empty", "", 0, "", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := Head(tt.in, tt.n); got != tt.head {
				t.Errorf("Head(%q, %d) = %q, want %q", tt.in, tt.n, got, tt.head)
			}
			if got := Tail(tt.in, tt.n); got != tt.tail {
				t.Errorf("Tail(%q, %d) = %q, want %q", tt.in, tt.n, got, tt.tail)
			}
			if got := Clip(tt.in, tt.n); got != tt.clip {
				t.Errorf("Clip(%q, %d) = %q, want %q", tt.in, tt.n, got, tt.clip)
			}
		})
	}
}

func TestQuoteShowsWhatIsInvisible(t *testing.T) {
	if got, want := Quote("a\u200bbcdef", 5), `"a\u200bb…"`; got != want {
		t.Errorf("Quote = %s, want %s", got, want)
	}
}

func TestCount(t *testing.T) {
	for n, want := range map[int]string{0: "0 files", 1: "1 file", 2: "2 files", -1: "-1 files"} {
		if got := Count(n, "file"); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}

func FuzzCut(f *testing.F) {
	f.Add("aé🙂\x80", 3)
	f.Fuzz(func(t *testing.T, s string, n int) {
		head, tail := Head(s, n), Tail(s, n)
		if !strings.HasPrefix(s, head) || !strings.HasSuffix(s, tail) || len(head) > max(n, 0) || len(tail) > max(n, 0) {
			t.Fatalf("Head(%q, %d) = %q, Tail = %q", s, n, head, tail)
		}
		if utf8.ValidString(s) && (!utf8.ValidString(head) || !utf8.ValidString(tail)) {
			t.Fatalf("a character of %q was cut: %q, %q", s, head, tail)
		}
		if whole := len(s) <= n; whole != (head == s) && s != "" && n >= 0 {
			t.Fatalf("Head(%q, %d) = %q", s, n, head)
		}
	})
}

func TestList(t *testing.T) {
	names := []string{"a", "b", "c"}
	for n, want := range map[int]string{0: "", 1: "a", 2: "a, b", 3: "a, b and 1 more"} {
		if got := List(names[:n], 2); got != want {
			t.Errorf("%d names: %q, want %q", n, got, want)
		}
	}
}

func TestNumbers(t *testing.T) {
	for want, ns := range map[string][]int{"": nil, "3": {3}, "3, 15": {3, 15}} {
		if got := Numbers(ns); got != want {
			t.Errorf("%v: %q, want %q", ns, got, want)
		}
	}
}
