package cli

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// What a configuration gives a server behind a URL goes there after a yes only, and is
// in no report and no message.
func TestHeadersOfAConfigurationNeedConsent(t *testing.T) {
	var mu sync.Mutex
	var got []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		got = append(got, r.Header.Get("X-Key")+r.Header.Get("Authorization")+r.Header.Get("Accept"))
		mu.Unlock()
		web(w, r)
	}))
	defer server.Close()
	file := filepath.Join(t.TempDir(), "mcp.json")
	text := fmt.Sprintf(`{"mcpServers":{"far":{"url":"%s/mcp?api_key=query-%s","headers":{"X-Key":"header-%[2]s","Authorization":"Bearer ${env:MY_TOKEN}","Accept":"text/html"}}}}`, server.URL, canary)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	env := []string{"MY_TOKEN=bearer-" + canary}
	for _, how := range []string{"--no-launch", ""} {
		args := []string{"scan", "--config", file}
		if how != "" {
			args = append(args, how)
		}
		if _, out, stderr := runMain(t, env, args...); len(got) > 0 || strings.Contains(out+stderr, canary) {
			t.Errorf("%q: %d requests\n%s\n%s", how, len(got), out, stderr)
		}
	}
	for _, format := range []string{"pretty", "json", "sarif"} {
		code, out, stderr := runMain(t, env, "scan", "--yes", "--verbose", "--config", file, "--format", format)
		if code != 1 || strings.Contains(out+stderr, canary) || !strings.Contains(out, "[X-Key]") {
			t.Errorf("%s: exit code %d\n%s\n%s", format, code, out, stderr)
		}
		if !strings.Contains(stderr, "sends it the headers X-Key, Authorization") {
			t.Errorf("%s: the headers are not shown: %s", format, stderr)
		}
	}
	if len(got) == 0 || got[0] != "header-"+canary+"Bearer bearer-"+canary+"application/json, text/event-stream" {
		t.Errorf("the server got %q", got)
	}
}

// A file is called what the user called it, wherever it stands.
func TestNamedConfigurationsKeepTheirNames(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("mcp.json", []byte(`{"mcpServers":{"a":{"command":"npx","args":["x"]},"b":7}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	r, code, stderr := scanned(t, nil, "--no-launch", "--config", "mcp.json", "--fail-on", "medium")
	if code != 1 || len(r.Findings) != 1 || r.Findings[0].Location.File != "mcp.json" || r.Problems[0].Location.File != "mcp.json" || r.Clients.Entries[0].File != "mcp.json" {
		t.Errorf("exit code %d, %v, %v, %v, %s", code, r.Findings, r.Problems, r.Clients, stderr)
	}
}
