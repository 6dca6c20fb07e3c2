package cli

import (
	"errors"
	"testing"

	"github.com/spf13/cobra"
)

// The first conflict that is found is told, and a list without any refuses nothing.
func TestRefuse(t *testing.T) {
	for _, tt := range []struct {
		name      string
		conflicts []conflict
		want      string
	}{
		{"none", nil, ""},
		{"none found", []conflict{{false, "a"}, failed(nil)}, ""},
		{"the second", []conflict{{false, "a"}, {true, "b"}, {true, "c"}}, "b"},
		{"an error with a percent sign", []conflict{failed(errors.New("100 %d"))}, "100 %d"},
		{"standard input once", []conflict{stdinTwice([]string{"-", "a"})}, ""},
		{"standard input twice", []conflict{stdinTwice([]string{"-", "a", "-"})}, "- is named 2 times: standard input can be read once"},
		{"one file", wantOne([]string{"a"}, "none", "files"), ""},
		{"no file", wantOne(nil, "none", "files"), "none"},
		{"two files", wantOne([]string{"a", "b"}, "none", "files"), "2 files: want one"},
	} {
		got := ""
		if err := refuse(&cobra.Command{}, tt.conflicts); err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}
