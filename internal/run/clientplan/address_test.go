package clientplan

import (
	"slices"
	"testing"

	"gauntlet/internal/engine/check/config"
	"gauntlet/internal/run/launch"
	"gauntlet/internal/run/target"
)

// What a lockfile calls a server hangs on its entry alone, and is no place for secrets.
func TestAddresses(t *testing.T) {
	guard := []string{"TENANT=plainlookingvalue"}
	for _, tt := range []struct {
		name    string
		entries []config.Entry
		want    []string
	}{
		{"a file of nobody", []config.Entry{{Client: config.Generic, Name: "docs"}}, []string{"docs"}},
		{"a client's own", []config.Entry{{Client: "cursor", Name: "docs", Command: "npx", File: "/home/ada/.cursor/mcp.json"}}, []string{"cursor/docs"}},
		{"in one project", []config.Entry{{Client: "claude-code", Name: "docs", Project: "/home/ada/shop"}}, []string{"claude-code:shop/docs"}},
		{"in one project on Windows", []config.Entry{{Client: "claude-code", Name: "docs", Project: `C:\Users\ada\shop`}}, []string{"claude-code:shop/docs"}},
		{"of two clients", []config.Entry{{Client: "zed", Name: "docs"}, {Client: "cursor", Name: "files"}}, []string{"cursor/files", "zed/docs"}},
		{"one address twice", []config.Entry{{Client: "kiro", Name: "docs", File: "a"}, {Client: "kiro", Name: "docs", File: "b"}}, []string{"kiro/docs"}},
		{"without a name", []config.Entry{{Client: "continue", Name: " "}}, nil},
		{"a value that is hidden", []config.Entry{{Client: config.Generic, Name: "docs of plainlookingvalue"}}, []string{"docs of [TENANT]"}},
		{"a credential by its looks", []config.Entry{{Client: config.Generic, Name: "gh ghp_q8Zt3VbN7rLx5WmK2pYc9HdJ4sGf6TuE1aRo"}}, []string{"gh KEY"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := Launch{Target: target.Target{Server: launch.Server{Guard: guard}}}
			for i := range tt.entries {
				l.Entries = append(l.Entries, &tt.entries[i])
			}
			if got := l.lockAddresses(); !slices.Equal(got, tt.want) {
				t.Errorf("addresses %q, want %q", got, tt.want)
			}
			slices.Reverse(l.Entries)
			if got := l.lockAddresses(); !slices.Equal(got, tt.want) {
				t.Errorf("in another order: %q, want %q", got, tt.want)
			}
		})
	}
}
