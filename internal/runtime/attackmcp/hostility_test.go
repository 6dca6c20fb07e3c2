package attackmcp

import (
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"gauntlet/internal/leaf/faults"
	"gauntlet/internal/runtime/mcpclient"
	"gauntlet/internal/runtime/mcpserver"
	"gauntlet/internal/runtime/wire"
	"gauntlet/trace"
)

var updateMatrix = flag.Bool("update", false, "write docs/attack-tests.md anew")

// hostilities are the rows of the matrix: every kind, some with several parameters.
var hostilities = []string{
	"delay wait=200ms", "drip every=1ms", "stall", "no_newline", "cut after=20", "reset after=20",
	"wrong_id as=other", "wrong_id as=null_id", "wrong_id as=missing", "wrong_id as=text", "wrong_id as=object", "wrong_id as=huge",
	"duplicate count=3", "duplicate as=error", "batch count=1",
	"flood as=log count=20000", "flood as=changed count=20000", "flood as=ping count=2000", "flood as=answer count=20000",
	"nest depth=1000", "nest depth=100000", "nest as=object depth=5000000", "huge size=33554432", "endless size=134217728",
	"invalid_utf8", "ansi", "ansi as=raw", "unicode as=mixed", "unicode as=surrogates",
	"cursor_loop as=fresh count=2000", "cursor_loop as=same count=2000", "cache ttl=-1", `cache ttl="soon" scope=7`,
	"redirect", "status status=500", "status status=401", "content_type", "header value=another", "header_mismatch", "short", "resume",
	"noise as=garbage", "noise as=event", "noise as=nul_id",
}

// patience is how long a client waits for an answer: in the matrix that is written long enough
// for a slow machine, else only as long as it takes to see that everybody comes to an end.
func patience() time.Duration {
	if *updateMatrix {
		return 5 * time.Second
	}
	return 300 * time.Millisecond
}

// asRule writes a row of the matrix as a rule that is done once, to the call of a tool, or
// again and again to lists.
func asRule(row string) string {
	words := strings.Fields(row)
	out := "{do: " + words[0]
	for _, w := range words[1:] {
		name, value, _ := strings.Cut(w, "=")
		out += ", " + name + ": " + value
	}
	switch words[0] {
	case "cursor_loop", "cache":
		return out + ", on: [tools/list]}"
	}
	return out + ", times: 1, on: [tools/call]}"
}

// met is what a client said of its steps: "ok", "error" or "nothing" (within its patience).
type met struct {
	List, First, Second string
	Pages               int
	Crashed             bool
}

// cell says in words what came of a row.
func (m met) cell(row string) string {
	if m.Crashed {
		return "crashed"
	}
	if strings.HasPrefix(row, "cursor_loop") || strings.HasPrefix(row, "cache") {
		return fmt.Sprintf("%s, %s; %s", map[string]string{"ok": "answered", "error": "error", "nothing": "gave up"}[m.List],
			plural(m.Pages, "page"), map[string]string{"ok": "goes on", "error": "lost", "nothing": "stuck"}[m.First])
	}
	return map[string]string{"ok": "answered", "error": "error", "nothing": "gave up"}[m.First] + "; " +
		map[string]string{"ok": "goes on", "error": "lost", "nothing": "stuck"}[m.Second]
}

func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}

// stepped does a step and says what came of it.
func stepped(ctx context.Context, do func(context.Context) error) string {
	ctx, cancel := context.WithTimeout(ctx, patience())
	defer cancel()
	begun := time.Now()
	switch err := do(ctx); {
	case err == nil:
		return "ok"
	case time.Since(begun) >= patience()-100*time.Millisecond:
		return "nothing"
	}
	return "error"
}

// A client of the matrix meets a document.
type judge struct {
	name string
	way  string // "stdio" or "HTTP"
	meet func(t *testing.T, execution string) met
}

