package mcpserver

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"gauntlet/internal/runtime/wire"
)

// stateless is a client of 2026-07-28 over HTTP or stdio: it makes requests that stand alone.
func stateless(id, method, params string) string {
	if params != "" {
		params += ","
	}
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `","params":{` + params + meta + `}}`
}

func modernHeader(method, name string) []string {
	h := []string{"MCP-Protocol-Version: 2026-07-28", "Mcp-Method: " + method}
	if name != "" {
		h = append(h, "Mcp-Name: "+name)
	}
	return h
}

func (c *caller) modernCall(id, name, more string, headers ...string) string {
	c.t.Helper()
	params := `"name":"` + name + `","arguments":{"x":1}`
	if more != "" {
		params += "," + more
	}
	return c.post(stateless(id, "tools/call", params), append(modernHeader("tools/call", name), headers...)...).whole()
}

// state returns the requestState of an input_required result.
func requestState(t *testing.T, answer string) string {
	t.Helper()
	for _, r := range memberValues(answer, "result") {
		for _, s := range memberValues(r, "requestState") {
			return s
		}
	}
	t.Fatalf("no requestState in %s", answer)
	return ""
}

func TestStatelessCallsAreSentAgain(t *testing.T) {
	twice := func(ctx context.Context, c Call) (string, error) {
		first, err := c.Ask(ctx, "elicitation/create", `{"message":"one"}`)
		if err != nil {
			return "", err
		}
		second, err := c.Ask(ctx, "roots/list", "")
		if err != nil {
			return "", err
		}
		return result(first.Result + second.Result)
	}
	c := serving(t, serverFor(t, tools(twice, "a", "b"), Options{Interceptor: &puppet{}}))
	got := c.modernCall("1", "a", "")
	if !strings.Contains(got, `{"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","inputRequests":{"input":{"method":"elicitation/create","params":{"message":"one"}}},"requestState":"`) {
		t.Fatalf("got %s", got)
	}
	again := func(state, responses string) string {
		return `"requestState":` + state + `,"inputResponses":` + responses
	}
	state := requestState(t, got)
	// Whoever else comes with it, or with another, gets nothing; neither is it lost.
	for _, tt := range []struct{ name, got string }{
		{"another tool", c.modernCall("2", "b", again(state, `{"input":{}}`))},
		{"another client", c.modernCall("3", "a", again(state, `{"input":{}}`), "Authorization: Bearer other")},
		{"other arguments", c.post(stateless("4", "tools/call", `"name":"a","arguments":{"x":2},`+again(state, `{"input":{}}`)), modernHeader("tools/call", "a")...).whole()},
		{"an unknown state", c.modernCall("5", "a", again(`"x"`, `{"input":{}}`))},
		{"a state that is no string", c.modernCall("6", "a", again(`{}`, `{"input":{}}`))},
	} {
		if !strings.Contains(tt.got, `"error":{"code":-32602`) {
			t.Errorf("%s: %s", tt.name, tt.got)
		}
	}
	// Without the answer it is asked again, under a new state.
	got = c.modernCall("7", "a", again(state, `{"other":{}}`))
	if next := requestState(t, got); next == state || !strings.Contains(got, `"id":7`) || !strings.Contains(got, "elicitation/create") {
		t.Errorf("asked again with %s", got)
	}
	got = c.modernCall(`"eight"`, "a", again(requestState(t, got), `{"input":{"action":"accept"}}`))
	if !strings.Contains(got, `"id":"eight"`) || !strings.Contains(got, `{"input":{"method":"roots/list","params":{}}}`) {
		t.Errorf("asked the second time with %s", got)
	}
	last := requestState(t, got)
	if got = c.modernCall("9", "a", again(last, `{"input":{"roots":[]}}`)); !strings.Contains(got, `"id":9,"result"`) || !strings.Contains(got, `{\"action\":\"accept\"}{\"roots\":[]}`) || !strings.Contains(got, `"resultType":"complete"`) {
		t.Errorf("ended with %s", got)
	}
	if got = c.modernCall("10", "a", again(last, `{"input":{"roots":[]}}`)); !strings.Contains(got, `"code":-32602`) {
		t.Errorf("a state was good twice: %s", got)
	}
}

