package cli

import (
	"testing"

	"gauntlet/lock"
)

// A lockfile is committed: where a server was found stands in it without what was filled in.
func TestWhereabouts(t *testing.T) {
	guard := []string{"TENANT=my s3cr3t", "WORD=plainlookingvalue"}
	for _, tt := range []struct {
		name string
		t    target
		want lock.Target
	}{
		{"a program", target{command: []string{"/opt/plain/server", "plainlookingvalue"}}, lock.Target{Command: "server"}},
		{"a program that a variable names", target{command: []string{"/opt/plainlookingvalue"}, guard: guard}, lock.Target{Command: "[WORD]"}},
		{"a variable in an address", target{url: "https://ada:pw@x.example/my%20s3cr3t/plainlookingvalue/mcp?a=b", guard: guard}, lock.Target{URL: "https://x.example/[TENANT]/[WORD]/mcp"}},
		{"a key in an address", target{url: "https://x.example/4f9a1c7e22b84d05aaf3/mcp"}, lock.Target{URL: "https://x.example/KEY/mcp"}},
		{"a snapshot", target{file: "plainlookingvalue.json", guard: guard}, lock.Target{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := whereabouts(&tt.t); got != tt.want {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
		})
	}
}
