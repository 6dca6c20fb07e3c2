package gateway

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"gauntlet/internal/runtime/mcpserver"
	"gauntlet/internal/runtime/wire"
	"gauntlet/rawjson"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A pipe is a conversation over two pipes in memory, ended from either end.
type pipe struct {
	*wire.Stream
	end func()
}

func (p *pipe) Close() error {
	err := p.Stream.Close()
	p.end()
	return err
}

// joined returns a connection to a server that runs in this process.
func joined(s *mcpserver.Server, tap wire.Tap) *pipe {
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = s.Stdio(ctx, fromClient, toClient) // its end is seen at the other end
		_ = toClient.Close()
		_ = fromClient.Close()
	}()
	return &pipe{wire.NewStream(fromServer, toServer, wire.Limits{}, tap), func() { cancel(); _ = toServer.Close(); _ = fromServer.Close(); <-done }}
}

// A backend is an upstream that can be killed and comes back when it is asked for.
type backend struct {
	t     *testing.T
	name  string
	state mcpserver.State
	opt   mcpserver.Options

	tap func() wire.Tap

	mu    sync.Mutex
	live  []*pipe
	opens int
	dead  bool
	calls []string // params of calls, in order
}

func (b *backend) upstream() Upstream {
	return Upstream{b.name, func() (wire.Conn, error) {
		b.mu.Lock()
		defer b.mu.Unlock()
		if b.opens++; b.dead {
			return nil, fmt.Errorf("nothing there")
		}
		s, err := mcpserver.New(b.state, b.opt)
		if err != nil {
			b.t.Error(err)
			return nil, err
		}
		p := joined(s, b.tap())
		b.live = append(b.live, p)
		return p, nil
	}}
}

// kill ends the connections there are; dead says whether new ones can be had.
func (b *backend) kill(dead bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, p := range b.live {
		p.end()
	}
	b.live, b.dead = nil, dead
}

// back returns a server with these tools, whose calls answer with its name and the call.
func back(t *testing.T, name string, tools ...string) *backend {
	b := &backend{t: t, name: name, tap: func() wire.Tap { return nil }}
	b.state = mcpserver.State{Identity: []string{`{"name":"` + name + `","version":"1"}`}, Capabilities: []string{`{"tools":{},"prompts":{},"resources":{}}`}, Instructions: []string{`"Use ` + name + `."`}}
	b.state.Lists[0].Present, b.state.Lists[1].Present, b.state.Lists[2].Present, b.state.Lists[3].Present = true, true, true, true
	for _, tool := range tools {
		b.state.Lists[0].Items = append(b.state.Lists[0].Items, `{"name":"`+tool+`","inputSchema":{"type":"object"},"x":1.50}`)
	}
	b.state.Call = func(_ context.Context, c mcpserver.Call) (string, error) {
		b.mu.Lock()
		b.calls = append(b.calls, c.Params)
		b.mu.Unlock()
		return `{"content":[{"type":"text","text":"` + name + ` did ` + c.Name + `"}]}`, nil
	}
	return b
}

// A front is a client of a gateway.
type front struct {
	t      *testing.T
	gw     *Gateway
	pipe   *pipe
	client *wire.Client
	heard  []string
	mu     sync.Mutex
	notes  []string
	noted  chan struct{} // has an element when there is a new note
}

func open(t *testing.T, opt Options, backends ...*backend) *front {
	t.Helper()
	f := &front{t: t, noted: make(chan struct{}, 1)}
	for _, b := range backends {
		opt.Upstreams = append(opt.Upstreams, b.upstream())
	}
	opt.Note = func(s string) {
		f.mu.Lock()
		f.notes = append(f.notes, s)
		f.mu.Unlock()
		select {
		case f.noted <- struct{}{}:
		default:
		}
	}
	var err error
	if f.gw, err = New(opt); err != nil {
		t.Fatal(err)
	}
	f.pipe = joined(f.gw.Server(), nil)
	f.client = wire.NewClient(f.pipe, wire.Limits{})
	f.client.Heard = func(m wire.Message) { f.heard = append(f.heard, m.Method) }
	t.Cleanup(func() { _ = f.pipe.Close(); f.gw.Close() })
	return f
}

