package mcpserver

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"gauntlet/internal/runtime/wire"
	"gauntlet/rawjson"
)

// A puppet is an Interceptor made of functions.
type puppet struct {
	mu    sync.Mutex
	heard []string // method and conversation, in order
	hear  func(t *Session, m wire.Message) Decision
}

func (p *puppet) Intercept(_ context.Context, t *Session, m wire.Message) Decision {
	p.mu.Lock()
	p.heard = append(p.heard, fmt.Sprintf("%d %s", t.Number(), m.Method))
	p.mu.Unlock()
	if p.hear == nil {
		return Decision{}
	}
	return p.hear(t, m)
}

func (p *puppet) all() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string(nil), p.heard...)
}

// tools is a State with one tool for each name, whose calls call answers.
func tools(call func(context.Context, Call) (string, error), names ...string) State {
	s := State{
		Name: "t", Identity: []string{`{"name":"t","version":"1"}`}, Call: call,
		Capabilities: []string{`{"tools":{"listChanged":true},"resources":{"listChanged":true,"subscribe":true}}`},
	}
	s.Lists[0].Present = true
	for _, n := range names {
		s.Lists[0].Items = append(s.Lists[0].Items, `{"name":`+rawjson.Quote(n)+`,"inputSchema":{"type":"object"}}`)
	}
	return s
}

// said returns a result with a text.
func result(text string) (string, error) {
	return `{"content":[{"type":"text","text":` + rawjson.Quote(text) + `}]}`, nil
}

func serverFor(t testing.TB, s State, opt Options) *Server {
	t.Helper()
	server, err := New(s, opt)
	if err != nil {
		t.Fatal(err)
	}
	return server
}

func prepared(t testing.TB, s State) *Prepared {
	t.Helper()
	p, err := Prepare(s)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// A line is a conversation over stdio in which the test is the client.
type line struct {
	t    *testing.T
	in   *io.PipeWriter
	out  *bufio.Reader
	stop func() // ends it and waits
}

func talkTo(t *testing.T, s *Server) *line {
	t.Helper()
	fromClient, in := io.Pipe()
	out, toClient := io.Pipe()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { // ends with stop
		ended <- s.Stdio(ctx, fromClient, toClient)
		toClient.Close()
	}()
	l := &line{t: t, in: in, out: bufio.NewReader(out)}
	var once sync.Once
	l.stop = func() {
		once.Do(func() {
			cancel()
			in.Close()
			out.Close()
			if err := <-ended; err != nil {
				t.Errorf("Stdio: %v", err)
			}
		})
	}
	t.Cleanup(l.stop)
	return l
}

func (l *line) say(messages ...string) {
	l.t.Helper()
	for _, m := range messages {
		if _, err := io.WriteString(l.in, m+"\n"); err != nil {
			l.t.Fatalf("%s: %v", m, err)
		}
	}
}

// hear returns the next line; it is to hold the parts.
func (l *line) hear(parts ...string) string {
	l.t.Helper()
	got, err := l.out.ReadString('\n')
	if err != nil {
		l.t.Fatalf("want %q: %v", parts, err)
	}
	for _, p := range parts {
		if !strings.Contains(got, p) {
			l.t.Fatalf("got %s want %s in it", got, p)
		}
	}
	return strings.TrimSuffix(got, "\n")
}

func called(id, name string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"` + name + `","arguments":{}}}`
}

const (
	initialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
	pingSeven   = `{"jsonrpc":"2.0","id":7,"method":"ping"}`
)

// asks is a call that asks for an elicitation and says what came.
func asks(ctx context.Context, c Call) (string, error) {
	m, err := c.Ask(ctx, "elicitation/create", `{"message": "who?"}`)
	if err != nil {
		return "", err
	}
	return result(c.Name + " " + m.Kind.String() + " " + m.Result + m.Error)
}

func TestCallsAskWhileOthersAreAnswered(t *testing.T) {
	s := serverFor(t, tools(asks, "a", "b"), Options{Interceptor: &puppet{}})
	l := talkTo(t, s)
	l.say(initialize)
	l.hear(`"id":1`)
	l.say(called("2", "a"))
	l.hear(`{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"message":"who?"}}`)
	l.say(pingSeven)
	l.hear(`{"jsonrpc":"2.0","id":7,"result":{}}`)
	l.say(called("3", "b"))
	l.hear(`"id":2,"method":"elicitation/create"`)
	// What answers nothing changes nothing.
	l.say(`{"jsonrpc":"2.0","id":3,"result":{}}`, `{"jsonrpc":"2.0","id":"1x","result":{}}`, `{"jsonrpc":"2.0","id":"2","result":{"action":"decline"}}`)
	l.hear(`"id":3,"result"`, `b response {\"action\":\"decline\"}`)
	l.say(`{"jsonrpc":"2.0","id":2,"result":{}}`, `{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"no"}}`)
	l.hear(`"id":2,"result"`, `a error {\"code\":-1`)
}

