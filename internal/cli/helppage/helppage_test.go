package helppage

import "testing"

func TestWrapCommand(t *testing.T) {
	for _, tt := range []struct{ line, want string }{
		{"  a b c", "  a b c\n"},
		{"  aaaa bbbb cccc", "  aaaa bbbb \\\n      cccc\n"},
		{"  aaaa 'bbbb cccc' d", "  aaaa \\\n      'bbbb cccc' d\n"},
		{"  aaaaaaaaaaaaaaaaaaaa", "  aaaaaaaaaaaaaaaaaaaa\n"},
	} {
		if got := wrapCommand(tt.line, 14); got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.line, got, tt.want)
		}
	}
}

func TestWrapText(t *testing.T) {
	got := wrapText("One two three\nfour five.\n\nA list:\n  0  kept as it stands, however long\nend", 14)
	if want := "One two three\nfour five.\n\nA list:\n  0  kept as it stands, however long\nend\n"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
