package gatewayrun

import (
	"strings"
	"testing"
)

func TestToken(t *testing.T) {
	for _, tt := range []struct{ value, want string }{
		{"0123456789abcdef", ""},
		{"0123456789abcde", "has 15 bytes, want at least 16"},
		{"0123456789 abcdef", "a character that no header can carry"},
		{"0123456789abcdef~", ""},
		{"0123456789abcdef\x7f", "a character that no header can carry"},
		{"0123456789abcdefä", "a character that no header can carry"},
	} {
		got, err := Token("T", func(string) (string, bool) { return tt.value, true })
		if err == nil && (tt.want != "" || got != tt.value) || err != nil && (tt.want == "" || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%q: %q, %v, want %q", tt.value, got, err, tt.want)
		}
		if err != nil && strings.Contains(err.Error(), tt.value) {
			t.Errorf("%q: the error shows the token", tt.value)
		}
	}
	if _, err := Token("hunter2-is-typed-here", func(string) (string, bool) { return "", false }); err == nil || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("a token in the place of its variable: %v", err)
	}
	one, err := Token("", nil)
	other, err2 := Token("", nil)
	if err != nil || err2 != nil || len(one) < shortestToken || one == other {
		t.Errorf("new tokens %q and %q, %v, %v", one, other, err, err2)
	}
}

func TestClientConfig(t *testing.T) {
	got, err := ClientConfig([]Front{{URL: "http://127.0.0.1:1/mcp"}, {Name: "web", URL: "http://127.0.0.1:2/mcp"}}, "${T}")
	want := `{"mcpServers":{"gauntlet":{"type":"http","url":"http://127.0.0.1:1/mcp","headers":{"Authorization":"Bearer ${T}"}},"web":{"type":"http","url":"http://127.0.0.1:2/mcp","headers":{"Authorization":"Bearer ${T}"}}}}`
	if err != nil || got != want {
		t.Errorf("got %s, %v", got, err)
	}
}
