package cli

import "testing"

func TestWhereaboutsHoldNoSecret(t *testing.T) {
	for _, tt := range []struct {
		name   string
		target target
		want   string
	}{
		{"a command", target{command: []string{"/usr/bin/npx", "-y", "server", "--token=s3cr3t"}, env: []string{"A=s3cr3t"}}, "npx"},
		{"a URL", target{url: "https://me:s3cr3t@example.com:8443/v1/mcp?key=s3cr3t#s3cr3t", header: []string{"X=s3cr3t"}}, "https://example.com:8443/v1/mcp"},
		{"a URL with a key in its path", target{url: "https://example.com/s/s3cr3t-key-7f3a9c51e8d2/mcp"}, "https://example.com/s/KEY/mcp"},
		{"the same with escapes", target{url: "https://example.com/s/s3cr3t%2Fkey%207f3a9c51e8d2/mcp"}, "https://example.com/s/KEY/mcp"},
		{"a path with escapes", target{url: "https://example.com/a%20b/mcp"}, "https://example.com/a%20b/mcp"},
		{"a snapshot", target{file: "/home/me/s3cr3t.json"}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := whereabouts(&tt.target); got.Command+got.URL != tt.want {
				t.Errorf("whereabouts(%+v) = %+v, want %q", tt.target, got, tt.want)
			}
		})
	}
}
