package discover

import (
	"testing"

	"gauntlet/internal/engine/check/config"
)

// What a program looks up in data is no file, whatever it ends in; a program of that ending is one.
func TestFilters(t *testing.T) {
	for command, want := range map[string]int{
		"jq -r .tool_input.command >> log": 0, "jq -r '.tool_input.command' | logger": 0, "yq -p json .a.command": 0,
		"sh ./a.command": 1, "jq -r .cwd | ./b.command": 1,
	} {
		if got := commandMentions(nil, command, config.Place{}, 0, byItself); len(got) != want {
			t.Errorf("%q names %v, want %d", command, got, want)
		}
	}
}

// A hook of Kiro is one of the configurations of its folder, and a text beside it is none.
func TestConfigurationNames(t *testing.T) {
	for name, want := range map[string]bool{"on-save.kiro.hook": true, "a.json": true, "b.yml": true, "hook": false, "notes.md": false} {
		if configurationName(name) != want {
			t.Errorf("%s: %t", name, !want)
		}
	}
}
