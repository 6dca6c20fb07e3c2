package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gauntlet/internal/runtime/wire"
)

// well is an honest client that is served as ever: in a session, over the stateless era and
// with a call that asks it.
func well(t *testing.T, c *caller) {
	t.Helper()
	one := c.begin()
	one.post(pingSeven).whole(`{"jsonrpc":"2.0","id":7,"result":{}}`)
	s := one.post(called("2", "a"))
	s.event("elicitation/create")
	one.accepted(`{"jsonrpc":"2.0","id":1,"result":{"ok":1}}`)
	s.event(`"id":2,"result"`, `a response {\"ok\":1}`)
	state := requestState(t, c.modernCall("1", "a", ""))
	if got := c.modernCall("2", "a", `"requestState":`+state+`,"inputResponses":{"input":{}}`); !strings.Contains(got, `"id":2,"result"`) {
		t.Errorf("stateless: %s", got)
	}
}

// More connections than most requests at a time send half a message and wait.
func TestManyHalfRequestsStopNobody(t *testing.T) {
	c := serving(t, serverFor(t, tools(asks, "a"), Options{Interceptor: &puppet{}}))
	addr := strings.TrimPrefix(c.base, "http://")
	for range 300 {
		conn, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if _, err := io.WriteString(conn, "POST /mcp HTTP/1.1\r\nHost: "+addr+"\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"); err != nil {
			t.Fatal(err)
		}
	}
	well(t, c)
}

// Large bodies are few at a time, whoever sends them; small ones are not.
func TestManyLargeBodiesStopNobody(t *testing.T) {
	c := serving(t, serverFor(t, tools(asks, "a"), Options{Interceptor: &puppet{}}))
	addr := strings.TrimPrefix(c.base, "http://")
	refused := make(chan struct{}, 1)
	var all sync.WaitGroup
	defer all.Wait()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for range mostLarge + 10 {
		all.Go(func() { // ends with ctx
			conn, err := net.Dial("tcp", addr)
			if err != nil {
				t.Error(err)
				return
			}
			defer context.AfterFunc(ctx, func() { conn.Close() })()
			defer conn.Close()
			fmt.Fprintf(conn, "POST /mcp HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", addr, 4<<20, strings.Repeat(" ", 2*smallBody))
			answer := make([]byte, 12)
			if _, err := io.ReadFull(conn, answer); err == nil && string(answer) == "HTTP/1.1 503" {
				select {
				case refused <- struct{}{}:
				default:
				}
			}
		})
	}
	<-refused
	well(t, c)
}

// Clients say all they can as fast as they can, while one is served.
func TestFloodsStopNobody(t *testing.T) {
	const many = 5000
	var messages atomic.Int64
	flooded := make(chan struct{})
	s := serverFor(t, tools(asks, "a"), Options{Tap: func(Tapped) {
		if messages.Add(1) == many {
			close(flooded)
		}
	}, Interceptor: &puppet{}})
	c := serving(t, s)
	ctx, cancel := context.WithCancel(t.Context())
	var all sync.WaitGroup
	garbage := strings.Join(append(everything[1:], called("2", "a"), strings.Repeat("[", 10_000), "\x00\xff", stateless("1", "tools/call", `"name":"a"`)), "\n") + "\n"
	for range 2 {
		all.Go(func() { // ends with ctx
			fromClient, in := io.Pipe()
			context.AfterFunc(ctx, func() { in.Close() })
			all.Go(func() { // ends with in
				for {
					if _, err := io.WriteString(in, garbage); err != nil {
						return
					}
				}
			})
			if err := s.Stdio(ctx, fromClient, io.Discard); err != nil && !errors.Is(err, io.ErrClosedPipe) {
				t.Errorf("Stdio: %v", err)
			}
		})
		all.Go(func() { // ends with ctx
			client := http.Client{Transport: &http.Transport{MaxIdleConns: 2}}
			defer client.CloseIdleConnections()
			for i := 0; ctx.Err() == nil; i++ {
				r, _ := http.NewRequestWithContext(ctx, http.MethodPost, c.base+Path, strings.NewReader(everything[i%len(everything)]))
				r.Header.Set("Content-Type", "application/json")
				if resp, err := client.Do(r); err == nil {
					_, _ = io.Copy(io.Discard, resp.Body)
					resp.Body.Close()
				}
			}
		})
	}
	for over := false; !over; {
		select {
		case <-flooded:
			over = true
		default:
		}
		well(t, c)
		l := talkTo(t, s)
		l.say(initialize)
		l.hear(`"id":1`)
		l.say(called("2", "a"))
		l.hear("elicitation/create")
		l.stop()
	}
	cancel()
	all.Wait()
}

