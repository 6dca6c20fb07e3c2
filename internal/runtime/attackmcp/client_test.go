package attackmcp

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"gauntlet/internal/runtime/attack"
	"gauntlet/internal/runtime/wire"
	"gauntlet/trace"
)

// A victim is a server under attack that a test plays by hand.
type victim struct {
	t   testing.TB
	in  *bufio.Reader
	out *io.PipeWriter
}

// tapped shows what goes over a stream.
type tapped struct {
	wire.Conn
	tap wire.Tap
}

func (c tapped) Send(ctx context.Context, msg []byte) error {
	c.tap(wire.Passage{Message: wire.Decode(string(msg)), Sent: true})
	return c.Conn.Send(ctx, msg)
}

func (c tapped) Receive(ctx context.Context) (wire.Message, error) {
	m, err := c.Conn.Receive(ctx)
	if err == nil {
		c.tap(wire.Passage{Message: m})
	}
	return m, err
}

func attackOn(t testing.TB, execution string, opt playOptions) (*stage, *victim) {
	t.Helper()
	fromClient, toVictim := io.Pipe()
	fromVictim, toClient := io.Pipe()
	opt.Dial = func(_ context.Context, _ string, tap wire.Tap) (wire.Conn, error) {
		return tapped{wire.NewStream(fromVictim, toVictim, wire.Limits{}, nil), tap}, nil
	}
	s := play(t, execution, opt)
	return s, &victim{t, bufio.NewReader(fromClient), toClient}
}

func (v *victim) next() wire.Message {
	v.t.Helper()
	line, err := v.in.ReadString('\n')
	if err != nil {
		v.t.Fatalf("no line: %v", err)
	}
	return wire.Decode(strings.TrimSuffix(line, "\n"))
}

// want compares method and params of the next message and returns its id.
func (v *victim) want(method, params string) string {
	v.t.Helper()
	m := v.next()
	if m.Method != method || m.Params != params {
		v.t.Errorf("got %s %s, want %s %s", m.Method, m.Params, method, params)
	}
	return m.ID
}

func (v *victim) say(format string, args ...any) {
	v.t.Helper()
	if _, err := fmt.Fprintf(v.out, format+"\n", args...); err != nil {
		v.t.Fatal(err)
	}
}

func (v *victim) answer(id, result string) {
	v.t.Helper()
	v.say(`{"jsonrpc":"2.0","id":%s,"result":%s}`, id, result)
}

func (v *victim) welcome(info string) {
	v.t.Helper()
	m := v.next()
	if m.Method != "initialize" || !strings.Contains(m.Params, info) {
		v.t.Errorf("got %s %s, want initialize with %s", m.Method, m.Params, info)
	}
	v.answer(m.ID, `{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"v","version":"1"}}`)
	v.want("notifications/initialized", "{}")
}

