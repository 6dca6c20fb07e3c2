package suggest

import (
	"slices"
	"strings"
	"testing"
)

func TestNames(t *testing.T) {
	all := []string{"validate", "schema", "show", "fmt", "tools/call"}
	for _, tt := range []struct {
		name, typed string
		want        []string
	}{
		{"a letter missing", "validte", []string{"validate"}},
		{"letters swapped", "tools/clal", []string{"tools/call"}},
		{"letter case", "SHOW", []string{"show"}},
		{"a part of it", "valid", []string{"validate"}},
		{"something else", "frobnicate", nil},
		{"nothing", "", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := Names(tt.typed, all); !slices.Equal(got, tt.want) {
				t.Errorf("Names(%q) = %q, want %q", tt.typed, got, tt.want)
			}
		})
	}
}

func TestNamesOfCommands(t *testing.T) {
	names := []string{"scan", "capture", "checks", "explain", "version"}
	for _, tt := range []struct{ typed, want string }{
		{"scna", "scan"}, {"SCAN", "scan"}, {"check", "checks"}, {"vers", "version"}, {"frobnicate", ""}, {"", ""},
	} {
		if got := strings.Join(Names(tt.typed, names), " "); got != tt.want {
			t.Errorf("Names(%q) = %q, want %q", tt.typed, got, tt.want)
		}
	}
}

func TestQuestion(t *testing.T) {
	if got, want := Question([]string{"a", "b"}, "--"), "; did you mean --a or --b?"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := Question(nil, "--"); got != "" {
		t.Errorf("got %q for nothing", got)
	}
}
