package lockstate

import (
	"slices"
	"strings"
	"testing"

	"gauntlet/finding"
	"gauntlet/internal/run/launch"
	"gauntlet/internal/run/target"
)

// What the user calls a server was asked about even where nothing could be read of it.
func TestAskedOfWhatFailed(t *testing.T) {
	got := &target.Gathered{Outcomes: []target.Outcome{{Failure: &finding.Problem{Message: "no answer"}}}}
	now := New(got, []target.Target{{Entries: []string{"mail", "post"}}}, []string{"before"}, "2026-11-22")
	if !now.Asked["mail"] || !now.Asked["post"] || len(now.Asked) != 2 || len(now.Entries) != 0 || len(now.Left) != 2 || now.Left[0] != "before" || !strings.Contains(now.Left[1], "no answer") {
		t.Errorf("%+v", now)
	}
}

// Of what a command was given those values count as secret that are named so, are long, or mix letters and digits; of a configuration or a URL all.
func TestLengthsOfTelltaleSecrets(t *testing.T) {
	given := []string{"TOKEN=a", "MODE=production", "LONG=abcdefghijklmnop", "SHORT=abcdefghijklmno", "MIXED=abcdefg1", "LESS=abcdef1", "DIGITS=12345678"}
	command := launch.Server{Command: []string{"x"}}
	configured := command
	configured.Configured = true
	for name, tt := range map[string]struct {
		server launch.Server
		want   string
	}{
		"a command":       {command, "TOKEN=a LONG=abcdefghijklmnop MIXED=abcdefg1"},
		"a configuration": {configured, strings.Join(given, " ")},
		"a URL":           {launch.Server{}, strings.Join(given, " ")},
	} {
		if got := telltaleSecrets(slices.Clone(given), &target.Target{Server: tt.server}); strings.Join(got, " ") != tt.want {
			t.Errorf("%s: %q, want %s", name, got, tt.want)
		}
	}
}