func (f *front) begin(capabilities string) string {
	f.t.Helper()
	init := f.call("initialize", `{"protocolVersion":"2025-11-25","capabilities":`+capabilities+`,"clientInfo":{"name":"agent","version":"7"}}`)
	if err := f.client.Notify(f.t.Context(), "notifications/initialized", "{}"); err != nil {
		f.t.Fatal(err)
	}
	return init
}

func (f *front) call(method, params string) string {
	f.t.Helper()
	out, err := f.try(method, params)
	if err != nil {
		f.t.Fatalf("%s: %v", method, err)
	}
	return out
}

func (f *front) try(method, params string) (string, error) {
	ctx, cancel := context.WithTimeout(f.t.Context(), 20*time.Second)
	defer cancel()
	m, err := f.client.Call(ctx, method, params)
	return m.Result, err
}

// told waits for a note.
func (f *front) told(part string) {
	f.t.Helper()
	for {
		f.mu.Lock()
		notes := slices.Clone(f.notes)
		f.mu.Unlock()
		if slices.ContainsFunc(notes, func(n string) bool { return strings.Contains(n, part) }) {
			return
		}
		select {
		case <-f.noted:
		case <-time.After(20 * time.Second):
			f.t.Fatalf("notes %q, want one with %q", notes, part)
		}
	}
}