func judges(t *testing.T) []judge {
	all := []judge{
		{"gauntlet", "stdio", func(t *testing.T, e string) met {
			s := play(t, e, playOptions{})
			d := s.servers["default"]
			t.Cleanup(func() { t.Logf("%+v", s.end().Wire) })
			return ours(t, wire.NewStream(d.from, d.in, wire.Limits{}, nil))
		}},
		{"gauntlet", "HTTP", func(t *testing.T, e string) met {
			base := watched(t, e)
			conn, err := wire.Dial(wire.Endpoint{URL: base + mcpserver.Path})
			if err != nil {
				t.Fatal(err)
			}
			return ours(t, conn)
		}},
		{"Go SDK", "stdio", func(t *testing.T, e string) met {
			s := play(t, e, playOptions{})
			d := s.servers["default"]
			t.Cleanup(func() { t.Logf("%+v", s.end().Wire) })
			return sdks(t, &mcp.IOTransport{Reader: d.from, Writer: d.in})
		}},
		{"Go SDK", "HTTP", func(t *testing.T, e string) met {
			base := watched(t, e)
			transport := &http.Transport{}
			t.Cleanup(transport.CloseIdleConnections)
			return sdks(t, &mcp.StreamableClientTransport{Endpoint: base + mcpserver.Path, HTTPClient: &http.Client{Transport: transport}})
		}},
	}
	dir, err := filepath.Abs(os.Getenv("GAUNTLET_EVERYTHING"))
	node, missing := exec.LookPath("node")
	if os.Getenv("GAUNTLET_EVERYTHING") == "" || err != nil || missing != nil {
		return all
	}
	for _, g := range []struct{ version, module, name string }{{"v1", "sdk", "TypeScript SDK 1"}, {"v2", "client", "TypeScript SDK 2"}} {
		if _, err := os.Stat(filepath.Join(dir, "node_modules", "@modelcontextprotocol", g.module)); err != nil {
			continue
		}
		for _, way := range []string{"stdio", "HTTP"} {
			all = append(all, judge{g.name, way, func(t *testing.T, e string) met { return typeScript(t, node, dir, g.version, way, e) }})
		}
	}
	return all
}

// watched plays a document over HTTP, and in the end logs what was observed.
func watched(t *testing.T, execution string) (base string) {
	base, end := onHTTP(t, execution, playOptions{})
	t.Cleanup(func() {
		sum, _ := end()
		t.Logf("%+v", sum.Wire)
	})
	return base
}

func ours(t *testing.T, conn wire.Conn) (m met) {
	defer conn.Close()
	s, err := mcpclient.Open(t.Context(), conn, mcpclient.Options{})
	if err != nil {
		t.Fatal(err)
	}
	m.List = stepped(t.Context(), func(ctx context.Context) error {
		got := s.Read(ctx)
		m.Pages = len(got.Lists[0].Items) // one a page
		for _, g := range got.Errors {
			if strings.HasPrefix(g.Method, "tools/") {
				return fmt.Errorf("%+v", g)
			}
		}
		return nil
	})
	call := func(ctx context.Context) error {
		_, err := s.Call(ctx, "tools/call", callT)
		return err
	}
	m.First, m.Second = stepped(t.Context(), call), stepped(t.Context(), call)
	return m
}

func sdks(t *testing.T, transport mcp.Transport) (m met) {
	client := mcp.NewClient(&mcp.Implementation{Name: "judge", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), transport, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	m.List = stepped(t.Context(), func(ctx context.Context) error {
		params := &mcp.ListToolsParams{}
		for {
			page, err := session.ListTools(ctx, params)
			if err != nil {
				return err
			}
			m.Pages++
			if params.Cursor = page.NextCursor; params.Cursor == "" {
				return nil
			}
		}
	})
	call := func(ctx context.Context) error {
		_, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "t", Arguments: map[string]any{}})
		return err
	}
	m.First, m.Second = stepped(t.Context(), call), stepped(t.Context(), call)
	return m
}

// envHostile names the execution that the test's own program plays on stdio.
const envHostile = "GAUNTLET_TEST_HOSTILE"

