package config_test

import (
	"testing"

	"gauntlet/internal/engine/check/config"
	"gauntlet/internal/runtime/discover"
)

// contents returns the content hashes of what is found in an mcp.json, by rule.
func contents(t *testing.T, text string) map[string]string {
	t.Helper()
	f := discover.Read("mcp.json", []byte(text), discover.Hint{})
	f.Access = config.Access{Known: true, Mode: 0o666}
	found, problems := config.Run([]config.File{f}, config.Checks())
	if len(problems) > 0 || len(found) == 0 {
		t.Fatalf("%d findings and problems %v in %s", len(found), problems, text)
	}
	out := map[string]string{}
	for _, f := range found {
		if len(f.Content) != 64 {
			t.Errorf("%s has the content hash %q", f.Rule, f.Content)
		}
		out[string(f.Rule)] = f.Content
	}
	return out
}

// A decision about an entry is bound to what would be started, not to the key it gets.
func TestContentOfEntries(t *testing.T) {
	entry := func(pkg, key string) string {
		return `"a":{"command":"npx","args":["` + pkg + `"],"env":{"API_KEY":"` + key + `"}}`
	}
	file := func(entries string) string { return `{"mcpServers":{` + entries + `}}` }
	const key, other = "k3J8vQ2mZx7LpR9tW4nB", "Zx7LpR9tW4nBk3J8vQ2m"
	const unpinned, writable = "GNT-101", "GNT-104"
	was := contents(t, file(entry("server", key)))
	for _, tt := range []struct {
		name, text        string
		sameEntry, sameAt bool // of the finding in the entry, and of that about the file
	}{
		{"other white space", "{\n \"mcpServers\": { " + entry("server", key) + " } }", true, true},
		{"another key", file(entry("server", other)), true, true},
		{"another package", file(entry("servers", key)), false, false},
		{"an entry more", file(entry("server", key) + `,"b":{"command":"true"}`), true, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			is := contents(t, tt.text)
			if was[unpinned] == "" || (is[unpinned] == was[unpinned]) != tt.sameEntry {
				t.Errorf("%s: %s, was %s, want same %v", unpinned, is[unpinned], was[unpinned], tt.sameEntry)
			}
			if was[writable] == "" || (is[writable] == was[writable]) != tt.sameAt {
				t.Errorf("%s: %s, was %s, want same %v", writable, is[writable], was[writable], tt.sameAt)
			}
		})
	}
}
