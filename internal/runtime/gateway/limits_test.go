package gateway

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"gauntlet/internal/runtime/mcpserver"
	"gauntlet/internal/runtime/wire"
)

// clients returns a way to begin conversations with one gateway, which end with the test.
func clients(t *testing.T, gw *Gateway) func() *rawClient {
	return func() *rawClient {
		c := &rawClient{t, joined(gw.Server(), nil)}
		t.Cleanup(func() { _ = c.pipe.Close() })
		c.say(`{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"agent","version":"7"}}}`)
		c.next()
		c.say(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		return c
	}
}

// More connections to one server than may be are made room for by idle conversations, and never
// by one that has a call under way.
func TestConnectionsOfAllConversations(t *testing.T) {
	b := back(t, "mail", "send", "wait")
	begun, end := make(chan struct{}, 10), make(chan struct{})
	answer := b.state.Call
	b.state.Call = func(ctx context.Context, c mcpserver.Call) (string, error) {
		if c.Name == "wait" {
			begun <- struct{}{}
			<-end
		}
		return answer(ctx, c)
	}
	gw, err := New(Options{Upstreams: []Upstream{b.upstream()}, Connections: 2, Connect: 2 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(gw.Close)
	open := func() int {
		gw.mu.Lock()
		defer gw.mu.Unlock()
		n := 0
		for _, of := range gw.conns {
			n += of
		}
		return n
	}
	connect := clients(t, gw)
	busy, idle := connect(), connect()
	busy.say(callLine("1", "wait", 1))
	<-begun
	third := connect() // takes the place of the idle one
	third.say(callLine("1", "send", 3))
	if m := third.next(); !strings.Contains(m.Result, "mail did send") {
		t.Errorf("the third client got %s", m.Raw)
	}
	if n := open(); n != 2 {
		t.Errorf("%d connections are open, of at most 2", n)
	}
	third.say(callLine("2", "wait", 3))
	<-begun
	idle.say(callLine("1", "send", 2)) // now both are in use
	if m := idle.next(); !strings.Contains(m.Error, "all of them are in use") || open() != 2 {
		t.Errorf("a further client got %s, with %d connections open", m.Raw, open())
	}
	close(end)
	for n, c := range []*rawClient{busy, third} {
		if m := c.next(); !strings.Contains(m.Result, "mail did wait") {
			t.Errorf("client %d, whose call was under way, got %s", n, m.Raw)
		}
	}
	if idle.say(callLine("2", "send", 2)); true { // behind the pause between attempts
		for m := idle.next(); ; m = idle.next() {
			if strings.Contains(m.Result, "mail did send") {
				break
			}
			idle.say(callLine("3", "send", 2))
		}
	}
}

// A session with something under way is never the one to end.
func TestLeastRecentlyUsedIdle(t *testing.T) {
	type session struct {
		used     int64
		underWay int32
		users    int
	}
	for _, tt := range []struct {
		name     string
		sessions []session
		want     int // index, -1 for none
	}{
		{"none", nil, -1},
		{"the one used longest ago", []session{{used: 3}, {used: 1}, {used: 2}}, 1},
		{"not one with a request", []session{{used: 3}, {used: 1, underWay: 1}, {used: 2}}, 2},
		{"not one whose connection is used", []session{{used: 3}, {used: 1, users: 1}, {used: 2, users: 1}}, 0},
		{"all busy", []session{{used: 3, underWay: 1}, {used: 1, users: 1}}, -1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := &Gateway{sessions: map[*mcpserver.Session]*clientSession{}}
			var all []*clientSession
			for _, s := range tt.sessions {
				cs := &clientSession{upstreams: []*upstream{{users: s.users}}}
				cs.lastUsed.Store(s.used)
				cs.underWay.Store(s.underWay)
				all = append(all, cs)
				g.sessions[new(mcpserver.Session)] = cs
			}
			got := g.leastRecentlyUsedIdle()
			if tt.want < 0 && got != nil || tt.want >= 0 && got != all[tt.want] {
				t.Errorf("%+v is to end, want number %d", got, tt.want)
			}
		})
	}
}

// Where everything has to be recorded and is not, nothing passes, either way.
func TestNothingPassesUnrecorded(t *testing.T) {
	var full atomic.Bool
	server := scripted(t, "a")
	var notes atomic.Int32
	gw, err := New(Options{Upstreams: []Upstream{server.upstream(t)}, Note: func(string) { notes.Add(1) }, Recording: func() error {
		if full.Load() {
			return errors.New("no space left on device")
		}
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(gw.Close)
	c := clients(t, gw)()
	c.say(callLine("1", "a", 1))
	asked := server.next(t)
	full.Store(true)
	server.say(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"unrecorded"}}`)
	server.say(`{"jsonrpc":"2.0","id":"q","method":"roots/list"}`)
	server.say(`{"jsonrpc":"2.0","id":` + asked.ID + `,"result":{"content":[{"type":"text","text":"unrecorded"}]}}`)
	if m := c.next(); m.ID != "1" || !strings.Contains(m.Error, "-32090") || !strings.Contains(m.Error, "no space left on device") {
		t.Errorf("the client got %s", m.Raw)
	}
	c.say(callLine("2", "a", 2))
	c.say(`{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}`)
	if m := c.next(); m.ID != "2" || !strings.Contains(m.Error, "no space left on device") {
		t.Errorf("a further call: %s", m.Raw)
	}
	c.say(`{"jsonrpc":"2.0","id":"sync","method":"ping"}`) // behind the notification
	c.next()
	full.Store(false)
	c.say(callLine("3", "a", 3))
	if m := server.next(t); numberOf(m) != "3" {
		t.Errorf("the server got %s", m.Raw)
	}
}

// What is lost is told once, and added up at the end.
func TestLostMessagesAreCounted(t *testing.T) {
	var notes []string
	g := &Gateway{opt: Options{Note: func(s string) { notes = append(notes, s) }}}
	cs := newTestSession(g)
	s := &upstream{session: cs, up: &Upstream{Name: "mail"}}
	cs.upstreams = []*upstream{s}
	for range 1000 {
		cs.noteLost(s, mcpserver.ErrFull)
	}
	cs.noteLost(s, nil)
	cs.noteLost(s, mcpserver.ErrNoChannel)
	cs.awaitClosed()
	if len(notes) != 2 || !strings.Contains(notes[1], "1000 messages of mail were lost") {
		t.Errorf("%q, want the first and the sum", notes)
	}
}

func newTestSession(g *Gateway) *clientSession {
	cs := &clientSession{gateway: g, downstream: new(mcpserver.Session)}
	cs.ctx, cs.end = context.WithCancel(context.Background())
	return cs
}

// A connection that somebody holds is not idle, and is again when all have let go of it.
func TestHeldConnections(t *testing.T) {
	b := back(t, "mail", "send")
	f := open(t, Options{}, b)
	f.begin("{}")
	f.gw.mu.Lock()
	var s *upstream
	for _, cs := range f.gw.sessions {
		s = cs.upstreams[0]
	}
	f.gw.mu.Unlock()
	_, one, err := s.awaitConn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	_, two, err := s.awaitConn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		release func()
		idle    bool
	}{{func() {}, false}, {one, false}, {two, true}} {
		if step.release(); s.hasIdleConn() != step.idle || s.isBusy() == step.idle {
			t.Errorf("idle: %v, want %v", s.hasIdleConn(), step.idle)
		}
	}
}

// A server that cannot be reached is not tried again before its time.
func TestBackoff(t *testing.T) {
	b := back(t, "mail", "send")
	b.dead = true
	f := open(t, Options{}, b)
	f.begin("{}")
	f.gw.mu.Lock()
	var s *upstream
	for _, cs := range f.gw.sessions {
		s = cs.upstreams[0]
	}
	f.gw.mu.Unlock()
	s.mu.Lock()
	s.retryAt = time.Now().Add(time.Hour)
	s.mu.Unlock()
	for range 3 {
		if _, _, err := s.awaitConn(t.Context()); err == nil || !strings.Contains(err.Error(), "nothing there") {
			t.Errorf("before its time: %v", err)
		}
	}
	if b.opens != 1 {
		t.Errorf("tried %d times, want once", b.opens)
	}
	s.mu.Lock()
	s.retryAt = time.Now()
	s.mu.Unlock()
	b.kill(false)
	_, done, err := s.awaitConn(t.Context())
	if err != nil || b.opens != 2 {
		t.Fatalf("at its time: %v, tried %d times", err, b.opens)
	}
	done()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.backoff != 0 || s.err != nil {
		t.Errorf("behind a success the next wait is %s, and the error %v", s.backoff, s.err)
	}
}

// A call whose message must not go out, since it could not be recorded, fails with the reason and
// leaves nobody waiting.
func TestRefusedMessageFailsItsCall(t *testing.T) {
	var full atomic.Bool
	why := errors.New("no space left on device")
	b := back(t, "mail", "send")
	b.tap = func() wire.Tap {
		return func(p wire.Passage) {
			if full.Load() && p.Sent {
				p.Refuse(why)
			}
		}
	}
	var recorded atomic.Bool // what Recording says, which may be later than the tap
	f := open(t, Options{Recording: func() error {
		if full.Load() && !recorded.Swap(true) {
			return nil // the call is on its way when the disk fills up
		}
		if full.Load() {
			return why
		}
		return nil
	}}, b)
	f.begin("{}")
	f.call("tools/call", `{"name":"send"}`)
	full.Store(true)
	if _, err := f.try("tools/call", `{"name":"send"}`); err == nil || !strings.Contains(err.Error(), "no space left on device") {
		t.Errorf("the call: %v", err)
	}
	if len(b.calls) != 1 {
		t.Errorf("the server had %d calls, want the recorded one", len(b.calls))
	}
}