// Two servers are one; a call goes to the one that has the tool, under its own name there.
func TestMerged(t *testing.T) {
	a, b := back(t, "mail", "send", "find"), back(t, "web", "fetch", "find")
	f := open(t, Options{}, a, b)
	init := f.begin("{}")
	for _, want := range []string{`"gauntlet-gateway"`, `Server mail:\nUse mail.`, `Server web:\nUse web.`, `"tools":{`, `"prompts":{`, `"resources":{`} {
		if !strings.Contains(init, want) {
			t.Errorf("initialize says %s, without %s", init, want)
		}
	}
	if got, want := f.call("tools/list", "{}"), `{"tools":[{"name":"send","inputSchema":{"type":"object"},"x":1.50},{"name":"mail__find","inputSchema":{"type":"object"},"x":1.50},{"name":"fetch","inputSchema":{"type":"object"},"x":1.50},{"name":"web__find","inputSchema":{"type":"object"},"x":1.50}]}`; got != want {
		t.Errorf("tools/list:\n%s, want\n%s", got, want)
	}
	f.told(`the tool "find" of web is called "web__find": several servers have it`)
	for name, want := range map[string]string{"send": "mail did send", "fetch": "web did fetch", "web__find": "web did find", "mail__find": "mail did find"} {
		if got := f.call("tools/call", `{"name":"`+name+`","arguments":{"q":1.0}}`); !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	if got := b.calls[len(b.calls)-1]; !strings.Contains(got, `"arguments":{"q":1.0}`) {
		t.Errorf("the arguments arrived as %s", got)
	}
	if _, err := f.try("tools/call", `{"name":"find"}`); err == nil || !strings.Contains(err.Error(), "Unknown tool: find") {
		t.Errorf("a name that is gone: %v", err)
	}
	f.call("ping", "{}")
}

// The only server introduces itself.
func TestAlone(t *testing.T) {
	f := open(t, Options{}, back(t, "mail", "send"))
	if init := f.begin("{}"); !strings.Contains(init, `"serverInfo":{"name":"mail","version":"1"}`) || !strings.Contains(init, `"instructions":"Use mail."`) {
		t.Errorf("initialize: %s", init)
	}
}

// A server that dies fails its own calls, nobody else's, and is used again when it is back.
func TestKilled(t *testing.T) {
	a, b := back(t, "mail", "send"), back(t, "web", "fetch")
	f := open(t, Options{Connect: time.Second}, a, b)
	f.begin("{}")
	f.call("tools/list", "{}")
	a.kill(true)
	if _, err := f.try("tools/call", `{"name":"send"}`); err == nil {
		t.Error("a dead server answered")
	}
	if got := f.call("tools/call", `{"name":"fetch"}`); !strings.Contains(got, "web did fetch") {
		t.Errorf("its neighbour said %s", got)
	}
	if got := f.call("tools/list", "{}"); !strings.Contains(got, `"send"`) {
		t.Errorf("the tools of a server that is away are gone: %s", got)
	}
	a.kill(false)
	for {
		got, err := f.try("tools/call", `{"name":"send"}`)
		if err == nil {
			if !strings.Contains(got, "mail did send") {
				t.Errorf("back, it said %s", got)
			}
			break
		}
	}
	f.told("mail has gone")
	f.told("mail is back")
	f.mu.Lock()
	defer f.mu.Unlock()
	if slices.ContainsFunc(f.notes, func(n string) bool { return strings.Contains(n, "web is back") }) {
		t.Errorf("who was never away is said to be back: %q", f.notes)
	}
}

// A server that never answers costs a list the time to connect, and calls of others nothing.
func TestSilent(t *testing.T) {
	a := back(t, "web", "fetch")
	silent := Upstream{"silent", func() (wire.Conn, error) {
		r, w := io.Pipe()
		_, sink := io.Pipe()
		return &pipe{wire.NewStream(r, sink, wire.Limits{}, nil), func() { _ = w.Close(); _ = r.Close() }}, nil
	}}
	f := open(t, Options{Connect: 50 * time.Millisecond, Upstreams: []Upstream{silent}}, a)
	f.begin("{}")
	if got := f.call("tools/list", "{}"); !strings.Contains(got, "fetch") {
		t.Errorf("tools/list: %s", got)
	}
	if got := f.call("tools/call", `{"name":"fetch"}`); !strings.Contains(got, "web did fetch") {
		t.Errorf("tools/call: %s", got)
	}
}

// What a server asks in a call reaches the client, and the client's answer the server.
func TestQuestions(t *testing.T) {
	a := back(t, "mail", "send")
	a.state.Call = func(ctx context.Context, c mcpserver.Call) (string, error) {
		if err := c.Notify(ctx, "notifications/progress", `{"progressToken":"p","progress":1}`); err != nil {
			return "", err
		}
		m, err := c.Ask(ctx, "elicitation/create", `{"message":"sure?","requestedSchema":{"type":"object","properties":{}}}`)
		if err != nil {
			return "", err
		}
		return `{"content":[{"type":"text","text":` + rawjson.Quote(m.Result) + `}]}`, nil
	}
	f := open(t, Options{}, a, back(t, "web", "fetch"))
	asked := ""
	f.client.Answer = func(method, params string) (string, bool) {
		asked = method + " " + params
		return `{"action":"accept","content":{"n":1}}`, true
	}
	f.begin(`{"elicitation":{}}`)
	got := f.call("tools/call", `{"name":"send","_meta":{"progressToken":"p"}}`)
	if !strings.Contains(got, `{\"action\":\"accept\",\"content\":{\"n\":1}}`) || !strings.HasPrefix(asked, "elicitation/create ") {
		t.Errorf("asked %q, the call says %s", asked, got)
	}
	if !slices.Contains(f.heard, "notifications/progress") {
		t.Errorf("heard %v, no progress", f.heard)
	}
}

// refusing lets nothing go to web, and no client sample.
type refusing struct{ answers []string }

func (r *refusing) Claims(capabilities string) error {
	if strings.Contains(capabilities, "sampling") {
		return errors.New("the client claims sampling")
	}
	return nil
}

func (r *refusing) Notifies(server, method, params string) error {
	if strings.Contains(params, "secret of another") {
		return errors.New("a secret of another stands in it")
	}
	return nil
}

func (r *refusing) Answers(server, method, member, value string) error {
	return r.Notifies(server, method, value)
}

func (r *refusing) Asks(server, method, _ string) (func(string, string) error, error) {
	if server == "web" && method == "tools/call" {
		return nil, errors.New("the boundary forbids it")
	}
	return func(member, _ string) error {
		if method == "tools/call" && member == "result" {
			r.answers = append(r.answers, server+" "+method)
		}
		return nil
	}, nil
}

func TestGuard(t *testing.T) {
	guard := &refusing{}
	b := back(t, "web", "fetch")
	f := open(t, Options{Guard: guard}, back(t, "mail", "send"), b)
	f.begin("{}")
	if _, err := f.try("tools/call", `{"name":"fetch"}`); err == nil || !strings.Contains(err.Error(), "-32090") || !strings.Contains(err.Error(), "the boundary forbids it") {
		t.Errorf("a call that is forbidden: %v", err)
	}
	f.call("tools/call", `{"name":"send"}`)
	if len(b.calls) != 0 || !slices.Equal(guard.answers, []string{"mail tools/call"}) {
		t.Errorf("the server had %d calls; answers %v", len(b.calls), guard.answers)
	}
}

// What a client must not claim reaches no server, in initialize or in a request.
func TestGuardClaims(t *testing.T) {
	a := back(t, "mail", "send")
	f := open(t, Options{Guard: &refusing{}}, a)
	f.begin(`{"sampling":{}}`)
	if _, err := f.try("tools/call", `{"name":"send"}`); err == nil || !strings.Contains(err.Error(), "the client claims sampling") {
		t.Errorf("claimed in initialize: %v", err)
	}
	if a.opens != 0 {
		t.Error("the server was connected to")
	}
	f = open(t, Options{Guard: &refusing{}}, a)
	meta := func(c string) string {
		return `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"agent","version":"7"},"io.modelcontextprotocol/clientCapabilities":` + c + `}`
	}
	f.call("tools/call", `{"name":"send",`+meta("{}")+`}`)
	if _, err := f.try("tools/call", `{"name":"send",`+meta(`{"sampling":{}}`)+`}`); err == nil || !strings.Contains(err.Error(), "the client claims sampling") {
		t.Errorf("claimed later: %v", err)
	}
	if len(a.calls) != 1 {
		t.Errorf("the server had %d calls", len(a.calls))
	}
}

// Resources are read from whoever lists them, else from whoever knows them.
func TestResources(t *testing.T) {
	a, b := back(t, "docs"), back(t, "wiki")
	a.state.Lists[2].Items = []string{`{"uri":"doc://a","name":"a"}`}
	b.state.Unlisted = true
	f := open(t, Options{}, a, b)
	f.begin("{}")
	if got := f.call("resources/list", "{}"); got != `{"resources":[{"uri":"doc://a","name":"a"}]}` {
		t.Errorf("resources/list: %s", got)
	}
	for uri, want := range map[string]string{"doc://a": "docs did doc://a", "wiki://b": "wiki did wiki://b"} {
		if got := f.call("resources/read", `{"uri":"`+uri+`"}`); !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s", uri, got, want)
		}
	}
}

