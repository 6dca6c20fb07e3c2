package redact

import (
	"slices"
	"strings"
	"testing"
)

// A value that holds what looks like an escape is looked for decoded, too, unless so little is left that it stands everywhere.
func TestDecodedForms(t *testing.T) {
	for _, tt := range []struct {
		n    int // letters behind the escape, which is one letter more
		want bool
	}{
		{Shortest - 2, false},
		{Shortest - 1, true},
		{Shortest, true},
	} {
		rest := strings.Repeat("q", tt.n)
		if got := slices.Contains(plainForms("%41"+rest), "A"+rest); got != tt.want {
			t.Errorf("%d letters: decoded %v, want %v", tt.n+1, got, tt.want)
		}
	}
}
