package launch

import (
	"net/netip"
	"slices"
	"strings"
	"testing"
)

func TestNamedPaths(t *testing.T) {
	for _, tt := range []struct {
		said string
		want []string
	}{
		{"MCP Streamable HTTP Server listening on http://localhost:3001/api/tools", []string{"/api/tools"}},
		{"open 'http://127.0.0.1:3001/a' or http://[::1]:3001/b.\nhttp://localhost:3001/a", []string{"/a", "/b"}},
		{"docs: https://example.com/mcp, other: http://localhost:3002/mcp", nil},
		{"listening on http://localhost:3001/", nil},
		{"listening on port 3001", nil},
	} {
		if got := namedPaths(tt.said, 3001); !slices.Equal(got, tt.want) {
			t.Errorf("%q: %q, want %q", tt.said, got, tt.want)
		}
	}
}

func TestHostOf(t *testing.T) {
	for at, want := range map[string]string{"127.0.0.1:1": "127.0.0.1:1", "0.0.0.0:2": "127.0.0.1:2", "[::]:3": "127.0.0.1:3", "[::1]:4": "[::1]:4", "10.0.2.15:5": "10.0.2.15:5"} {
		if got := hostOf(netip.MustParseAddrPort(at)); got != want {
			t.Errorf("%s: %s, want %s", at, got, want)
		}
	}
}

// FuzzNamedPaths: whatever a server says, what is asked for is a path, and not often.
func FuzzNamedPaths(f *testing.F) {
	f.Add("listening on http://localhost:3001/mcp")
	f.Fuzz(func(t *testing.T, said string) {
		got := namedPaths(said, 3001)
		if len(got) > 50 {
			t.Fatalf("%d paths", len(got))
		}
		for _, path := range got {
			if !strings.HasPrefix(path, "/") || strings.ContainsAny(path, " \r\n") {
				t.Fatalf("%q is no path", path)
			}
		}
	})
}