func TestStatelessOverStdio(t *testing.T) {
	talks := make(chan *Session, 10)
	p := &puppet{hear: func(t *Session, m wire.Message) Decision { talks <- t; return Decision{} }}
	l := talkTo(t, serverFor(t, tools(asks, "a"), Options{Interceptor: p}))
	l.say(stateless("1", "tools/call", `"name":"a"`))
	state := requestState(t, l.hear(`"id":1,"result":{"resultType":"input_required"`))
	talk := <-talks
	if talk.Revision() != "2026-07-28" || talk.Client() != "{}" {
		t.Errorf("revision %q, client %q", talk.Revision(), talk.Client())
	}
	if err := talk.Notify(t.Context(), "notifications/tools/list_changed", ""); !errors.Is(err, ErrNoChannel) {
		t.Errorf("told who has not subscribed: %v", err)
	}
	l.say(stateless(`"l"`, "subscriptions/listen", `"notifications":{"toolsListChanged":true,"resourceSubscriptions":["file:///a"]}`))
	l.hear("notifications/subscriptions/acknowledged", `"resourceSubscriptions":["file:///a"]`)
	for _, tt := range []struct{ method, params, want string }{
		{"notifications/tools/list_changed", "", `"params":{"_meta":{"io.modelcontextprotocol/subscriptionId":"l"}}}`},
		{"notifications/tools/list_changed", `{"x":1}`, `"params":{"x":1,"_meta":{"io.modelcontextprotocol/subscriptionId":"l"}}}`},
		{"notifications/tools/list_changed", `{"_meta":{}}`, `"params":{"_meta":{"io.modelcontextprotocol/subscriptionId":"l"}}}`},
		{"notifications/tools/list_changed", `{"x":1,"_meta":{"a":2}}`, `"params":{"x":1,"_meta":{"a":2,"io.modelcontextprotocol/subscriptionId":"l"}}}`},
		{"notifications/resources/updated", `{"uri":"file:///a"}`, `"params":{"uri":"file:///a","_meta":{`},
		{"notifications/resources/updated", `{"uri":"file:///b"}`, ""},
		{"notifications/resources/list_changed", "", ""},
		{"notifications/message", `{"level":"info"}`, ""},
	} {
		err := talk.Notify(t.Context(), tt.method, tt.params)
		switch {
		case tt.want == "" && !errors.Is(err, ErrNoChannel):
			t.Errorf("%s %s: %v", tt.method, tt.params, err)
		case tt.want != "" && err != nil:
			t.Errorf("%s %s: %v", tt.method, tt.params, err)
		case tt.want != "":
			l.hear(tt.method, tt.want)
		}
	}
	l.say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"l"}}`)
	l.say(stateless("2", "tools/call", `"name":"a","requestState":`+state+`,"inputResponses":{"input":{"y":1}}`))
	l.hear(`"id":2,"result"`, `a response {\"y\":1}`)
	if err := talk.Notify(t.Context(), "notifications/tools/list_changed", ""); !errors.Is(err, ErrNoChannel) {
		t.Errorf("told whose subscription has ended: %v", err)
	}
}

// Only those who subscribed are told, each under its own subscription.
func TestSubscribersAreTold(t *testing.T) {
	talks := make(chan *Session, 10)
	p := &puppet{hear: func(t *Session, m wire.Message) Decision {
		if m.Method == "subscriptions/listen" {
			talks <- t
		}
		return Decision{}
	}}
	state := tools(nil, "a")
	state.TTL, state.Scope = "86400000", `"public"`
	c := serving(t, serverFor(t, state, Options{Interceptor: p}))
	listen := func(id, want, credential string) *stream {
		s := c.post(stateless(id, "subscriptions/listen", `"notifications":{"`+want+`":true}`), append(modernHeader("subscriptions/listen", ""), "Authorization: "+credential)...)
		s.event("notifications/subscriptions/acknowledged")
		return s
	}
	one, two, other := listen("1", "toolsListChanged", "a"), listen("1", "resourcesListChanged", "a"), listen("1", "toolsListChanged", "b")
	talk, same, foreign := <-talks, <-talks, <-talks
	if talk != same || talk == foreign {
		t.Error("clients are not told apart")
	}
	tell := func(talk *Session, method string) {
		t.Helper()
		if err := talk.Notify(t.Context(), method, ""); err != nil {
			t.Fatal(err)
		}
	}
	tell(talk, "notifications/tools/list_changed")
	one.event(`"method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":1}}`)
	tell(talk, "notifications/resources/list_changed")
	two.event(`"method":"notifications/resources/list_changed"`)
	tell(foreign, "notifications/tools/list_changed")
	other.event("tools/list_changed")
	list := c.post(stateless("2", "tools/list", ""), modernHeader("tools/list", "")...)
	list.whole(`"ttlMs":86400000,"cacheScope":"public"`)
	one.close()
	for talk.Notify(t.Context(), "notifications/tools/list_changed", "") == nil && t.Context().Err() == nil {
	}
}