func TestClientAttacks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, v := attackOn(t, `
mode: mcp_client
phases:
  - name: look
    state:
      client_info: {name: evil, version: "9"}
      capabilities: {roots: {}, sampling: {}}
      actions: [{method: tools/list}, {method: notifications/roots/list_changed}, {method: any/method, params: {x: 1}}, {method: never/sent}]
      sampling_responses: [{when: {systemPrompt: {exists: true}}, content: {role: assistant, content: {type: text, text: "{{first}}"}, model: m}}]
      elicitation_responses: [{when: {message: {contains: word}}, content: {pw: "1"}}]
      roots: [{uri: "file:///{{first}}"}]
    extractors: [{name: first, source: response, type: json_path, selector: "$.tools[0].name"}]
    trigger: {event: any/method, match: {_request.x: 1}}
  - name: strike
    on_enter: [{send: {method: notifications/cancelled, params: {requestId: 7}}}]
    state: {actions: [{method: tools/call, params: {name: "{{first}}"}}, {method: tools/call, params: {name: none}}]}`, playOptions{})
		v.welcome(`"capabilities":{"roots":{},"sampling":{}},"clientInfo":{"name":"evil","version":"9"}`)
		id := v.want("tools/list", "{}")
		// While its own request waits it answers what it is asked, and hears what it is told.
		v.say(`{"jsonrpc":"2.0","id":"s","method":"sampling/createMessage","params":{"systemPrompt":""}}`)
		v.say(`{"jsonrpc":"2.0","method":"notifications/message","params":{}}`)
		if m := v.next(); m.ID != `"s"` || m.Result != `{"role":"assistant","content":{"type":"text","text":""},"model":"m"}` {
			t.Errorf("sampling: %s", m.Raw)
		}
		for _, q := range []struct{ method, params, want string }{
			{"roots/list", "{}", `{"roots":[{"uri":"file:///"}]}`},
			{"elicitation/create", `{"message":"pass word"}`, `{"action":"accept","content":{"pw":"1"}}`},
			{"elicitation/create", `{"message":"?"}`, `{"action":"cancel"}`},
			{"sampling/createMessage", `{}`, `{"role":"assistant","content":{"type":"text","text":""},"model":"oatf-client"}`},
			{"ping", `{}`, `{}`},
		} {
			v.say(`{"jsonrpc":"2.0","id":1,"method":%q,"params":%s}`, q.method, q.params)
			if m := v.next(); m.Result != q.want {
				t.Errorf("%s %s: %s, want %s", q.method, q.params, m.Raw, q.want)
			}
		}
		v.say(`{"jsonrpc":"2.0","id":1,"method":"no/such"}`)
		if m := v.next(); !strings.Contains(m.Error, "-32601") {
			t.Errorf("an unknown method: %s", m.Raw)
		}
		v.answer(id, `{"tools":[{"name":"rm"}]}`)
		v.want("notifications/roots/list_changed", "{}")
		v.answer(v.want("any/method", `{"x":1}`), `{}`)
		v.want("notifications/cancelled", `{"requestId":7}`)
		v.answer(v.want("tools/call", `{"name":"rm"}`), `{"content":[]}`)
		v.say(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32602,"message":"no"}}`, v.want("tools/call", `{"name":"none"}`))
		sum := <-s.done
		s.done <- sum
		if sum.Ended != attack.EndedThrough || !sum.Actors[0].Through || len(sum.Actors[0].Phases) != 2 {
			t.Errorf("summary %+v, want it through both phases", sum)
		}
		if m := s.messages("tools/call"); len(m) != 4 || m[0].Phase != "strike" || m[3].Kind != trace.Error || m[0].Role != trace.AsClient {
			t.Errorf("tools/call in the trace: %+v", m)
		}
	})
}

func TestClientAnswersDuringGrace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		grace := 10 * time.Second
		s, v := attackOn(t, `
mode: mcp_client
state: {roots: [{uri: "file:///x"}]}`, playOptions{Grace: &grace})
		v.welcome(``)
		<-time.After(grace / 2) // of the test's own clock: the server asks late
		v.say(`{"jsonrpc":"2.0","id":1,"method":"roots/list"}`)
		if m := v.next(); m.Result != `{"roots":[{"uri":"file:///x"}]}` {
			t.Errorf("roots/list: %s", m.Raw)
		}
		sum := <-s.done
		s.done <- sum
		if sum.Duration != grace || !sum.Actors[0].Through {
			t.Errorf("summary %+v, want it through, and an end after %s", sum, grace)
		}
	})
}

func TestClientMeetsDifficultServers(t *testing.T) {
	const execution = `
mode: mcp_client
phases:
  - {name: a, state: {actions: [{method: one}, {method: two}]}, trigger: {after: 10s}}
  - {name: b, state: {actions: [{method: three}]}}`
	t.Run("one that hangs does not hold up the next phase", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s, v := attackOn(t, execution, playOptions{})
			v.welcome(`"clientInfo":{"name":"oatf-client","version":"1.0.0"}`)
			start := time.Now()
			v.want("one", "{}")
			id := v.want("three", "{}")
			if took := time.Since(start); took != 10*time.Second {
				t.Errorf("the next phase began after %s, want 10s", took)
			}
			v.answer(id, `{}`)
			sum := <-s.done
			s.done <- sum
			s.wantNotice(attack.Trouble, "the answer to one did not come")
		})
	})
	t.Run("one that leaves ends the actor with a reason", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s, v := attackOn(t, execution, playOptions{})
			v.welcome(``)
			v.want("one", "{}")
			_ = v.out.Close()
			go func() { _, _ = io.Copy(io.Discard, v.in) }() // ends with the client
			sum := <-s.done
			s.done <- sum
			if sum.Actors[0].Failed == "" || sum.Actors[0].Through {
				t.Errorf("summary %+v, want a failure", sum)
			}
		})
	})
	t.Run("one that never answers initialize ends it in time", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s, v := attackOn(t, execution, playOptions{Readiness: 3 * time.Second})
			go func() { _, _ = io.Copy(io.Discard, v.in) }() // ends with the client
			sum := <-s.done
			s.done <- sum
			if sum.Actors[0].Failed == "" || sum.Duration > 5*time.Second {
				t.Errorf("summary %+v, want a failure after 3s", sum)
			}
		})
	})
	t.Run("without a server the actor is skipped aloud", func(t *testing.T) {
		_, err := newRun(load(t, execution), playOptions{})
		if !errors.Is(err, attack.ErrNothingToPlay) {
			t.Errorf("New: %v", err)
		}
	})
}
