package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
)

// envSoak is how many sessions TestManySessions opens; 10,000 take minutes.
const envSoak = "GAUNTLET_SOAK"

// smallServer is an MCP server in a shell, which starts in a few milliseconds.
const smallServer = `while read -r line; do
id=${line#*'"id":'}; id=${id%%[,\}]*}
case $line in
*'"method":"initialize"'*) echo '{"jsonrpc":"2.0","id":'$id',"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"small","version":"1"}}}';;
*'"method":"tools/list"'*) echo '{"jsonrpc":"2.0","id":'$id',"result":{"tools":[{"name":"t","inputSchema":{"type":"object"}}]}}';;
*'"method":"tools/call"'*) echo '{"jsonrpc":"2.0","id":'$id',"result":{"content":[]}}';;
esac; done`

// soakClient opens sessions with a gateway.
type soakClient struct {
	t             *testing.T
	url           string
	authorization string
}

func (c *soakClient) do(method, session, body string) *http.Response {
	c.t.Helper()
	r, err := http.NewRequestWithContext(c.t.Context(), method, c.url, strings.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	r.Header.Set("Authorization", c.authorization)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	if session != "" {
		r.Header.Set("Mcp-Session-Id", session)
	}
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		c.t.Fatal(err)
	}
	text, _ := io.ReadAll(a.Body)
	_ = a.Body.Close()
	if a.StatusCode >= 300 || strings.Contains(string(text), `"error"`) {
		c.t.Fatalf("%s %.60s: %d %s", method, body, a.StatusCode, text)
	}
	return a
}

// session opens a session, makes a call, and ends it or leaves it to itself.
func (c *soakClient) session(end bool) {
	c.t.Helper()
	id := c.do(http.MethodPost, "", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`).Header.Get("Mcp-Session-Id")
	c.do(http.MethodPost, id, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"t","arguments":{}}}`)
	if end {
		c.do(http.MethodDelete, id, "")
	}
}

// children counts the processes that this one started.
func children(t *testing.T) int {
	t.Helper()
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, name := range stats {
		text, err := os.ReadFile(name)
		if err != nil {
			continue // it has ended meanwhile
		}
		fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
		if len(fields) > 1 && fields[1] == strconv.Itoa(os.Getpid()) && fields[0] != "Z" {
			n++
		}
	}
	return n
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// Session after session, a third of which nobody ends: processes, memory, goroutines and the cost
// of each stay what they are.
func TestManySessions(t *testing.T) {
	sessions := 200
	if s := os.Getenv(envSoak); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil {
			t.Fatalf("%s: %v", envSoak, err)
		}
		sessions = n
	}
	const most, idle = 8, 200 * time.Millisecond
	dir := t.TempDir()
	script := filepath.Join(dir, "server.sh") // in a file: a configuration has variables of its own
	if err := os.WriteFile(script, []byte(smallServer), 0o600); err != nil {
		t.Fatal(err)
	}
	config, err := json.Marshal(map[string]any{"mcpServers": map[string]any{"small": map[string]any{"command": "/bin/sh", "args": []string{script}, "env": map[string]string{"SECRET": "not-to-be-seen-0123"}}}})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "mcp.json"), config, 0o600); err != nil {
		t.Fatal(err)
	}
	before := children(t)
	ctx, cancel := context.WithCancel(t.Context())
	url, header, done := gatewayOverHTTP(ctx, t, filepath.Join(dir, "mcp.json"), nil, "--trace", filepath.Join(dir, "run.ndjson"), "--max-processes", fmt.Sprint(most), "--idle-timeout", idle.String())
	c := &soakClient{t, url, header["Authorization"]}
	quarter := sessions / 4
	var times [4]time.Duration
	var heaps [4]uint64
	var goroutines [4]int
	highest := 0
	for q := range times {
		start := time.Now()
		for n := range quarter {
			c.session(n%3 != 0)
			if n%20 == 0 {
				highest = max(highest, children(t)-before)
			}
		}
		times[q] = time.Since(start) / time.Duration(quarter)
		heaps[q], goroutines[q] = heap(), runtime.NumGoroutine()
	}
	t.Logf("%d sessions: %v each by quarter, heap %v bytes, goroutines %v, at most %d processes", 4*quarter, times, heaps, goroutines, highest)
	if highest > most {
		t.Errorf("%d processes at a time, want at most %d", highest, most)
	}
	if times[3] > 2*times[0]+10*time.Millisecond {
		t.Errorf("the last sessions took %v each, the first %v", times[3], times[0])
	}
	if heaps[3] > heaps[0]+8<<20 {
		t.Errorf("the heap has grown from %d to %d bytes", heaps[0], heaps[3])
	}
	if goroutines[3] > goroutines[0]+20*most {
		t.Errorf("goroutines: %v", goroutines)
	}
	for deadline := time.Now().Add(20 * time.Second); children(t) > before; {
		if time.Now().After(deadline) {
			t.Fatalf("%d processes are left of sessions that nobody ended", children(t)-before)
		}
		<-time.After(idle)
	}
	cancel()
	if code := <-done; code != 0 {
		t.Errorf("exit code %d", code)
	}
	text, err := os.ReadFile(filepath.Join(dir, "run.ndjson"))
	if err != nil || !strings.Contains(string(text), `{"end":{"messages":`) {
		t.Errorf("the trace has no end: %v", err)
	}
}
