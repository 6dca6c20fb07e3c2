package mcpclient

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"gauntlet/internal/leaf/mcp"
	"net"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"gauntlet/catalog"
	"gauntlet/finding"
	"gauntlet/internal/runtime/wire"
)

// soon is when something that should have happened has not.
func soon() time.Time { return time.Now().Add(10 * time.Second) }

// start starts a server of hostile_test.go and checks in the end that it left nothing.
func start(t *testing.T, name string, processes int, limits wire.Limits) *wire.Process {
	t.Helper()
	a := watch(t)
	p, err := wire.Start(wire.Command{
		Args: []string{os.Args[0]}, Environ: os.Environ(), Limits: limits, Grace: 200 * time.Millisecond,
		Env: []string{envServer + "=" + name, envAlive + "=" + a.l.Addr().String(), "GITHUB_TOKEN=ghp_secret", "KEY=secret99",
			"GOCOVERDIR=" + t.TempDir()}, // or a build with -cover writes to stderr
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
		a.allGone(processes)
	})
	return p
}

// small is waited for in full where a server hangs. A server that answers has to start within it, also under the race
// detector on a busy machine.
const small = 3 * time.Second

func TestCapture(t *testing.T) {
	const patient = 20 * time.Second // for servers that answer: never waited for in full
	const everything = "3 3 3 3"
	for _, tt := range []struct {
		server    string
		timeout   time.Duration
		limits    wire.Limits
		processes int
		counts    string   // items of tools, prompts, resources, templates; - is absent
		fails     string   // the whole error
		gaps      []string // what stands in Errors, each "method: part of the message"
	}{
		{server: "honest", timeout: patient, counts: everything},
		{server: "hang at initialize", timeout: small, fails: "no answer to initialize within 3s"},
		{server: "hang at page 2", timeout: small, counts: "1 3 3 3", gaps: []string{"tools/list: page 2: no answer to tools/list within 3s"}},
		{server: "garbage", timeout: patient, counts: everything},
		{server: "100 MB line", timeout: patient, counts: "3 - 3 3", gaps: []string{"prompts/list: a line of more than 67108864 bytes instead of an answer to prompts/list"}},
		{server: "endless line", timeout: patient, limits: wire.Limits{Message: 1 << 20, Total: 4 << 20}, fails: "a line of more than 1048576 bytes instead of an answer to initialize"},
		{server: "noise flood", timeout: patient, limits: wire.Limits{Strays: 100, TotalStrays: 250}, counts: "1 - - -", gaps: []string{
			"tools/list: page 2: more than 100 messages came, but no answer to tools/list",
			"prompts/list: more than 100 messages came, but no answer to prompts/list",
			"resources/list: the server sent more than 250 messages that answer nothing",
			"resources/templates/list: not asked: the server sent more than 250 messages that answer nothing",
		}},
		{server: "notification flood", timeout: patient, fails: "more than 10000 messages came, but no answer to initialize"},
		{server: "notification flood", timeout: patient, limits: wire.Limits{Total: 10_000}, fails: "no answer to initialize: the server sent more than 10000 bytes"},
		{server: "endless pages", timeout: patient, counts: "7 3 3 3", gaps: []string{"tools/list: more than 7 pages; the rest was not read"}},
		{server: "cursor loop", timeout: patient, counts: "3 3 3 3", gaps: []string{`tools/list: page 3: the cursor "two" came a second time`}},
		{server: "dies at page 2", timeout: patient, counts: "1 - - -", gaps: []string{
			`tools/list: page 2: the server exited with status 3 before answering tools/list; its stderr: panic: \x1b[31mout of luck\x1b[0m -32601`,
			"prompts/list: not asked: the server exited with status 3; its stderr: panic:",
			"resources/list: not asked: ", "resources/templates/list: not asked: ",
		}},
		{server: "dies at once", timeout: patient, fails: "the server exited with status 1 before answering initialize; its stderr: GITHUB_TOKEN is [GITHUB_TOKEN]"},
		{server: "half an answer", timeout: patient, counts: "1 - - -", gaps: []string{
			"tools/list: page 2: the server exited with status 0 before answering tools/list", "prompts/list: not asked", "resources/list: not asked", "resources/templates/list: not asked",
		}},
		{server: "stubborn", timeout: patient, counts: everything},
		{server: "grandchild", timeout: patient, processes: 2, counts: "1 - - -", gaps: []string{
			"tools/list: page 2: the server exited with status 0 before answering tools/list", "prompts/list: not asked", "resources/list: not asked", "resources/templates/list: not asked",
		}},
		{server: "wrong ids", timeout: patient, counts: everything, gaps: []string{"initialize: it was answered twice under one id, with different content"}},
		{server: "only wrong ids", timeout: small, counts: "- 3 3 3", gaps: []string{"tools/list: no answer to tools/list within 3s (but 1 answer with an unknown id)"}},
		{server: "ids as texts", timeout: patient, counts: everything},
		{server: "two readings of an id", timeout: patient, counts: "1 3 3 3", gaps: []string{"tools/list: it was answered twice, under its id and under the id in another type"}},
		{server: "error answers", timeout: patient, counts: "1 - - -", gaps: []string{
			`tools/list: page 2: the server answered tools/list with error -32601: "gone"`,
			`resources/list: the server answered resources/list with error -32000: "token [KEY] is wrong (-32601)\x1b[2J"`,
			"resources/templates/list: Method not found",
		}},
		{server: "refuses initialize", timeout: patient, fails: `the server answered initialize with error -32022: "Unsupported protocol version"`},
		{server: "invalid UTF-8", timeout: patient, counts: "1 3 3 3"},
		{server: "broken JSON", timeout: patient, counts: "- 3 3 3", gaps: []string{"tools/list: what came back for tools/list is not a JSON-RPC answer: not JSON: byte 51: expected a value"}},
		{server: "batch", timeout: patient, counts: "1 3 3 3"},
		{server: "asks first", timeout: patient, counts: "1 3 3 3"},
		{server: "asks without reading", timeout: patient, counts: "1 3 3 3"},
		{server: "unknown version", timeout: patient, fails: `the server answered initialize with protocol version "2099-01-01"; this gauntlet speaks 2024-11-05, 2025-03-26, 2025-06-18, 2025-11-25`},
		{server: "old version", timeout: patient, counts: everything},
		{server: "much stderr", timeout: patient, counts: "3 3 - -", gaps: []string{
			"resources/list: the server exited with status 4 before answering resources/list; its stderr: eee", "resources/templates/list: not asked",
		}},
		{server: "odd results", timeout: patient, counts: "2 1 0 -", gaps: []string{
			`tools/list: an answer has 2 members "tools"`, "prompts/list: page 1: prompts is not an array but an object",
			"resources/list: page 1: nextCursor is not a string but a number",
		}},
		{server: "empty lists", timeout: patient, counts: "0 - - -"},
	} {
		t.Run(tt.server, func(t *testing.T) {
			t.Parallel()
			p := start(t, tt.server, max(1, tt.processes), tt.limits)
			s, err := Capture(t.Context(), p, Options{Timeout: tt.timeout, Pages: 7, Limits: tt.limits, Redact: p.Redact})
			if tt.fails != "" {
				if err == nil || err.Error() != tt.fails {
					t.Fatalf("Capture = %v, want the error %q", err, tt.fails)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := counts(s); got != tt.counts {
				t.Errorf("items %q, want %q", got, tt.counts)
			}
			wantGaps(t, s, tt.gaps)
			readsBack(t, s)
		})
	}
}

func counts(s *Snapshot) string {
	var parts []string
	for _, l := range s.Lists {
		if l.Present {
			parts = append(parts, fmt.Sprint(len(l.Items)))
		} else {
			parts = append(parts, "-")
		}
	}
	return strings.Join(parts, " ")
}

func wantGaps(t *testing.T, s *Snapshot, want []string) {
	t.Helper()
	for i := range max(len(want), len(s.Errors)) {
		switch {
		case i >= len(want):
			t.Errorf("unexpected error %s: %s", s.Errors[i].Method, s.Errors[i].Message)
		case i >= len(s.Errors):
			t.Errorf("missing error %q", want[i])
		default:
			if got := s.Errors[i].Method + ": " + s.Errors[i].Message; !strings.HasPrefix(got, want[i]) {
				t.Errorf("error %d = %q, want it to begin with %q", i, got, want[i])
			}
		}
	}
}

// readsBack checks that catalog reads what was captured: every item with its bytes, and
// a problem for every method that was not fully read, however the server phrased it.
func readsBack(t *testing.T, s *Snapshot) {
	t.Helper()
	c, err := catalog.Parse("", string(s.Bytes()), catalog.Limits{})
	if err != nil {
		t.Fatalf("catalog.Parse: %v\n%s", err, clip(string(s.Bytes()), 2000))
	}
	for i, l := range s.Lists {
		list := c.Servers[0].Lists[i]
		if list.Present != l.Present || len(list.Items) != len(l.Items) {
			t.Errorf("%s read back: present %v with %d items, want %v with %d", mcp.Lists[i].Member, list.Present, len(list.Items), l.Present, len(l.Items))
			continue
		}
		for j := range l.Items {
			if got := list.Items[j].Text(c.Servers[0]); got != l.Items[j] {
				t.Errorf("%s/%d read back as %q, want %q", mcp.Lists[i].Member, j, got, l.Items[j])
			}
		}
	}
	gaps := map[string]bool{}
	for _, e := range s.Errors {
		if !e.Absent {
			gaps[e.Method] = true
		}
	}
	for _, p := range c.Problems {
		if p.Kind == finding.Unread {
			method, _, _ := strings.Cut(p.Message, " could not be captured")
			delete(gaps, method)
		}
	}
	if len(gaps) > 0 {
		t.Errorf("catalog reports no problem for %v", gaps)
	}
}

func TestSnapshotKeepsTheBytes(t *testing.T) {
	p := start(t, "honest", 1, wire.Limits{})
	var progress []string
	s, err := Capture(t.Context(), p, Options{Progress: func(m string, n int) { progress = append(progress, fmt.Sprint(m, " ", n)) }})
	if err != nil {
		t.Fatal(err)
	}
	const want = `{
"server": {"name":"demo","version":"1"},
"protocolVersion": "2025-11-25",
"capabilities": {"tools":{},"prompts":{},"resources":{}},
"instructions": "Be \u006bind.",
"tools": [
{"name": "t1",  "inputSchema":{"type":"object"}, "n":1.0},
{"name": "t2",  "inputSchema":{"type":"object"}, "n":1.0},
{"name": "t3",  "inputSchema":{"type":"object"}, "n":1.0}
],
"prompts": [
{"name":"p1"},
{"name":"p2"},
{"name":"p3"}
],
"resources": [
{"uri":"file:///1","name":"r"},
{"uri":"file:///2","name":"r"},
{"uri":"file:///3","name":"r"}
],
"resourceTemplates": [
{"uriTemplate":"file:///1/{x}","name":"rt"},
{"uriTemplate":"file:///2/{x}","name":"rt"},
{"uriTemplate":"file:///3/{x}","name":"rt"}
]
}
`
	if got := string(s.Bytes()); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if s.Revision != "2025-11-25" {
		t.Errorf("Revision = %q", s.Revision)
	}
	if got := strings.Join(progress[:6], ", "); got != "initialize 0, tools/list 0, tools/list 1, tools/list 2, tools/list 3, prompts/list 0" {
		t.Errorf("progress: %s", got)
	}
}

// Whatever some client would show its agent is captured, and the snapshot says where clients
// differ.
func TestEveryReadingIsCaptured(t *testing.T) {
	p := start(t, "forked tongue", 1, wire.Limits{})
	s, err := Capture(t.Context(), p, Options{})
	if err != nil {
		t.Fatal(err)
	}
	text := string(s.Bytes())
	for _, want := range []string{`"good"`, `"evil"`, `"late"`, `"hidden"`, `"alone"`, `"Instructions": "Be quick."`, `"instructions": "Be \u006bind."`} {
		if !strings.Contains(text, want) {
			t.Errorf("the snapshot lacks %s:\n%s", want, text)
		}
	}
	c, err := catalog.Parse("x", text, catalog.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	var said []string
	for _, a := range c.Ambiguities {
		said = append(said, strings.Join(a.Names, " "))
	}
	for _, want := range []string{"Instructions instructions", `tools/list: 2 of tools: "tools", "Tools"`, `tools/list: 2 of nextCursor: "nextCursor", "NextCursor"`,
		`prompts/list: 2 of result: "result", "Result"`, `resources/list: 1 of result: "RESULT"`} {
		if !slices.Contains(said, want) {
			t.Errorf("the ambiguities %q lack %q", said, want)
		}
	}
}

func TestInvalidUTF8ReachesTheSnapshot(t *testing.T) {
	p := start(t, "invalid UTF-8", 1, wire.Limits{})
	s, err := Capture(t.Context(), p, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if want := "{\"name\":\"a\xff\\ud800\"}"; !strings.Contains(string(s.Bytes()), want) {
		t.Errorf("%q is not in %q", want, s.Bytes())
	}
}

func TestServersRequestsAreAnswered(t *testing.T) {
	p := start(t, "asks first", 1, wire.Limits{})
	s, err := Capture(t.Context(), p, Options{})
	if err != nil {
		t.Fatal(err)
	}
	no := `{\"code\":-32601,\"message\":\"Method not found\"}`
	want := `{"name":"\"ask-0\"{} \"ask-1\"` + no + ` \"ask-2\"` + no + ` \"ask-3\"` + no + `"}`
	if got := s.Lists[0].Items[0]; got != want {
		t.Errorf("the server got %s\nwant %s", got, want)
	}
}

func TestNoiseIsKeptAndBounded(t *testing.T) {
	p := start(t, "garbage", 1, wire.Limits{})
	s, err := Capture(t.Context(), p, Options{})
	if err != nil {
		t.Fatal(err)
	}
	// 13 requests with three lines each, and the one at the start; empty lines are no noise.
	if s.Noise.Count != 40 || len(s.Noise.Lines) != 20 {
		t.Errorf("%d lines of noise, %d kept; want 40 and 20", s.Noise.Count, len(s.Noise.Lines))
	}
	for _, line := range s.Noise.Lines {
		if len(line) > 510 {
			t.Errorf("a kept line has %d bytes", len(line))
		}
	}
	if got := string(s.Bytes()); !strings.Contains(got, "\"stdout_noise\": [\n\"Server starting…\",\n\"\\u001b[32mINFO") || !strings.Contains(got, "\"stdout_noise_count\": 40") {
		t.Errorf("the snapshot does not show the noise:\n%s", clip(got, 3000))
	}
}

func TestTotalTimeEndsACapture(t *testing.T) {
	p := start(t, "hang at page 2", 1, wire.Limits{})
	ctx, cancel := context.WithTimeout(t.Context(), small)
	defer cancel()
	s, err := Capture(ctx, p, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if counts(s) != "1 - - -" {
		t.Errorf("items %s, want the first page of tools", counts(s))
	}
	wantGaps(t, s, []string{
		"tools/list: page 2: the total time was over before tools/list was answered",
		"prompts/list: not asked: the total time was over", "resources/list: not asked", "resources/templates/list: not asked",
	})
}

func TestAnInterruptIsNoTimeout(t *testing.T) {
	p := start(t, "hang at initialize", 1, wire.Limits{})
	ctx, cancel := context.WithCancel(t.Context())
	_, err := Capture(ctx, p, Options{Progress: func(string, int) { cancel() }})
	if err == nil || err.Error() != "interrupted before initialize was answered" {
		t.Errorf("Capture = %v", err)
	}
}

func TestHandshakeErrorsKeepTheirChain(t *testing.T) {
	p := start(t, "dies at once", 1, wire.Limits{})
	_, err := Capture(t.Context(), p, Options{})
	var end *wire.EndError
	if !errors.As(err, &end) || end.Before != "initialize" {
		t.Errorf("Capture = %#v, want an EndError", err)
	}
}

func TestItemsLimit(t *testing.T) {
	p := start(t, "honest", 1, wire.Limits{})
	s, err := Capture(t.Context(), p, Options{Items: 2})
	if err != nil {
		t.Fatal(err)
	}
	if counts(s) != "2 2 2 2" || len(s.Errors) != 4 || s.Errors[0].Message != "more than 2 items; the rest was not read" {
		t.Errorf("items %s, errors %v", counts(s), s.Errors)
	}
}

// A list that no capability promises is not offered if the server refuses it, answers with none or
// says nothing; anything else leaves it unread, as does every failure of a promised list.
func TestMissingLists(t *testing.T) {
	const refused = `"error":{"code":-32601,"message":"Method not found"}`
	const all = "tools/list prompts/list resources/list resources/templates/list"
	for _, tt := range []struct {
		name, capabilities string
		missing            string // the methods
		answer             string // to them; "" for silence
		problems           int
		said               string // in the snapshot
	}{
		{"templates, with resources declared", `{"resources":{}}`, "resources/templates/list", refused, 0, `"resources/templates/list": {"code": -32601, "message": "Method not found"}`},
		{"templates, with resources declared, other error", `{"resources":{}}`, "resources/templates/list", `"error":{"code":-32603,"message":"oops"}`, 0, ""},
		{"templates, without resources", `{}`, "resources/templates/list", refused, 0, ""},
		{"resources, declared, with templates", `{"resources":{}}`, "resources/list", refused, 0, `"resources/list": {"code": -32601, "message": "Method not found"}`},
		{"resources, declared, without templates", `{"resources":{}}`, "resources/list resources/templates/list", refused, 1, "although it declares"},
		{"tools, declared", `{"tools":{}}`, "tools/list", refused, 1, "although it declares"},
		{"tools, declared, no list", `{"tools":{}}`, "tools/list", `"result":{}`, 1, "the answer has no tools"},
		{"tools, not declared", `{}`, "tools/list", refused, 0, ""},
		{"not declared, any error", `{"tools":{}}`, "prompts/list resources/list", `"error":{"code":-32000,"message":"not supported"}`, 0, ""},
		{"not declared, no list", `{"tools":{}}`, "prompts/list resources/list", `"result":{}`, 0, ""},
		{"not declared, null", `{"tools":{}}`, "prompts/list resources/list", `"result":{"prompts":null,"resources":null}`, 0, ""},
		{"not declared, null result", `{"tools":{}}`, "prompts/list", `"result":null`, 0, ""},
		{"not declared, the empty object of PHP", `[]`, "prompts/list", `"result":[]`, 0, ""},
		{"not declared, silent", `{"tools":{}}`, "prompts/list resources/list resources/templates/list", "", 0, ""},
		{"not declared, broken", `{"tools":{}}`, "prompts/list", `"result":{"prompts":7}`, 2, "is not an array"},
		{"not declared, goes on", `{"tools":{}}`, "prompts/list", `"result":{"prompts":null,"nextCursor":"x"}`, 1, "is not an array"},
		{"not declared, no answer", `{"tools":{}}`, "prompts/list", `"result":1,"error":{}`, 1, "not a JSON-RPC answer"},
		{"nothing is offered", `{"tools":{}}`, all, "", 1, "no answer to tools/list"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ours, theirs := net.Pipe()
			go func() { // ends with the pipe
				in := bufio.NewScanner(theirs)
				for in.Scan() {
					m := wire.Decode(in.Text())
					answer := `"result":{"protocolVersion":"2025-11-25","serverInfo":{"name":"s","version":"1"},"capabilities":` + tt.capabilities + `}`
					for _, l := range mcp.Lists {
						if m.Method == l.Method {
							answer = `"result":{"` + l.Member + `":[]}`
						}
					}
					if slices.Contains(strings.Fields(tt.missing), m.Method) {
						answer = tt.answer
					}
					if m.ID != "" && answer != "" {
						fmt.Fprintf(theirs, `{"jsonrpc":"2.0","id":%s,%s}`+"\n", m.ID, answer)
					}
				}
			}()
			conn := wire.NewStream(ours, ours, wire.Limits{}, nil)
			defer conn.Close()
			s, err := Capture(t.Context(), conn, Options{Timeout: map[bool]time.Duration{true: small, false: 20 * time.Second}[tt.answer == ""]})
			if err != nil {
				t.Fatal(err)
			}
			text := string(s.Bytes())
			c, err := catalog.Parse("s.json", text, catalog.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			if len(c.Problems) != tt.problems {
				t.Errorf("%d problems, want %d: %v", len(c.Problems), tt.problems, c.Problems)
			}
			if n := strings.Count(text, "-32601"); !strings.Contains(text, tt.said) || tt.problems == 0 && tt.said != "" && n != 1 {
				t.Errorf("want %q once in\n%s", tt.said, text)
			}
		})
	}
}
