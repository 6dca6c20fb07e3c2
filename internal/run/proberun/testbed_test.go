package proberun

import (
	"slices"
	"testing"
)

// An address that is planted within the path of another service is no request to the planted one.
func TestReachesInner(t *testing.T) {
	for _, tt := range []struct {
		address, peer string
		want          bool
	}{
		{"http://127.0.0.1:18081/abc", "127.0.0.1:18081", true},
		{"http://localhost:18081/abc", "", true},
		{"/abc", "127.0.0.1:18081", true},
		{"https://api.example.com/items/http://127.0.0.1:18081/abc", "34.1.2.3:443", false},
		{"https://api.example.com/?u=http%3A%2F%2F127.0.0.1%3A18081%2Fabc", "34.1.2.3:443", false},
		{"/abc", "34.1.2.3:80", false},
	} {
		if got := reachesInner(tt.address, tt.peer); got != tt.want {
			t.Errorf("reachesInner(%q, %q) = %v, want %v", tt.address, tt.peer, got, tt.want)
		}
	}
}

// An option counts where a program reads options.
func TestHasOption(t *testing.T) {
	for _, tt := range []struct {
		args []string
		want bool
	}{
		{[]string{"--gauntlet-x=1"}, true},
		{[]string{"get", "pod", "--gauntlet-x=1"}, true},
		{[]string{"--", "--gauntlet-x=1"}, false},
		{[]string{"--name", "--gauntlet-x=1"}, false},
		{[]string{"--name=a", "--gauntlet-x=1"}, true},
		{[]string{"a --gauntlet-x=1"}, false},
	} {
		if got := hasOption(tt.args, "--gauntlet-x"); got != tt.want {
			t.Errorf("hasOption(%q) = %v, want %v", tt.args, got, tt.want)
		}
	}
}

// FuzzReadProgramLog: no name is empty, and what is written is read again.
func FuzzReadProgramLog(f *testing.F) {
	f.Add("ssh\x00-o\x00\x00\nkubectl\x00\x00\n")
	f.Fuzz(func(t *testing.T, text string) {
		for _, c := range readProgramLog(text) {
			if c.Name == "" || slices.ContainsFunc(c.Args, func(a string) bool { return len(a) > len(text) }) {
				t.Fatalf("%q gave %q", text, c.Args)
			}
		}
	})
}
