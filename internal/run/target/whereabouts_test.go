package target

import (
	"testing"

	"gauntlet/internal/run/launch"
	"gauntlet/lock"
)

// A lockfile is committed: where a server was found stands in it without what was filled in.
func TestWhereabouts(t *testing.T) {
	guard := []string{"TENANT=my s3cr3t", "WORD=plainlookingvalue"}
	for _, tt := range []struct {
		name string
		t    Target
		want lock.Target
	}{
		{"a program", Target{Server: launch.Server{Command: []string{"/opt/plain/server", "plainlookingvalue"}}}, lock.Target{Command: "server"}},
		{"a program that a variable names", Target{Server: launch.Server{Command: []string{"/opt/plainlookingvalue"}, Guard: guard}}, lock.Target{Command: "[WORD]"}},
		{"a variable in an address", Target{Server: launch.Server{URL: "https://ada:pw@x.example/my%20s3cr3t/plainlookingvalue/mcp?a=b", Guard: guard}}, lock.Target{URL: "https://x.example/[TENANT]/[WORD]/mcp"}},
		{"a key in an address", Target{Server: launch.Server{URL: "https://x.example/4f9a1c7e22b84d05aaf3/mcp"}}, lock.Target{URL: "https://x.example/KEY/mcp"}},
		{"a snapshot", Target{File: "plainlookingvalue.json", Server: launch.Server{Guard: guard}}, lock.Target{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := Whereabouts(&tt.t); got != tt.want {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
		})
	}
}