// Too many calls at a time are answered with an error, and the others go on.
func TestCallsOfOneConversationAreBounded(t *testing.T) {
	l := talkTo(t, serverFor(t, tools(asks, "a"), Options{Interceptor: &puppet{}}))
	l.say(initialize)
	l.hear(`"id":1`)
	for i := range mostCalls {
		l.say(called(fmt.Sprint(i+2), "a"))
		l.hear("elicitation/create")
	}
	l.say(called(`"more"`, "a"))
	l.hear(`"id":"more","error"`, "too many")
	l.say(`{"jsonrpc":"2.0","id":1,"result":{}}`)
	l.hear(`"id":2,"result"`)
	l.say(called(`"again"`, "a"))
	l.hear("elicitation/create")
}

// A call that takes its time keeps nobody waiting, though it asks nothing.
func TestSlowCallsAreOvertaken(t *testing.T) {
	ready := make(chan struct{})
	l := talkTo(t, serverFor(t, tools(func(ctx context.Context, c Call) (string, error) {
		<-ready
		return result("slow")
	}, "a"), Options{Interceptor: &puppet{}}))
	l.say(initialize)
	l.hear(`"id":1`)
	l.say(called("2", "a"), pingSeven)
	l.hear(`"id":7,"result":{}`)
	close(ready)
	l.hear(`"id":2,"result"`)
}

// Over stdio too a client that does not read is told no more than its queue holds.
func TestQueueOfStdioIsBounded(t *testing.T) {
	talks := make(chan *Session, 1)
	p := &puppet{hear: func(t *Session, m wire.Message) Decision { talks <- t; return Decision{} }}
	l := talkTo(t, serverFor(t, tools(nil), Options{Interceptor: p}))
	l.say(initialize)
	talk := <-talks
	l.hear(`"id":1`)
	told := 0
	for ; told <= 2*mostQueued; told++ {
		if err := talk.Notify(t.Context(), "notifications/x", fmt.Sprintf(`{"n":%d}`, told)); err != nil {
			if !errors.Is(err, ErrFull) {
				t.Fatal(err)
			}
			break
		}
	}
	if told < mostQueued || told > mostQueued+1 {
		t.Errorf("%d messages were taken, want %d and the one that is written", told, mostQueued)
	}
	for n := range told {
		l.hear(fmt.Sprintf(`{"n":%d}`, n))
	}
	if err := talk.Notify(t.Context(), "notifications/y", ""); err != nil {
		t.Error(err)
	}
	l.hear("notifications/y")
}

// Who ends its input still gets what it asked for; questions to it are over.
func TestTheEndOfInputEndsQuestions(t *testing.T) {
	got := say(t, serverFor(t, tools(asks, "a"), Options{Interceptor: &puppet{}}), initialize, called("2", "a"), pingSeven)
	if len(got) != 4 || !strings.Contains(strings.Join(got, "\n"), `"id":2,"error"`) || !strings.Contains(strings.Join(got, "\n"), `"id":7,"result"`) {
		t.Errorf("got %q", got)
	}
}

// Who opens session after session ends idle ones, and none with something under way.
func TestNewSessionsSpareBusyOnes(t *testing.T) {
	s, server := newHTTPSessions(), serverFor(t, tools(nil), Options{})
	busy, idle := server.newHTTPSession(false), server.newHTTPSession(false)
	busy.session.expectAnswer(nil)
	s.addWithNewID(busy)
	s.addWithNewID(idle)
	for range mostSessions {
		s.addWithNewID(server.newHTTPSession(false))
	}
	if s.findSession(busy.id, false) == nil || s.findSession(idle.id, false) != nil {
		t.Error("the session with something under way has ended, or the idle one has not")
	}
	select {
	case <-idle.session.Done():
	case <-time.After(10 * time.Second):
		t.Error("its conversation goes on")
	}
}

// A connection that is open and not used does not hold up the end.
func TestTheEndWaitsForNoUnusedConnection(t *testing.T) {
	base, stop := listen(t, serverFor(t, tools(nil), Options{}))
	c := &caller{t: t, base: base}
	conn, err := net.Dial("tcp", strings.TrimPrefix(base, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	c.begin() // on a connection behind it
	began := time.Now()
	stop()
	if d := time.Since(began); d >= shutdown {
		t.Errorf("the end took %v", d)
	}
	if _, err := conn.Read(make([]byte, 1)); err == nil {
		t.Error("something was said on it")
	}
}