// Nobody comes back, and nothing is left waiting.
func TestSuspendedCallsEnd(t *testing.T) {
	ended := make(chan error, 1)
	call := func(ctx context.Context, c Call) (string, error) {
		_, err := c.Ask(ctx, "elicitation/create", "{}")
		ended <- err
		return "", err
	}
	s := serverFor(t, tools(call, "a"), Options{Interceptor: &puppet{}, Wait: 10 * time.Millisecond})
	c := serving(t, s)
	state := requestState(t, c.modernCall("1", "a", ""))
	if err := <-ended; !errors.Is(err, ErrNoAnswer) {
		t.Errorf("ended with %v", err)
	}
	if got := c.modernCall("2", "a", `"requestState":`+state+`,"inputResponses":{"input":{}}`); !strings.Contains(got, `"code":-32602`) {
		t.Errorf("too late: %s", got)
	}
	if n := len(s.suspended.byState); n != 0 {
		t.Errorf("%d calls are still suspended", n)
	}
	long := serverFor(t, tools(call, "a"), Options{Interceptor: &puppet{}})
	base, stop := listen(t, long)
	c = &caller{t: t, base: base}
	requestState(t, c.modernCall("1", "a", ""))
	stop()
	if err := <-ended; err == nil {
		t.Error("answered by nobody")
	}
	l := talkTo(t, long)
	l.say(stateless("1", "tools/call", `"name":"a"`))
	l.hear("input_required")
	l.stop()
	if err := <-ended; err == nil {
		t.Error("answered by nobody")
	}
}

// A notification of a call comes before its answer in either era.
func TestCallsNotify(t *testing.T) {
	c := serving(t, serverFor(t, tools(func(ctx context.Context, c Call) (string, error) {
		for _, p := range []string{`{"progress":1}`, `{"progress":2}`} {
			if err := c.Notify(ctx, "notifications/progress", p); err != nil {
				return "", err
			}
		}
		return result("done")
	}, "a"), Options{Interceptor: &puppet{}}))
	for _, s := range []*stream{
		c.begin().post(called("2", "a")),
		c.post(stateless("2", "tools/call", `"name":"a"`), modernHeader("tools/call", "a")...),
	} {
		if s.status != http.StatusOK || s.header.Get("Content-Type") != typeStream {
			t.Errorf("%d %s", s.status, s.header)
		}
		s.event(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1}}`)
		s.event(`"progress":2`)
		s.event(`"id":2,"result"`)
		if rest := s.event(); rest != "" {
			t.Errorf("then came %q", rest)
		}
	}
}

// Only three methods may be answered with a question.
func TestRelaysAskInCallsOnly(t *testing.T) {
	state := tools(nil, "a")
	state.Relay = func(ctx context.Context, c Call) (string, error) {
		m, err := c.Ask(ctx, "roots/list", "")
		if err != nil {
			return "", err
		}
		return m.Result, nil
	}
	c := serving(t, serverFor(t, state, Options{Interceptor: &puppet{}}))
	c.post(stateless("1", "completion/complete", ""), modernHeader("completion/complete", "")...).whole(`"error"`, ErrNoChannel.Error())
	c.post(stateless("1", "prompts/get", `"name":"p"`), modernHeader("prompts/get", "p")...).whole("input_required")
	s := c.begin().post(`{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{}}`)
	s.event("roots/list")
}