// TestHostileServer is no test: it is the server of the clients that start one.
func TestHostileServer(t *testing.T) {
	execution := os.Getenv(envHostile)
	if execution == "" {
		t.Skip("started by TestHostilityMatrix")
	}
	r, err := newRun(load(t, execution), playOptions{Recorder: trace.NewRecorder(func(*trace.Message) error { return nil }, trace.RecorderOptions{}), Limit: 2 * time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	go func() { // ends with the process
		_ = r.Servers()[0].Stdio(context.Background(), os.Stdin, os.Stdout)
		os.Exit(0)
	}()
	r.Run(context.Background())
	os.Exit(0)
}

func typeScript(t *testing.T, node, dir, generation, way, execution string) (m met) {
	here := t.TempDir()
	if err := os.Symlink(filepath.Join(dir, "node_modules"), filepath.Join(here, "node_modules")); err != nil {
		t.Skip("no symbolic links here: ", err)
	}
	text, err := os.ReadFile("testdata/hostile.mjs")
	if err != nil {
		t.Fatal(err)
	}
	script := filepath.Join(here, "hostile.mjs")
	if err := os.WriteFile(script, text, 0o600); err != nil {
		t.Fatal(err)
	}
	args := []string{script, generation, fmt.Sprint(patience().Milliseconds())}
	if way == "stdio" {
		args = append(args, "stdio", os.Args[0], "-test.run=^TestHostileServer$")
	} else {
		base := watched(t, execution)
		args = append(args, "http", base+mcpserver.Path)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, node, args...)
	cmd.Env = append(os.Environ(), envHostile+"="+execution, "GOCOVERDIR="+t.TempDir())
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	if json.Unmarshal(out, &m) != nil || err != nil && m.Second == "" {
		m.Crashed = true
		t.Logf("%v: %s", err, out)
	}
	return m
}

// TestHostilityMatrix plays every hostility to every client there is. Each must come to an end,
// ours with an answer or an error each time, and no run is left behind. What the clients did is in
// docs/attack-tests.md, which -update writes anew.
func TestHostilityMatrix(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes ten seconds")
	}
	clients := judges(t)
	cells := make(map[string][]string)
	for _, row := range hostilities {
		cells[row] = make([]string, len(clients))
	}
	t.Run("all", func(t *testing.T) {
		places := make(chan struct{}, 8) // meetings at a time, most of which wait
		var mu sync.Mutex
		for _, row := range hostilities {
			kind := faults.Kinds()
			for i, c := range clients {
				if httpOnly(kind, row) && c.way == "stdio" {
					continue
				}
				t.Run(row+" "+c.name+" "+c.way, func(t *testing.T) {
					t.Parallel()
					places <- struct{}{}
					defer func() { <-places }()
					m := c.meet(t, tampering("["+asRule(row)+"]"))
					mu.Lock()
					defer mu.Unlock()
					cells[row][i] = m.cell(row)
					if m.Second == "" && c.name == "gauntlet" {
						t.Errorf("our own client did not come to the end: %+v", m)
					}
				})
			}
		}
	})
	var b strings.Builder
	b.WriteString("| |")
	for _, c := range clients {
		fmt.Fprintf(&b, " %s, %s |", c.name, c.way)
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", len(clients)) + "\n")
	for _, row := range hostilities {
		fmt.Fprintf(&b, "| `%s` |", row)
		for _, cell := range cells[row] {
			fmt.Fprintf(&b, " %s |", cmp.Or(cell, "-"))
		}
		b.WriteString("\n")
	}
	if !*updateMatrix {
		return
	}
	const begin, end = "<!-- matrix -->\n", "<!-- /matrix -->"
	path := filepath.Join("..", "..", "..", "docs", "attack-tests.md")
	doc, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(doc), begin)
	_, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s has no place for the matrix", path)
	}
	if err := os.WriteFile(path, []byte(before+begin+b.String()+end+after), 0o644); err != nil {
		t.Fatal(err)
	}
}

func httpOnly(kinds []faults.Kind, row string) bool {
	for _, k := range kinds {
		if k.Name == strings.Fields(row)[0] {
			return k.HTTP
		}
	}
	return false
}
