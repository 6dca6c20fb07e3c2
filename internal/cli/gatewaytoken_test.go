package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gauntlet/internal/run/gatewayrun"
)

// httpGateway runs gauntlet gateway before a mock over HTTP until the test ends, and returns the
// configuration that it prints; without a token the URL alone.
func httpGateway(t *testing.T, environ []string, args ...string) (url string, header map[string]string) {
	t.Helper()
	dir := put(t, map[string]string{
		"mcp.json": `{"mcpServers":{"web":{"url":"` + mocked(t, `[{name: fetch, result: text}]`) + `"}}}`,
	})
	ctx, cancel := context.WithCancel(t.Context())
	url, header, done := gatewayOverHTTP(ctx, t, filepath.Join(dir, "mcp.json"), environ, args...)
	t.Cleanup(func() { cancel(); <-done })
	return url, header
}

// gatewayOverHTTP runs gauntlet gateway over HTTP until ctx ends; done gets its exit code.
func gatewayOverHTTP(ctx context.Context, t *testing.T, config string, environ []string, args ...string) (url string, header map[string]string, done chan int) {
	t.Helper()
	r, w := io.Pipe()
	done = make(chan int, 1)
	go func() { // ends with ctx
		done <- Main(ctx, append([]string{"gateway", "--config", config, "--transport", "http"}, args...), Host{Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: w, Environ: environ})
		_ = w.Close()
	}()
	lines := bufio.NewScanner(r)
	for url == "" && lines.Scan() {
		var config struct {
			Servers map[string]gatewayrun.ClientEntry `json:"mcpServers"`
		}
		switch {
		case json.Unmarshal(lines.Bytes(), &config) == nil && config.Servers != nil:
			url, header = config.Servers["gauntlet"].URL, config.Servers["gauntlet"].Headers
		case slices.Contains(args, "--no-auth") && strings.Contains(lines.Text(), "serving on "):
			_, url, _ = strings.Cut(lines.Text(), "serving on ")
		}
	}
	go func() { _, _ = io.Copy(io.Discard, r) }() // ends with stderr
	if url == "" {
		t.Fatal("the gateway does not say where it is")
	}
	return url, header, done
}

// Who does not carry the token calls nothing; --no-auth does without.
func TestGatewayToken(t *testing.T) {
	ask := func(url, authorization string) int {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		if authorization != "" {
			r.Header.Set("Authorization", authorization)
		}
		a, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer a.Body.Close()
		return a.StatusCode
	}
	t.Run("by default", func(t *testing.T) {
		url, header := httpGateway(t, nil, "-q")
		if got := ask(url, header["Authorization"]); got != http.StatusOK {
			t.Errorf("with the token that was printed: %d", got)
		}
		for _, wrong := range []string{"", "Bearer ", "Bearer guess"} {
			if got := ask(url, wrong); got != http.StatusUnauthorized {
				t.Errorf("with %q: %d", wrong, got)
			}
		}
		_, other := httpGateway(t, nil)
		if other["Authorization"] == header["Authorization"] {
			t.Error("two gateways have one token")
		}
	})
	t.Run("of a variable", func(t *testing.T) {
		url, header := httpGateway(t, []string{"GATE_TOKEN=0123456789abcdef"}, "--token-env", "GATE_TOKEN")
		if header["Authorization"] != "Bearer ${GATE_TOKEN}" {
			t.Errorf("printed: %v", header)
		}
		if got := ask(url, "Bearer 0123456789abcdef"); got != http.StatusOK {
			t.Errorf("with the token: %d", got)
		}
	})
	t.Run("none", func(t *testing.T) {
		url, _ := httpGateway(t, nil, "--no-auth")
		if got := ask(url, ""); got != http.StatusOK {
			t.Errorf("without a token: %d", got)
		}
	})
}
