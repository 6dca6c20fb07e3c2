package mcpserver

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"gauntlet/internal/leaf/mcp"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"gauntlet/internal/runtime/wire"
	"gauntlet/rawjson"
)

// A caller is a client over HTTP, with one connection a request.
type caller struct {
	t       *testing.T
	base    string
	headers []string
}

// A stream is an answer of HTTP as it comes.
type stream struct {
	t      *testing.T
	status int
	header http.Header
	r      *bufio.Reader
	close  func()
}

// open makes a request and returns as soon as its answer begins.
func (c *caller) open(method, path, body string, headers ...string) *stream {
	c.t.Helper()
	r, err := http.NewRequestWithContext(c.t.Context(), method, c.base+path, strings.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	for _, h := range slices.Concat(c.headers, headers) {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Set(name, value)
	}
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(r)
	if err != nil {
		c.t.Fatalf("%s %s: %v", method, body, err)
	}
	s := &stream{c.t, resp.StatusCode, resp.Header, bufio.NewReader(resp.Body), func() { resp.Body.Close() }}
	c.t.Cleanup(s.close)
	return s
}

func (c *caller) post(body string, headers ...string) *stream {
	c.t.Helper()
	return c.open(http.MethodPost, Path, body, headers...)
}

// whole reads an answer that is no stream.
func (s *stream) whole(parts ...string) string {
	s.t.Helper()
	b, err := io.ReadAll(s.r)
	if err != nil {
		s.t.Fatalf("want %q: %v", parts, err)
	}
	for _, p := range parts {
		if !strings.Contains(string(b), p) {
			s.t.Fatalf("got %d %s, want %s in it", s.status, b, p)
		}
	}
	return string(b)
}

// event returns the data of the next event, "" at the end; it is to hold the parts.
func (s *stream) event(parts ...string) (data string) {
	s.t.Helper()
	for {
		line, err := s.r.ReadString('\n')
		if d, ok := strings.CutPrefix(line, "data: "); ok {
			data = strings.TrimSuffix(d, "\n")
		}
		if err != nil || line == "\n" && data != "" {
			break
		}
	}
	for _, p := range parts {
		if !strings.Contains(data, p) {
			s.t.Fatalf("got %q, want %s in it", data, p)
		}
	}
	return data
}

// begin opens a session.
func (c *caller) begin() *caller {
	c.t.Helper()
	s := c.post(initialize)
	s.whole(`"id":1,"result"`)
	return &caller{c.t, c.base, []string{mcp.HeaderSessionID + ": " + s.header.Get(mcp.HeaderSessionID), mcp.HeaderProtocolVersion + ": 2025-11-25"}}
}

func serving(t *testing.T, s *Server) *caller {
	t.Helper()
	base, stop := listen(t, s)
	t.Cleanup(stop)
	return &caller{t: t, base: base}
}

// accepted posts what has no answer.
func (c *caller) accepted(body string) {
	c.t.Helper()
	if s := c.post(body); s.status != http.StatusAccepted {
		c.t.Fatalf("%s: %d %s", body, s.status, s.whole())
	}
}

// Two clients are asked at once under the same ids: each on the stream of its own request,
// and each answers for itself alone.
func TestCallsAskOverTheirOwnStream(t *testing.T) {
	c := serving(t, serverFor(t, tools(asks, "a", "b"), Options{Interceptor: &puppet{}}))
	one, two := c.begin(), c.begin()
	first, second := one.post(called("5", "a")), two.post(called("5", "b"))
	for _, s := range []*stream{first, second} {
		s.event(`{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"message":"who?"}}`)
	}
	one.post(pingSeven).whole(`"id":7,"result":{}`)
	two.accepted(`{"jsonrpc":"2.0","id":1,"result":{"of":2}}`)
	second.event(`"id":5,"result"`, `b response {\"of\":2}`)
	two.accepted(`{"jsonrpc":"2.0","id":1,"result":{"of":"nobody"}}`)
	one.accepted(`{"jsonrpc":"2.0","id":1,"result":{"of":1}}`)
	first.event(`"id":5,"result"`, `a response {\"of\":1}`)
	for _, s := range []*stream{first, second} {
		if rest := s.event(); rest != "" {
			t.Errorf("behind the answer came %q", rest)
		}
	}
	// Who takes no streams cannot be asked.
	one.post(called("6", "a"), "Accept: application/json").whole(`"id":6,"error"`, ErrNoChannel.Error())
}

// What belongs to no request comes on the stream of a GET or, where there is none, with the
// answer to the next request; never to another client.
func TestNotificationsOverHTTP(t *testing.T) {
	talks := make(chan *Session, 2)
	p := &puppet{hear: func(t *Session, m wire.Message) Decision {
		if m.Method == "notifications/initialized" {
			talks <- t
		}
		return Decision{}
	}}
	c := serving(t, serverFor(t, tools(nil), Options{Interceptor: p}))
	one, two := c.begin(), c.begin()
	one.accepted(initialized)
	talk := <-talks
	two.accepted(initialized)
	other := <-talks
	if talk.Number() != 1 || other.Number() != 2 {
		t.Errorf("talks %d and %d", talk.Number(), other.Number())
	}
	tell := func(talk *Session, method string) {
		t.Helper()
		if err := talk.Notify(t.Context(), method, ""); err != nil {
			t.Fatal(err)
		}
	}
	tell(talk, "notifications/first")
	two.post(pingSeven).whole(`{"jsonrpc":"2.0","id":7,"result":{}}`)
	one.post(pingSeven, "Accept: application/json").whole(`{"jsonrpc":"2.0","id":7,"result":{}}`)
	s := one.post(pingSeven)
	s.event(`"method":"notifications/first"`)
	s.event(`"id":7`)
	get := one.open(http.MethodGet, Path, "")
	tell(talk, "notifications/second")
	get.event(`"method":"notifications/second"`)
	answered := make(chan error, 1)
	go func() { // ends with the answer
		m, err := talk.Ask(t.Context(), "roots/list", "{}")
		if err == nil && m.Kind != wire.Error {
			err = errors.New("got " + m.Raw)
		}
		answered <- err
	}()
	get.event(`{"jsonrpc":"2.0","id":1,"method":"roots/list","params":{}}`)
	one.accepted(`{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}`)
	if err := <-answered; err != nil {
		t.Error(err)
	}
	// It ends with the session.
	go func() { _, err := talk.Ask(t.Context(), "ping", ""); answered <- err }()
	get.event(`"id":2,"method":"ping"`)
	if s := one.open(http.MethodDelete, Path, ""); s.status != http.StatusNoContent {
		t.Errorf("DELETE: %d", s.status)
	}
	if err := <-answered; !errors.Is(err, ErrSessionEnded) {
		t.Errorf("asked who has gone: %v", err)
	}
	if err := talk.Notify(t.Context(), "x", ""); !errors.Is(err, ErrSessionEnded) {
		t.Errorf("told who has gone: %v", err)
	}
}

// What Said does has been done when the client has its answer, over HTTP too.
func TestTurnsOverHTTP(t *testing.T) {
	before, after := prepared(t, tools(func(context.Context, Call) (string, error) { return result("before") }, "a")), prepared(t, tools(nil, "evil"))
	pulled := map[*Session]bool{} // one conversation after another: no lock
	p := &puppet{hear: func(t *Session, m wire.Message) Decision {
		turn := Decision{State: before}
		if pulled[t] {
			turn.State = after
		}
		if m.Method == "tools/call" {
			turn.AfterAnswer = func() {
				pulled[t] = true
				_ = t.Notify(context.Background(), "notifications/tools/list_changed", "")
			}
		}
		return turn
	}}
	c := serving(t, serverFor(t, tools(nil), Options{Interceptor: p}))
	for range 20 {
		one := c.begin()
		one.post(called("2", "a")).whole(`"text":"before"`)
		s := one.post(`{"jsonrpc":"2.0","id":3,"method":"tools/list"}`)
		s.event("notifications/tools/list_changed")
		s.event(`"name":"evil"`)
	}
}

// Five hundred sessions at once, each with a stream: everybody is told once what is for it.
func TestManySessionsAtOnce(t *testing.T) {
	const sessions = 500
	var mu sync.Mutex
	talks := map[string]*Session{} // by what their clients claim
	p := &puppet{hear: func(t *Session, m wire.Message) Decision {
		if m.Method == "initialize" {
			mu.Lock()
			defer mu.Unlock()
			talks[t.Client()] = t
		}
		return Decision{}
	}}
	c := serving(t, serverFor(t, tools(asks, "a"), Options{Interceptor: p}))
	streams := make([]*stream, sessions)
	var all sync.WaitGroup
	gate := make(chan struct{}, 20) // requests of ours at a time
	for i := range sessions {
		all.Go(func() {
			gate <- struct{}{}
			defer func() { <-gate }()
			claim := fmt.Sprintf(`{"experimental":{"n":%d}}`, i)
			s := c.post(strings.Replace(initialize, `"capabilities":{}`, `"capabilities":`+claim, 1))
			s.whole(`"result"`)
			one := &caller{t, c.base, []string{mcp.HeaderSessionID + ": " + s.header.Get(mcp.HeaderSessionID)}}
			streams[i] = one.open(http.MethodGet, Path, "")
			call := one.post(called("2", "a"))
			call.event("elicitation/create")
			one.accepted(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"result":{"n":%d}}`, i))
			call.event(fmt.Sprintf(`{\"n\":%d}`, i))
		})
	}
	all.Wait()
	for i := range sessions {
		claim := fmt.Sprintf(`{"experimental":{"n":%d}}`, i)
		if err := talks[claim].Notify(t.Context(), "notifications/x", claim); err != nil {
			t.Fatal(err)
		}
	}
	for i, s := range streams {
		s.event(fmt.Sprintf(`"params":{"experimental":{"n":%d}}}`, i))
	}
}

// A client that does not read fills its own queue and nobody else's.
func TestWhoNeverReadsStopsNobody(t *testing.T) {
	talks := make(chan *Session, 2)
	p := &puppet{hear: func(t *Session, m wire.Message) Decision {
		if m.Method == "notifications/initialized" {
			talks <- t
		}
		return Decision{}
	}}
	c := serving(t, serverFor(t, tools(nil), Options{Interceptor: p}))
	deaf, good := c.begin(), c.begin()
	deaf.open(http.MethodGet, Path, "")
	deaf.accepted(initialized)
	stuck := <-talks
	long := rawjson.Quote(strings.Repeat("x", 1<<20))
	var err error
	for n := 0; err == nil; n++ {
		if n > 10_000 {
			t.Fatal("the queue has no end")
		}
		err = stuck.Notify(t.Context(), "notifications/flood", long)
	}
	if !errors.Is(err, ErrFull) {
		t.Errorf("got %v, want %v", err, ErrFull)
	}
	get := good.open(http.MethodGet, Path, "")
	good.accepted(initialized)
	if err := (<-talks).Notify(t.Context(), "notifications/x", ""); err != nil {
		t.Error(err)
	}
	get.event("notifications/x")
	good.post(pingSeven).whole(`"result":{}`)
	deaf.post(pingSeven).whole(`"result":{}`)
}

// Requests that are never answered hold the places of their own session only.
func TestWhoHangsStopsNobody(t *testing.T) {
	c := serving(t, serverFor(t, tools(asks, "a"), Options{Interceptor: &puppet{}}))
	bad := c.begin()
	for range sessionRequests {
		bad.post(called("2", "a")).event("elicitation/create")
	}
	if s := bad.post(pingSeven); s.status != http.StatusServiceUnavailable {
		t.Errorf("%d, want 503", s.status)
	}
	c.begin().post(pingSeven).whole(`"result":{}`)
}

func TestSessionsMeetTheStateOfNow(t *testing.T) {
	s := serverFor(t, tools(nil, "before"), Options{Interceptor: &puppet{}})
	c := serving(t, s)
	one := c.begin()
	next := tools(nil, "after")
	next.Instructions = []string{`"obey"`}
	if err := s.Set(next); err != nil {
		t.Fatal(err)
	}
	list := `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`
	one.post(initialize).whole(`"instructions":"obey"`)
	one.post(list).whole(`"name":"after"`)
	fresh := c.post(initialize)
	fresh.whole(`"instructions":"obey"`)
	if id := fresh.header.Get(mcp.HeaderSessionID); id == "" || strings.HasSuffix(one.headers[0], id) {
		t.Errorf("session %q", id)
	}
}

// What a client was told as the version it may say back.
func TestOddVersionsComeBack(t *testing.T) {
	for _, version := range []string{"1900-01-01", "2026-07-28"} {
		state := tools(nil, "a")
		state.Version = version
		c := serving(t, serverFor(t, state, Options{Interceptor: &puppet{}}))
		one := c.begin()
		one.post(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`, mcp.HeaderProtocolVersion+": "+version).whole(`"name":"a"`)
		one.accepted(initialized)
		c.post(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`, mcp.HeaderProtocolVersion+": "+version).whole(`"error"`)
	}
}

func TestHTTPWithSSEIsTwoWay(t *testing.T) {
	talks := make(chan *Session, 1)
	p := &puppet{hear: func(t *Session, m wire.Message) Decision {
		if m.Method == "notifications/initialized" {
			talks <- t
		}
		return Decision{}
	}}
	c := serving(t, serverFor(t, tools(asks, "a"), Options{Interceptor: p}))
	s := c.open(http.MethodGet, PathSSE, "")
	path := s.event(pathMessages)
	to := func(body string) {
		t.Helper()
		if a := c.open(http.MethodPost, path, body); a.status != http.StatusAccepted {
			t.Fatalf("%d %s", a.status, a.whole())
		}
	}
	to(initialize)
	s.event(`"id":1,"result"`)
	to(initialized)
	to(called("2", "a"))
	s.event(`"id":1,"method":"elicitation/create"`)
	to(pingSeven)
	s.event(`"id":7,"result":{}`)
	if err := (<-talks).Notify(t.Context(), "notifications/x", ""); err != nil {
		t.Error(err)
	}
	s.event("notifications/x")
	to(`{"jsonrpc":"2.0","id":1,"result":{"x":1}}`)
	s.event(`"id":2,"result"`, `a response {\"x\":1}`)
}

// Cancelling and leaving end a call.
func TestCallsEndWithTheirClient(t *testing.T) {
	began, ended := make(chan struct{}, 1), make(chan error, 1)
	c := serving(t, serverFor(t, tools(func(ctx context.Context, c Call) (string, error) {
		if c.Name == "telling" {
			_ = c.Notify(ctx, "notifications/progress", "{}")
		}
		began <- struct{}{}
		<-ctx.Done()
		ended <- context.Cause(ctx)
		return result("late")
	}, "a", "telling"), Options{Interceptor: &puppet{}}))
	one := c.begin()
	for _, name := range []string{"a", "telling"} {
		answer := make(chan *stream, 1)
		go func() { answer <- one.post(called("2", name)) }()
		<-began
		c.begin().accepted(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`)
		select {
		case err := <-ended:
			t.Fatalf("another client's word ended it: %v", err)
		default:
		}
		one.accepted(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`)
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("ended with %v", err)
		}
		if got := (<-answer).whole(); strings.Contains(got, "late") {
			t.Errorf("answered with %s", got)
		}
	}
	// The connection breaks off.
	conn, err := net.Dial("tcp", strings.TrimPrefix(c.base, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	body := called("3", "a")
	r, _ := http.NewRequest(http.MethodPost, c.base+Path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set(mcp.HeaderSessionID, strings.TrimPrefix(one.headers[0], mcp.HeaderSessionID+": "))
	if err := r.Write(conn); err != nil {
		t.Fatal(err)
	}
	<-began
	conn.Close()
	select {
	case err := <-ended:
		if !errors.Is(err, ErrSessionEnded) && !errors.Is(err, context.Canceled) {
			t.Errorf("ended with %v", err)
		}
	case <-time.After(20 * time.Second):
		t.Error("it goes on without its client")
	}
}
