package mcpserver

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"gauntlet/internal/leaf/mcp"
	"gauntlet/internal/runtime/wire"
)

// say gives lines to a server of its own and returns what it says until they end.
func say(t *testing.T, s *Server, lines ...string) []string {
	t.Helper()
	var out strings.Builder
	if err := s.Stdio(t.Context(), strings.NewReader(strings.Join(lines, "\n")+"\n"), &out); err != nil {
		t.Errorf("Stdio: %v", err)
	}
	text := strings.TrimSuffix(out.String(), "\n")
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}

func initializeWith(version string) string {
	return strings.Replace(initialize, "2025-11-25", version, 1)
}

func TestVersionAnswered(t *testing.T) {
	for _, tt := range []struct {
		speaks      []string
		asked, want string
	}{
		{nil, "2024-11-05", "2024-11-05"},
		{nil, "2025-03-26", "2025-03-26"},
		{nil, "2025-11-25", "2025-11-25"},
		{nil, "2026-07-28", "2025-11-25"},
		{nil, "1900-01-01", "2025-11-25"},
		{nil, "", "2025-11-25"},
		{[]string{"2025-06-18", "2024-11-05"}, "2025-11-25", "2025-06-18"},
		{[]string{"2025-06-18", "2024-11-05"}, "2024-11-05", "2024-11-05"},
		{[]string{"2024-11-05", "2026-07-28"}, "2025-11-25", "2024-11-05"},
	} {
		got := say(t, play(t, friendly, Options{Revisions: tt.speaks}), initializeWith(tt.asked))
		if len(got) != 1 || !strings.Contains(got[0], `"result":{"protocolVersion":"`+tt.want+`"`) {
			t.Errorf("speaking %q, asked for %q: %q, want %s", tt.speaks, tt.asked, got, tt.want)
		}
	}
	if _, err := New(State{}, Options{Revisions: []string{"2025-06-19"}}); err == nil {
		t.Error("an unknown revision was taken")
	}
}