// An answer that the boundary forbids does not reach the server, which learns no more than that.
func TestGuardAnswers(t *testing.T) {
	a := back(t, "mail", "send")
	a.state.Call = func(ctx context.Context, c mcpserver.Call) (string, error) {
		m, err := c.Ask(ctx, "elicitation/create", `{"message":"sure?","requestedSchema":{"type":"object","properties":{}}}`)
		if err != nil {
			return "", err
		}
		return `{"content":[{"type":"text","text":` + rawjson.Quote("got "+m.Result+m.Error) + `}]}`, nil
	}
	for _, tt := range []struct{ name, answer, want string }{
		{"allowed", "42", "got {"},
		{"forbidden", "the secret of another", "kept back by the declared boundary"},
	} {
		f := open(t, Options{Guard: &refusing{}}, a)
		f.client.Answer = func(string, string) (string, bool) {
			return `{"action":"accept","content":{"n":` + rawjson.Quote(tt.answer) + `}}`, true
		}
		f.begin(`{"elicitation":{}}`)
		got := f.call("tools/call", `{"name":"send"}`)
		if !strings.Contains(got, tt.want) || strings.Contains(got, "secret of another") {
			t.Errorf("%s: the server says %s, want %q", tt.name, got, tt.want)
		}
	}
}
