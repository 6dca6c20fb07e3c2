package wire

import "testing"

func TestKeysInAPath(t *testing.T) {
	for _, tt := range []struct{ url, want string }{
		{"http://127.0.0.1/s/OTk3abcDEFghiJKLmnoPQR12/mcp", "http://127.0.0.1/s/[path]/mcp"},
		{"http://127.0.0.1/mcp/550e8400-e29b-41d4-a716-446655440000", "http://127.0.0.1/mcp/[path]"},
		{"http://127.0.0.1/the-model-context-protocol-server/v1/mcp", "http://127.0.0.1/the-model-context-protocol-server/v1/mcp"},
	} {
		h, err := Dial(Endpoint{URL: tt.url})
		if err != nil {
			t.Fatal(err)
		}
		defer h.Close()
		if got := h.Place(); got != tt.want {
			t.Errorf("%s is shown as %s, want %s", tt.url, got, tt.want)
		}
	}
}
