package cli

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"gauntlet/trace"
)

// readTrace returns the messages of a trace without a fault.
func readTrace(t *testing.T, file string) []trace.Message {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	got, err := trace.Read(f, trace.Limits{})
	if err != nil || got.Unread != 0 {
		t.Fatalf("%v, %v", err, got.Problems)
	}
	return got.Messages
}

// texts returns what went one way. An answer of HTTP without a body is no text.
func texts(ms []trace.Message, way trace.Direction) (out []string) {
	for _, m := range ms {
		if m.Direction == way && m.PartOf == 0 && (m.Raw != "" || m.HTTP == nil) {
			out = append(out, m.Raw)
		}
	}
	return out
}

// The trace of a capture over stdio holds what a program in between saw, line for line.
func TestTraceHoldsWhatWentOverStdio(t *testing.T) {
	for _, server := range []string{"ok", "noisy", "poisoned", "strays"} {
		t.Run(server, func(t *testing.T) {
			dir := t.TempDir()
			relayed, file := filepath.Join(dir, "relayed"), filepath.Join(dir, "trace.ndjson")
			env := append(os.Environ(), "RELAYFILE="+relayed)
			_, _, stderr := runMain(t, env, "capture", "-o", filepath.Join(dir, "out.json"), "--env", "RELAYFILE="+relayed, "--trace", file, "--", mcpserver(t), "relay", server)
			seen, err := os.ReadFile(relayed)
			if err != nil {
				t.Fatalf("%v\n%s", err, stderr)
			}
			want := map[trace.Direction][]string{}
			for line := range strings.Lines(string(seen)) {
				way := map[string]trace.Direction{"> ": trace.ToServer, "< ": trace.ToClient}[line[:2]]
				want[way] = append(want[way], strings.TrimSuffix(line[2:], "\n"))
			}
			got := readTrace(t, file)
			for _, way := range []trace.Direction{trace.ToServer, trace.ToClient} {
				g := texts(got, way)
				slices.Sort(g) // requests for lists are under way at the same time
				slices.Sort(want[way])
				if !slices.Equal(g, want[way]) || len(g) < 4 {
					t.Errorf("%s: the trace has %d messages\n%q\nthe relay saw %d\n%q", way, len(g), g, len(want[way]), want[way])
				}
			}
		})
	}
}

// mcpserver returns the program that TestMain makes of this test.
func mcpserver(t *testing.T) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("needs a link to this program")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "mcpserver")
	if err := os.Symlink(self, link); err != nil {
		t.Fatal(err)
	}
	return link
}

// The trace of a capture over HTTP holds what a proxy in between saw, and no secret.
func TestTraceHoldsWhatWentOverHTTP(t *testing.T) {
	var mu sync.Mutex
	want := map[trace.Direction][]string{}
	saw := func(way trace.Direction, body string) {
		mu.Lock()
		defer mu.Unlock()
		if body != "" {
			want[way] = append(want[way], strings.ReplaceAll(strings.ReplaceAll(body, "X-"+canary, "[X-Key]"), canary, "[TOKEN]"))
		}
	}
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		saw(trace.ToServer, string(body))
		r.Body = io.NopCloser(bytes.NewReader(body))
		answer := httptest.NewRecorder()
		web(answer, r)
		saw(trace.ToClient, answer.Body.String())
		for name, values := range answer.Header() {
			w.Header()[name] = values
		}
		w.WriteHeader(answer.Code)
		_, _ = w.Write(answer.Body.Bytes())
	}))
	defer proxy.Close()
	file := filepath.Join(t.TempDir(), "trace.ndjson")
	runMain(t, []string{"TOKEN=" + canary}, "capture", "--trace", file, "--header", "X-Key=X-"+canary, "--bearer-env", "TOKEN", proxy.URL)
	got := readTrace(t, file)
	for _, way := range []trace.Direction{trace.ToServer, trace.ToClient} {
		g := texts(got, way)
		slices.Sort(g) // requests for lists are under way at the same time
		slices.Sort(want[way])
		if !slices.Equal(g, want[way]) || len(g) < 4 {
			t.Errorf("%s: the trace has %d messages\n%q\nthe proxy saw %d\n%q", way, len(g), g, len(want[way]), want[way])
		}
	}
	text, _ := os.ReadFile(file)
	if bytes.Contains(text, []byte(canary)) {
		t.Errorf("a secret is in the trace:\n%s", text)
	}
	redacted := slices.ContainsFunc(got, func(m trace.Message) bool { return m.Redacted })
	if !redacted || got[0].HTTP.Credential != "c1" || got[0].HTTP.Exchange != 1 || !strings.Contains(fmt.Sprint(got[0].HTTP.Headers), "Mcp-") {
		t.Errorf("redacted: %v, the first message's HTTP %+v", redacted, got[0].HTTP)
	}
}

// A flood stands in the report, since stderr is not kept everywhere.
func TestReportTellsOfFloods(t *testing.T) {
	file := filepath.Join(t.TempDir(), "flood.ndjson")
	var b strings.Builder
	b.WriteString(`{"format":"gauntlet-trace","version":"1.0"}` + "\n")
	for i := range trace.FloodMessages + 1 {
		fmt.Fprintf(&b, `{"seq":%d,"time":"2026-01-01T00:00:00Z","server":"mail","role":"proxy","direction":"to_client","kind":"notification",`+
			`"method":"notifications/message","raw":"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\"}"}`+"\n", i+1)
	}
	if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, format := range []string{"pretty", "json"} {
		_, stdout, stderr := run(t.Context(), nil, "scan", "--format", format, "--trace", file)
		if !strings.Contains(stdout, "mail floods its client") {
			t.Errorf("%s says nothing of the flood:\n%s\n%s", format, stdout, stderr)
		}
	}
}