// Every kind of line gets its answer or none, and the server lives on.
func TestStdioConversation(t *testing.T) {
	s := play(t, friendly, Options{HTTP: HTTPOptions{Body: 2000}})
	modernPing := `{"jsonrpc":"2.0","id":"m","method":"tools/list","params":{` + meta + `}}`
	none := ""
	for _, tt := range []struct {
		name, line, want string
		first            bool // the conversation begins with it
	}{
		{"list before initialize", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, `"code":-32602`, true},
		{"ping before initialize", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, `{"jsonrpc":"2.0","id":1,"result":{}}`, true},
		{"discover without _meta", `{"jsonrpc":"2.0","id":1,"method":"server/discover"}`, `"code":-32601`, true},
		{"modern", modernPing, `"resultType":"complete"`, true},
		{"nothing is inherited", `{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{}}`, `"code":-32602`, true},
		{"unknown modern version", strings.Replace(modernPing, "2026-07-28", "1900-01-01", 1), `"code":-32022`, true},
		{"batch before initialize", "[" + modernPing + "]", `"code":-32600`, true},
		{"initialize", initializeWith("2025-03-26"), `"protocolVersion":"2025-03-26"`, true},
		{"initialized", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, none, false},
		{"initialize again", initialize, `"code":-32600`, false},
		{"bad JSON", `{not json`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700`, false},
		{"bad JSON behind an id", `{"jsonrpc":"2.0","id":5,"method":}`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700`, false},
		{"empty line", ``, none, false},
		{"blanks", "  \t\r", none, false},
		{"noise", `hello`, `"code":-32700`, false},
		{"a number", `7`, `"code":-32600`, false},
		{"a long line", `{"jsonrpc":"2.0","id":1,"method":"` + strings.Repeat("x", 3000) + `"}`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600`, false},
		{"null id", `{"jsonrpc":"2.0","id":null,"method":"ping"}`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600`, false},
		{"array id", `{"jsonrpc":"2.0","id":[1],"method":"ping"}`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600`, false},
		{"method is a number", `{"jsonrpc":"2.0","id":8,"method":1}`, `{"jsonrpc":"2.0","id":8,"error":{"code":-32600`, false},
		{"no jsonrpc", `{"id":9,"method":"ping"}`, `{"jsonrpc":"2.0","id":9,"error":{"code":-32600`, false},
		{"big id", `{"jsonrpc":"2.0","id":123456789012345678901234567890,"method":"ping"}`, `"id":123456789012345678901234567890,`, false},
		{"odd id", `{"jsonrpc":"2.0","id":"\ud800\u0041","method":"ping"}`, `"id":"\ud800\u0041",`, false},
		{"an answer", `{"jsonrpc":"2.0","id":1,"result":{}}`, none, false},
		{"an error", `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":""}}`, none, false},
		{"batch", `[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"x"},{"jsonrpc":"2.0","id":2,"method":"nope"},3]`, `[{"jsonrpc":"2.0","id":1,"result":{}},{"jsonrpc":"2.0","id":2,"error":{"code":-32601`, false},
		{"batch of notifications", `[{"jsonrpc":"2.0","method":"x"}]`, none, false},
		{"legacy list has no modern members", `{"jsonrpc":"2.0","id":3,"method":"prompts/list"}`, `"result":{"prompts":[{"name":"p","arguments":[{"name":"a","required":true}]}]}}`, false},
		{"level", `{"jsonrpc":"2.0","id":3,"method":"logging/setLevel","params":{"level":"alert"}}`, `"result":{}`, false},
		{"unknown level", `{"jsonrpc":"2.0","id":3,"method":"logging/setLevel","params":{"level":"loud"}}`, `"code":-32602`, false},
		{"tool", `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"one"}}`, `"isError":true`, false},
		{"tool with arguments in a list", `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"one","arguments":[]}}`, `"code":-32602`, false},
		{"no tool's name", `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{}}`, `"code":-32602`, false},
		{"unknown tool", `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"\ud800<x>"}}`, `"message":"Unknown tool: �<x>"`, false},
		{"prompt", `{"jsonrpc":"2.0","id":3,"method":"prompts/get","params":{"name":"p"}}`, `"code":-32603`, false},
		{"resource", `{"jsonrpc":"2.0","id":3,"method":"resources/read","params":{"uri":"file:///a"}}`, `"code":-32603`, false},
		{"unknown resource", `{"jsonrpc":"2.0","id":3,"method":"resources/read","params":{"uri":"file:///\u00fc"}}`, `"code":-32002,"message":"Resource not found","data":{"uri":"file:///\u00fc"}`, false},
		{"cancelled", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`, none, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			alive := `{"jsonrpc":"2.0","id":"alive","method":"ping"}`
			var lines []string
			if !tt.first {
				lines = append(lines, initializeWith("2025-03-26"))
			}
			if tt.name == "nothing is inherited" {
				lines = append(lines, modernPing)
			}
			before := len(lines)
			got := say(t, s, append(lines, tt.line, alive)...)
			if len(got) < before+1 || got[len(got)-1] != `{"jsonrpc":"2.0","id":"alive","result":{}}` {
				t.Fatalf("got %q, want life afterwards", got)
			}
			got = got[before : len(got)-1]
			if tt.want == none && len(got) != 0 || tt.want != none && (len(got) != 1 || !strings.Contains(got[0], tt.want)) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestMethodsFollowCapabilities(t *testing.T) {
	s := play(t, `{"tools":[],"resourceTemplates":[{"uriTemplate":"a:{b}"}]}`, Options{})
	for _, tt := range []struct{ method, params, version, want string }{
		{"tools/list", "{}", "2025-11-25", `"result":{"tools":[]}`},
		{"prompts/list", "{}", "2025-11-25", `"code":-32601`},
		{"resources/list", "{}", "2025-11-25", `"code":-32601`},
		{"resources/templates/list", "{}", "2025-11-25", `"result":{"resourceTemplates":[{"uriTemplate":"a:{b}"}]}`},
		{"prompts/get", `{"name":"x"}`, "2025-11-25", `"code":-32601`},
		{"resources/read", `{"uri":"a:1"}`, "2025-11-25", `"code":-32002`},
		{"logging/setLevel", `{"level":"info"}`, "2025-11-25", `"code":-32601`},
		{"completion/complete", `{"ref":{},"argument":{}}`, "2025-11-25", `"code":-32601`},
		{"completion/complete", `{"ref":{},"argument":{}}`, "2024-11-05", `"values":[]`},
		{"resources/subscribe", `{"uri":"a:1"}`, "2025-11-25", `"code":-32601`},
	} {
		got := say(t, s, initializeWith(tt.version), `{"jsonrpc":"2.0","id":1,"method":"`+tt.method+`","params":`+tt.params+`}`)
		if len(got) != 2 || !strings.Contains(got[1], tt.want) {
			t.Errorf("%s in %s: %q, want %s", tt.method, tt.version, got, tt.want)
		}
		if !strings.Contains(got[0], `"capabilities":{"tools":{},"resources":{}}`) {
			t.Errorf("derived capabilities: %s", got[0])
		}
	}
}

func TestListenOverStdio(t *testing.T) {
	s := play(t, friendly, Options{})
	listen := func(id, wish string) string {
		return `{"jsonrpc":"2.0","id":` + id + `,"method":"subscriptions/listen","params":{"notifications":{` + wish + `},` + meta + `}}`
	}
	got := say(t, s,
		listen("1", `"toolsListChanged":true`),
		listen("1", `"toolsListChanged":true`),
		listen(`"two"`, `"resourcesListChanged":true`),
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"two"}}`,
		listen("3", ``),
		`{"jsonrpc":"2.0","id":4,"method":"subscriptions/listen","params":{`+meta+`}}`)
	for i, want := range []string{
		`"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":1}`,
		`"id":1,"error":{"code":-32600`,
		`"io.modelcontextprotocol/subscriptionId":"two"`,
		`"notifications":{}`,
		`"id":3,"result":{"resultType":"complete"`,
		`"id":4,"error":{"code":-32602`,
		`"id":1,"result":{"resultType":"complete"`, // at the end
	} {
		if i >= len(got) || !strings.Contains(got[i], want) {
			t.Fatalf("line %d of %q, want %s", i, got, want)
		}
	}
	if len(got) != 7 {
		t.Errorf("%d lines, want 7: %q", len(got), got)
	}
}

// Who closes its input first and reads afterwards gets everything.
func TestStdioGivesAllAnswersBeforeItEnds(t *testing.T) {
	const n = 300
	s := play(t, friendly, Options{})
	fromServer, out := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- s.Stdio(t.Context(), strings.NewReader(strings.Repeat(`{"jsonrpc":"2.0","id":1,"method":"ping"}`+"\n", n)), out)
		out.Close()
	}()
	lines := 0
	for r := bufio.NewScanner(fromServer); r.Scan(); {
		lines++
	}
	if err := <-ended; err != nil || lines != n {
		t.Errorf("%d answers, %v, want %d", lines, err, n)
	}
}

// stuck is a stream that neither gives nor takes.
type stuck chan struct{}

func (s stuck) Read([]byte) (int, error)    { <-s; return 0, io.EOF }
func (s stuck) Write(b []byte) (int, error) { <-s; return 0, errors.New("closed") }

func TestStdioEndsWithItsContext(t *testing.T) {
	request := `{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\n"
	for _, tt := range []struct {
		name string
		in   func(stuck) io.Reader
	}{
		{"nothing comes", func(s stuck) io.Reader { return s }},
		{"answers are not read", func(s stuck) io.Reader {
			return io.MultiReader(strings.NewReader(strings.Repeat(request, 1000)), s)
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			hold := make(stuck)
			ctx, cancel := context.WithCancel(t.Context())
			ended := make(chan error, 1)
			go func() { ended <- play(t, friendly, Options{}).Stdio(ctx, tt.in(hold), hold) }()
			cancel()
			select {
			case err := <-ended:
				if err != nil {
					t.Errorf("Stdio: %v", err)
				}
			case <-time.After(6 * stallGrace):
				t.Error("it goes on")
			}
			close(hold)
		})
	}
}

func TestStdioTellsBrokenInput(t *testing.T) {
	broken := fmt.Errorf("the line broke")
	r, w := io.Pipe()
	w.CloseWithError(broken)
	if err := play(t, friendly, Options{}).Stdio(t.Context(), r, io.Discard); !errors.Is(err, broken) {
		t.Errorf("got %v, want %v", err, broken)
	}
}

// notifying lets a test send notifications by itself, as a gateway does.
type notifying struct {
	prepared *Prepared
	sessions chan *Session
}

func (n *notifying) Intercept(_ context.Context, s *Session, m wire.Message) Decision {
	if m.Method == mcp.Initialize {
		n.sessions <- s
	}
	return Decision{State: n.prepared}
}

// A client that has said its last is not held by a flood, whether it goes on reading or not.
func TestStdioEndsUnderAFlood(t *testing.T) {
	for _, tt := range []struct {
		name  string
		reads bool
		more  string // requests whose answers nobody takes
	}{
		{"the client goes on reading", true, ""},
		{"the client reads no more", false, ""},
		{"the client reads no more, with requests unanswered", false, strings.Repeat(`{"jsonrpc":"2.0","id":2,"method":"ping"}`+"\n", 2*mostQueued)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			state := State{Identity: []string{`{"name":"a","version":"1"}`}, Capabilities: []string{"{}"}}
			prepared, err := Prepare(state)
			if err != nil {
				t.Fatal(err)
			}
			n := &notifying{prepared, make(chan *Session, 1)}
			s, err := New(state, Options{Interceptor: n})
			if err != nil {
				t.Fatal(err)
			}
			in, say := io.Pipe()
			hear, out := io.Pipe()
			over := make(chan error, 1)
			go func() { over <- s.Stdio(t.Context(), in, out) }() // ends as the test has it
			go func() {                                           // ends with the pipe
				_, _ = io.WriteString(say, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`+"\n")
			}()
			lines := bufio.NewScanner(hear)
			lines.Scan()
			session := <-n.sessions
			flooding, stop := context.WithCancel(context.Background())
			var flood sync.WaitGroup
			full := make(chan struct{}, 4)
			for range 4 {
				flood.Go(func() { // ends with the test
					for flooding.Err() == nil {
						err := session.Notify(flooding, "notifications/message", `{"level":"info","data":"flood"}`)
						if errors.Is(err, ErrFull) && len(full) < cap(full) {
							select {
							case full <- struct{}{}:
							default:
							}
						}
					}
				})
			}
			defer flood.Wait()
			defer stop()
			if tt.reads {
				go func() { // ends with the pipe
					for lines.Scan() {
					}
				}()
			}
			<-full
			_, _ = io.WriteString(say, tt.more)
			_ = say.Close()
			select {
			case err := <-over:
				if err != nil {
					t.Error(err)
				}
			case <-time.After(6 * stallGrace):
				t.Fatal("it goes on")
			}
			_ = out.Close()
			_ = hear.Close()
		})
	}
}