func TestAskedInVain(t *testing.T) {
	s := serverFor(t, tools(asks, "a"), Options{Interceptor: &puppet{}, Wait: time.Millisecond})
	l := talkTo(t, s)
	l.say(initialize)
	l.hear(`"id":1`)
	l.say(called("2", "a"))
	l.hear(`"method":"elicitation/create"`)
	l.hear(`"id":2,"error"`, ErrNoAnswer.Error())
}

func TestNotificationsAndQuestionsOfTheServer(t *testing.T) {
	talks := make(chan *Session, 1)
	p := &puppet{hear: func(t *Session, m wire.Message) Decision {
		if m.Method == "notifications/initialized" {
			talks <- t
		}
		return Decision{}
	}}
	l := talkTo(t, serverFor(t, tools(nil), Options{Interceptor: p}))
	l.say(initialize)
	l.hear(`"id":1`)
	l.say(initialized)
	talk := <-talks
	if talk.Number() != 1 || talk.Revision() != "2025-11-25" || talk.Client() != "{}" {
		t.Errorf("talk %d of %s, client %s", talk.Number(), talk.Revision(), talk.Client())
	}
	for _, params := range []string{"", "{}", `{ "x" : [ 1 ] }`, `"odd"`} {
		if err := talk.Notify(t.Context(), "notifications/x", params); err != nil {
			t.Fatal(err)
		}
		if params, _ = compactParams(params); params != "" {
			params = `,"params":` + params
		}
		if got, want := l.hear(), `{"jsonrpc":"2.0","method":"notifications/x"`+params+`}`; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	if err := talk.Notify(t.Context(), "x", "{"); err == nil {
		t.Error("a notification that is no JSON was sent")
	}
	go func() {
		l.hear(`"id":1,"method":"roots/list"}`)
		l.say(`{"jsonrpc":"2.0","id":1,"result":{"roots":[]}}`)
	}()
	m, err := talk.Ask(t.Context(), "roots/list", "")
	if err != nil || m.Kind != wire.Response || m.Result != `{"roots":[]}` {
		t.Errorf("got %+v, %v", m, err)
	}
	l.stop()
	if _, err := talk.Ask(t.Context(), "ping", ""); err == nil {
		t.Error("asked who has gone")
	}
}

// The state of before answers, what is said comes behind, and the next message finds the
// new state.
func TestTurns(t *testing.T) {
	before, after := prepared(t, tools(func(context.Context, Call) (string, error) { return result("before") }, "a")), prepared(t, tools(nil, "evil"))
	now, said := before, 0
	p := &puppet{}
	p.hear = func(t *Session, m wire.Message) Decision {
		turn := Decision{State: now}
		if m.Method == "tools/call" {
			turn.AfterAnswer = func() {
				said++
				now = after
				_ = t.Notify(context.Background(), "notifications/tools/list_changed", "")
			}
		}
		return turn
	}
	s := serverFor(t, tools(nil), Options{Interceptor: p})
	got := say(t, s, initialize, initialized, `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`, called("3", "a"), `{"jsonrpc":"2.0","id":4,"method":"tools/list"}`)
	for i, want := range []string{`"id":1`, `"name":"a"`, `"text":"before"`, `"method":"notifications/tools/list_changed"`, `"name":"evil"`} {
		if i >= len(got) || !strings.Contains(got[i], want) {
			t.Fatalf("line %d of %q, want %s", i, got, want)
		}
	}
	if said != 1 {
		t.Errorf("Said ran %d times", said)
	}
	if got, want := strings.Join(p.all(), ", "), "1 initialize, 1 notifications/initialized, 1 tools/list, 1 tools/call, 1 tools/list"; got != want {
		t.Errorf("heard %s, want %s", got, want)
	}
}

func TestVersionIsSentAsWritten(t *testing.T) {
	for _, version := range []string{"2024-11-05", "2025-06-18", "1900-01-01", "2026-07-28", "<nonsense>"} {
		state := tools(nil, "a")
		state.Version = version
		got := say(t, serverFor(t, state, Options{Interceptor: &puppet{}}), initialize, `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`, initialize)
		for i, want := range []string{`"result":{"protocolVersion":` + rawjson.Quote(version), `"id":2,"result":{"tools":[{"name":"a"`, `"result":{"protocolVersion":` + rawjson.Quote(version)} {
			if i >= len(got) || !strings.Contains(got[i], want) {
				t.Errorf("%s: line %d of %q, want %s", version, i, got, want)
			}
		}
	}
}

func TestCancelledCallsHaveNoAnswer(t *testing.T) {
	ended := make(chan error, 1)
	began := make(chan struct{})
	s := serverFor(t, tools(func(ctx context.Context, c Call) (string, error) {
		close(began)
		<-ctx.Done()
		ended <- context.Cause(ctx)
		return result("too late")
	}, "a"), Options{Interceptor: &puppet{}})
	l := talkTo(t, s)
	l.say(initialize)
	l.hear(`"id":1`)
	l.say(called(`"x"`, "a"))
	<-began
	l.say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"y"}}`, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"x"}}`)
	if err := <-ended; err != context.Canceled {
		t.Errorf("the call ended with %v", err)
	}
	l.say(pingSeven)
	l.hear(`{"jsonrpc":"2.0","id":7`)
}
