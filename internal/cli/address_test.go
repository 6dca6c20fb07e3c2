package cli

import (
	"slices"
	"testing"

	"gauntlet/check/config"
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
		{"a client's own", []config.Entry{{Client: config.Cursor, Name: "docs", Command: "npx", File: "/home/ada/.cursor/mcp.json"}}, []string{"cursor/docs"}},
		{"in one project", []config.Entry{{Client: config.ClaudeCode, Name: "docs", Project: "/home/ada/shop"}}, []string{"claude-code:shop/docs"}},
		{"in one project on Windows", []config.Entry{{Client: config.ClaudeCode, Name: "docs", Project: `C:\Users\ada\shop`}}, []string{"claude-code:shop/docs"}},
		{"of two clients", []config.Entry{{Client: config.Zed, Name: "docs"}, {Client: config.Cursor, Name: "files"}}, []string{"cursor/files", "zed/docs"}},
		{"one address twice", []config.Entry{{Client: config.Kiro, Name: "docs", File: "a"}, {Client: config.Kiro, Name: "docs", File: "b"}}, []string{"kiro/docs"}},
		{"without a name", []config.Entry{{Client: config.Continue, Name: " "}}, nil},
		{"a value that is hidden", []config.Entry{{Client: config.Generic, Name: "docs of plainlookingvalue"}}, []string{"docs of [TENANT]"}},
		{"a credential by its looks", []config.Entry{{Client: config.Generic, Name: "gh ghp_q8Zt3VbN7rLx5WmK2pYc9HdJ4sGf6TuE1aRo"}}, []string{"gh KEY"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := launch{target: target{guard: guard}}
			for i := range tt.entries {
				l.entries = append(l.entries, &tt.entries[i])
			}
			if got := l.addresses(); !slices.Equal(got, tt.want) {
				t.Errorf("addresses %q, want %q", got, tt.want)
			}
			slices.Reverse(l.entries)
			if got := l.addresses(); !slices.Equal(got, tt.want) {
				t.Errorf("in another order: %q, want %q", got, tt.want)
			}
		})
	}
}
