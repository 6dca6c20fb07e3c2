package target

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// The error of a program that prints its usage behind it stands above the last lines.
func TestExcerptStderr(t *testing.T) {
	usage := func(n int) string {
		var b strings.Builder
		b.WriteString("error: no access token\n")
		for i := range n {
			fmt.Fprintf(&b, "  --option-%d\r\n", i)
		}
		return b.String()
	}
	for _, tt := range []struct {
		name   string
		text   string
		before int64
		lines  int
		has    []string
	}{
		{"nothing", "", 0, 0, nil},
		{"white space", " \n\r\n", 0, 0, nil},
		{"a few lines", usage(3), 0, 4, []string{"error: no access token", "  --option-2"}},
		{"as many as are shown", usage(19), 0, 20, []string{"error: no access token", "  --option-9", "  --option-18"}},
		{"one more costs no line", usage(20), 0, 21, []string{"error: no access token", "  --option-19"}},
		{"many", usage(60), 0, 21, []string{"error: no access token", "… 41 lines …", "  --option-59"}},
		{"many, and more before", usage(60), 9, 22, []string{"…", "error: no access token", "… 41 lines …"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := excerptStderr(tt.text, tt.before)
			if len(got) != tt.lines {
				t.Errorf("%d lines, want %d: %q", len(got), tt.lines, got)
			}
			for _, l := range tt.has {
				if !slices.Contains(got, l) {
					t.Errorf("%q is not in %q", l, got)
				}
			}
		})
	}
}
