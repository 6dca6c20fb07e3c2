package gateway

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"gauntlet/internal/leaf/mcp"
	"gauntlet/internal/runtime/mcpserver"
	"gauntlet/internal/runtime/wire"
	"gauntlet/rawjson"
)

// Of several answers with one id the first counts; the others answer nothing, as an id of nobody's does.
func TestTheFirstAnswerCounts(t *testing.T) {
	answer := make(chan callOutcome, 2) // room for one too many, so that it is seen and does not block
	uc := &upstreamConn{answers: map[string]chan callOutcome{"1001": answer}}
	if uc.deliverAnswer("1002", callOutcome{}) {
		t.Error("an answer to nobody was taken")
	}
	if !uc.deliverAnswer("1001", callOutcome{message: wire.Message{Result: "1"}}) {
		t.Error("the answer was not taken")
	}
	if uc.deliverAnswer("1001", callOutcome{message: wire.Message{Result: "2"}}) {
		t.Error("a second answer was taken")
	}
	if out := <-answer; out.message.Result != "1" || len(answer) != 0 {
		t.Errorf("got %+v and %d more", out, len(answer))
	}
}

// However many questions have the same progress token, each has one of its own at the front, which is free again
// when the question is over.
func TestTokensOfManyQuestions(t *testing.T) {
	cs := &clientSession{questionTokens: map[string]questionToken{}}
	const params = `{"x":1,"_meta":{"progressToken":"same"}}`
	seen := map[string]int{}
	var ends []func()
	for n := range 4 {
		s := &upstream{}
		out, done := cs.renameToken(s, params)
		token := rawjson.LastMember(rawjson.LastMember(out, "_meta"), "progressToken")
		if at, ok := seen[token]; ok || token == "" {
			t.Fatalf("question %d has the token %s of question %d", n, token, at)
		}
		seen[token] = n
		if to := cs.questionTokens[token]; to.upstream != s || to.token != `"same"` {
			t.Errorf("question %d: the token leads to %+v", n, to)
		}
		if rawjson.LastMember(out, "x") != "1" {
			t.Errorf("question %d became %s", n, out)
		}
		ends = append(ends, done)
	}
	ends[0]()
	if out, _ := cs.renameToken(&upstream{}, params); out != params {
		t.Errorf("a token that is free again became %s", out)
	}
	for _, end := range ends[1:] {
		end()
	}
	if len(cs.questionTokens) != 1 {
		t.Errorf("%d tokens are left, want that of the last question", len(cs.questionTokens))
	}
	if out, _ := cs.renameToken(&upstream{}, `{"x":1}`); out != `{"x":1}` || len(cs.questionTokens) != 1 {
		t.Errorf("a question without a token became %s, with %d tokens kept", out, len(cs.questionTokens))
	}
}

// Progress belongs to the call that has its token, and a question to the call that is the only one.
func TestWhichCallAServerMeans(t *testing.T) {
	s := &upstream{}
	call := func(params string) *mcpserver.Call { return &mcpserver.Call{Params: params} }
	if s.callByToken(`"a"`) != nil || s.onlyCall() != nil {
		t.Error("there is a call before any")
	}
	first := call(`{"_meta":{"progressToken":"a"}}`)
	p := s.beginCall(first)
	if s.onlyCall() != first {
		t.Error("the only call is not found")
	}
	second := call(`{"name":"x"}`)
	q := s.beginCall(second)
	for token, want := range map[string]*mcpserver.Call{`"a"`: first, `"b"`: nil, "": nil, "a": nil} {
		if got := s.callByToken(token); got != want {
			t.Errorf("the token %q leads to %+v", token, got)
		}
	}
	if s.onlyCall() != nil {
		t.Error("of two calls one is the only one")
	}
	s.finishCall(p)
	if s.onlyCall() != second || s.callByToken(`"a"`) != nil {
		t.Error("a call that has ended is still there")
	}
	s.finishCall(q)
	if s.onlyCall() != nil {
		t.Error("the last call has ended and is still there")
	}
}

// A template fits what begins as it does; one that begins with a variable would fit everything and says nothing.
func TestMatchesTemplate(t *testing.T) {
	for _, tt := range []struct {
		template, uri string
		want          bool
	}{
		{"file:///a/{name}", "file:///a/b", true},
		{"file:///a/{name}", "file:///b", false},
		{"{scheme}://x", "file:///a", false},
		{"file:///a", "file:///a", false}, // no template: it is listed or not
		{"", "file:///a", false},
	} {
		s := &upstream{}
		s.lists[templates] = []string{`{"uriTemplate":` + rawjson.Quote(tt.template) + `}`}
		if got := s.matchesTemplate(tt.uri); got != tt.want {
			t.Errorf("%q fits %q: %t, want %t", tt.template, tt.uri, got, tt.want)
		}
	}
}

// Room for a connection is made by the conversation that was idle for the longest time, at the same server.
func TestDetachIdle(t *testing.T) {
	here, elsewhere := &Upstream{Name: "here"}, &Upstream{Name: "elsewhere"}
	type session struct {
		used   int64
		up     *Upstream
		users  int
		closed bool
	}
	for _, tt := range []struct {
		name     string
		sessions []session
		want     int // index, -1 for none
	}{
		{"none", nil, -1},
		{"the one used longest ago", []session{{used: 3, up: here}, {used: 1, up: here}, {used: 2, up: here}}, 1},
		{"not one that is used", []session{{used: 3, up: here}, {used: 1, up: here, users: 1}, {used: 2, up: here}}, 2},
		{"not one to another server", []session{{used: 3, up: here}, {used: 1, up: elsewhere}}, 0},
		{"not one that has ended", []session{{used: 3, up: here}, {used: 1, up: here, closed: true}}, 0},
		{"all used", []session{{used: 1, up: here, users: 1}}, -1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := &Gateway{sessions: map[*mcpserver.Session]*clientSession{}}
			var conns []*upstreamConn
			var all []*clientSession
			for _, s := range tt.sessions {
				conn := &upstreamConn{over: make(chan struct{})}
				if s.closed {
					close(conn.over)
				}
				cs := &clientSession{gateway: g, downstream: new(mcpserver.Session)}
				cs.upstreams = []*upstream{{session: cs, up: s.up, conn: conn, users: s.users}}
				cs.lastUsed.Store(s.used)
				g.sessions[cs.downstream] = cs
				conns, all = append(conns, conn), append(all, cs)
			}
			got, _ := g.detachIdle(&upstream{up: here})
			if tt.want < 0 && got != nil || tt.want >= 0 && got != conns[tt.want] {
				t.Errorf("another connection than number %d is taken", tt.want)
			}
			for i, cs := range all {
				if (cs.upstreams[0].conn == nil) != (i == tt.want) {
					t.Errorf("conversation %d has lost its connection: %t", i, cs.upstreams[0].conn == nil)
				}
			}
		})
	}
}

// A scriptedConn hands every request to the test, which answers it as it likes.
type scriptedConn struct {
	sent chan wire.Message
}

func (c *scriptedConn) Send(_ context.Context, m []byte) error {
	c.sent <- wire.Decode(string(m))
	return nil
}
func (c *scriptedConn) Receive(ctx context.Context) (wire.Message, error) {
	<-ctx.Done()
	return wire.Message{}, io.EOF
}
func (c *scriptedConn) Close() error { return nil }

// Only the request that the server has refused since its session had ended was certainly not carried out; every other
// one may have been, and is not made again.
func TestWhichRequestIsMadeAgain(t *testing.T) {
	for _, tt := range []struct {
		name string
		end  func(id string) error
		want bool
	}{
		{"this request was refused", func(id string) error { return &wire.EndError{How: "ended", Refused: id} }, true},
		{"another one was", func(string) error { return &wire.EndError{How: "ended", Refused: "7"} }, false},
		{"none was", func(string) error { return &wire.EndError{How: "ended"} }, false},
		{"it has gone for another reason", func(string) error { return io.EOF }, false},
	} {
		g := &Gateway{conns: map[*Upstream]int{}}
		s := &upstream{up: &Upstream{Name: "a"}, closed: true}
		s.session = &clientSession{gateway: g}
		conn := &scriptedConn{make(chan wire.Message, 1)}
		uc := &upstreamConn{upstream: s, conn: conn, last: firstID, sending: make(chan struct{}, 1), answers: map[string]chan callOutcome{}, over: make(chan struct{})}
		done := make(chan error)
		go func() { // ends with the call, which the end of the connection ends
			_, err := uc.callInSession(t.Context(), mcp.ToolsCall, "{}")
			done <- err
		}()
		<-conn.sent
		uc.fail(tt.end(fmt.Sprint(firstID + 1)))
		if err := <-done; errors.Is(err, errSessionEnded) != tt.want || err == nil {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

// Each round with a server of the stateless era carries what this round was asked for, and nothing that the client, or an
// earlier round, has said.
func TestRoundsOfTheStatelessEra(t *testing.T) {
	for _, tt := range []struct {
		name   string
		params string
		asks   []string // results that want something more
		want   []string // the requestState of each request, "" for none
	}{
		{"nothing is asked for", `{"name":"t"}`, nil, []string{""}},
		{"a state that the client made up is gone with the first answer", `{"name":"t","requestState":"made up","inputResponses":{}}`,
			[]string{`{"resultType":"input_required","inputRequests":{}}`}, []string{`"made up"`, ""}},
		{"each round has the state of the answer before", `{"name":"t"}`,
			[]string{`{"resultType":"input_required","requestState":"1"}`, `{"resultType":"input_required","requestState":"2"}`, `{"resultType":"input_required"}`}, []string{"", `"1"`, `"2"`, ""}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			conn := &scriptedConn{make(chan wire.Message, 1)}
			s := &upstream{up: &Upstream{Name: "a"}}
			s.session = &clientSession{gateway: &Gateway{opt: Options{Connect: time.Minute}}}
			s.conn = &upstreamConn{upstream: s, conn: conn, meta: `{"x":1}`, sending: make(chan struct{}, 1), answers: map[string]chan callOutcome{}, over: make(chan struct{})}
			done := make(chan error)
			go func() { // ends with the last answer
				result, err := s.session.forwardRequest(t.Context(), s, mcpserver.Call{Method: mcp.ToolsCall, Params: tt.params}, tt.params)
				if err == nil && result != `{"content":[]}` {
					err = fmt.Errorf("the client gets %s", result)
				}
				done <- err
			}()
			for round, want := range tt.want {
				m := <-conn.sent
				if got := rawjson.LastMember(m.Params, "requestState"); got != want || strings.Count(m.Params, "requestState") > 1 {
					t.Errorf("request %d has the state %s in %s, want %s", round, got, m.Params, want)
				}
				answer := `{"resultType":"complete","content":[]}`
				if round < len(tt.asks) {
					answer = tt.asks[round]
				}
				s.conn.deliverAnswer(m.ID, callOutcome{message: wire.Message{Kind: wire.Response, ID: m.ID, Result: answer}})
			}
			if err := <-done; err != nil {
				t.Error(err)
			}
		})
	}
}

// A server that always wants more is asked ten times more, and then its wish is the answer.
func TestRoundsEnd(t *testing.T) {
	conn := &scriptedConn{make(chan wire.Message, 1)}
	s := &upstream{up: &Upstream{Name: "a"}}
	s.session = &clientSession{gateway: &Gateway{opt: Options{Connect: time.Minute}}}
	s.conn = &upstreamConn{upstream: s, conn: conn, meta: `{"x":1}`, sending: make(chan struct{}, 1), answers: map[string]chan callOutcome{}, over: make(chan struct{})}
	done := make(chan string)
	go func() { // ends with the last answer
		result, err := s.session.forwardRequest(t.Context(), s, mcpserver.Call{Method: mcp.ToolsCall, Params: "{}"}, "{}")
		done <- fmt.Sprint(result, " ", err)
	}()
	for requests := 0; ; {
		select {
		case m := <-conn.sent:
			requests++
			s.conn.deliverAnswer(m.ID, callOutcome{message: wire.Message{Kind: wire.Response, ID: m.ID, Result: fmt.Sprintf(`{"resultType":"input_required","n":%d}`, requests)}})
		case got := <-done:
			if want := fmt.Sprintf(`{"n":%d} <nil>`, maxRounds+1); requests != maxRounds+1 || got != want {
				t.Errorf("%d requests, and the client gets %s, want %d and %s", requests, got, maxRounds+1, want)
			}
			return
		}
	}
}

// Who lists a resource is asked alone; else those with a template that fits come first, then all others that have resources.
func TestOrderOfReaders(t *testing.T) {
	const has, hasNot = `{"capabilities":{"resources":{}}}`, `{"capabilities":{"tools":{}}}`
	named := func(name, init, template string) *upstream {
		s := &upstream{up: &Upstream{Name: name}, init: init}
		if template != "" {
			s.lists[templates] = []string{`{"uriTemplate":` + rawjson.Quote(template) + `}`}
		}
		return s
	}
	a, b, c, d := named("a", has, ""), named("b", has, "x://{n}"), named("c", hasNot, ""), named("d", hasNot, "x://{n}")
	for _, tt := range []struct {
		name      string
		upstreams []*upstream
		listed    *upstream // by whom the resource is listed
		template  *upstream // by whom it is listed as a template
		want      string
	}{
		{"who fits comes first", []*upstream{a, b}, nil, nil, "b a "},
		{"in the order of the servers", []*upstream{d, a, b}, nil, nil, "d b a "},
		{"not who has no resources", []*upstream{c, a}, nil, nil, "a "},
		{"who lists it alone", []*upstream{a, b}, a, b, "a "},
		{"who lists it as a template alone", []*upstream{a, b}, nil, a, "a "},
		{"the only one, whatever it has", []*upstream{c}, nil, nil, "c "},
	} {
		cs := &clientSession{upstreams: tt.upstreams, resourceOwners: [2]map[string]*upstream{{}, {}}}
		if tt.listed != nil {
			cs.resourceOwners[0]["x://1"] = tt.listed
		}
		if tt.template != nil {
			cs.resourceOwners[1]["x://1"] = tt.template
		}
		got := ""
		for _, s := range cs.upstreamsFor("x://1") {
			got += s.up.Name + " "
		}
		if got != tt.want {
			t.Errorf("%s: asked are %s, want %s", tt.name, got, tt.want)
		}
	}
}

// One server may list a resource twice, which is no conflict; of two servers that have it the first keeps it.
func TestMergedResources(t *testing.T) {
	list := func(items ...string) (out [4][]string) {
		out[resources] = items
		return out
	}
	const x, y = `{"uri":"x://1","name":"x"}`, `{"uri":"x://1","name":"y"}`
	for _, tt := range []struct {
		name  string
		lists [][4][]string
		want  []string
		owner int
		notes int
	}{
		{"twice in one", [][4][]string{list(x, y)}, []string{x, y}, 0, 0},
		{"in two", [][4][]string{list(x), list(y)}, []string{x}, 0, 1},
		{"twice in the second", [][4][]string{list(), list(x, y)}, []string{x, y}, 1, 0},
		{"in two, twice in the second", [][4][]string{list(x), list(y, y)}, []string{x}, 0, 1},
	} {
		notes := 0
		cs := &clientSession{gateway: &Gateway{opt: Options{Note: func(string) { notes++ }}}, noted: map[string]bool{}}
		for i, lists := range tt.lists {
			cs.upstreams = append(cs.upstreams, &upstream{session: cs, up: &Upstream{Name: fmt.Sprint(i)}, lists: lists})
		}
		got := cs.mergeItems(resources)
		if !slices.Equal(got, tt.want) || cs.resourceOwners[0]["x://1"] != cs.upstreams[tt.owner] || notes != tt.notes {
			t.Errorf("%s: %s, %d notes, want %s, %d", tt.name, got, notes, tt.want, tt.notes)
		}
	}
}

// A request of all servers fails only if all of them do, with what a server said; those that do not log are not asked.
func TestWhoSetsTheLogLevel(t *testing.T) {
	const has, hasNot = `{"capabilities":{"logging":{}}}`, `{"capabilities":{"tools":{}}}`
	type server struct{ init, answer string } // the answer is empty for an error, "-" where nobody may ask
	for _, tt := range []struct {
		name    string
		servers []server
		want    string
	}{
		{"nobody logs", []server{{hasNot, "-"}}, mcpserver.ErrUnhandled.Error()},
		{"one does", []server{{hasNot, "-"}, {has, `{"n":2}`}}, `{"n":2}`},
		{"one of two fails", []server{{has, ""}, {has, `{"n":2}`}}, `{"n":2}`},
		{"the first of two answers", []server{{has, `{"n":1}`}, {has, `{"n":2}`}}, `{"n":1}`},
		{"all who log fail", []server{{has, ""}, {hasNot, "-"}}, "refused by 0"},
	} {
		cs := &clientSession{gateway: &Gateway{opt: Options{Connect: time.Minute}}}
		ctx, cancel := context.WithCancel(t.Context())
		for i, of := range tt.servers {
			conn := &scriptedConn{make(chan wire.Message, 1)}
			s := &upstream{session: cs, up: &Upstream{Name: fmt.Sprint(i)}, init: of.init}
			s.conn = &upstreamConn{upstream: s, conn: conn, sending: make(chan struct{}, 1), answers: map[string]chan callOutcome{}, over: make(chan struct{})}
			cs.upstreams = append(cs.upstreams, s)
			go func() { // ends with ctx
				select {
				case m := <-conn.sent:
					answer := wire.Message{Kind: wire.Response, ID: m.ID, Result: of.answer}
					if of.answer == "" {
						answer = wire.Message{Kind: wire.Error, ID: m.ID, Error: fmt.Sprintf(`{"code":1,"message":"refused by %d"}`, i)}
					} else if of.answer == "-" {
						t.Errorf("%s: server %d was asked", tt.name, i)
					}
					s.conn.deliverAnswer(m.ID, callOutcome{message: answer})
				case <-ctx.Done():
				}
			}()
		}
		got, err := cs.callLoggingServers(t.Context(), mcpserver.Call{Method: mcp.LoggingSetLevel, Params: "{}"})
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, tt.want) {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
		cancel()
	}
}

// What a client is told of a server that did not answer: a refusal in its own words, and that it went away by itself as
// nothing but that.
func TestUnreachableError(t *testing.T) {
	s := &upstream{up: &Upstream{Name: "mail"}}
	own := &mcpserver.Error{Code: codeForbidden, Message: "no"}
	for _, tt := range []struct {
		name string
		err  error
		want int // code; 0 for the error as it is
	}{
		{"a refusal", own, codeForbidden},
		{"a refusal within an error", fmt.Errorf("x: %w", own), codeForbidden},
		{"the client gave up", context.Canceled, 0},
		{"the client gave up, within an error", fmt.Errorf("x: %w", context.Canceled), 0},
		{"its time was over", context.DeadlineExceeded, codeUnreachable},
		{"it has gone", io.EOF, codeUnreachable},
	} {
		var told *mcpserver.Error
		got := unreachableError(s, tt.err)
		if !errors.As(got, &told) {
			told = &mcpserver.Error{}
		}
		if told.Code != tt.want || tt.want != codeUnreachable && got != tt.err {
			t.Errorf("%s: %v with code %d, want %d", tt.name, got, told.Code, tt.want)
		}
	}
}

// A resource that nobody lists is looked for at one server after the other: at the next one where a server does not know it
// or cannot be reached, and nowhere else where one fails or refuses.
func TestWhoReadsAResource(t *testing.T) {
	for _, tt := range []struct {
		name string
		code int // of the error that the first server answers with; 0 for a result
		want string
	}{
		{"the first has it", 0, "a did x://1"},
		{"the first does not know it", mcp.CodeResourceNotFound, "b did x://1"},
		{"the first finds the params invalid", mcp.CodeInvalidParams, "b did x://1"},
		{"what is behind the first cannot be reached", codeUnreachable, "b did x://1"},
		{"the first fails", mcp.CodeInternalError, "not from a"},
		{"the first forbids it", codeForbidden, "not from a"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a, b := back(t, "a"), back(t, "b")
			a.state.Unlisted, b.state.Unlisted = true, true
			answer := a.state.Call
			a.state.Call = func(ctx context.Context, c mcpserver.Call) (string, error) {
				if tt.code != 0 {
					return "", &mcpserver.Error{Code: tt.code, Message: "not from a"}
				}
				return answer(ctx, c)
			}
			f := open(t, Options{}, a, b)
			f.begin("{}")
			got, err := f.try("resources/read", `{"uri":"x://1"}`)
			if err != nil {
				got = err.Error()
			}
			if !strings.Contains(got, tt.want) {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

// An answer that cannot be read fails its request at once; a line of a log that has an id is none.
func TestBrokenAnswer(t *testing.T) {
	for raw, want := range map[string]string{
		`{"jsonrpc":"2.0","id":1001,"result":{"n":NaN}}`:   "not JSON",
		`{"jsonrpc":"2.0","id":"1001","result":{},"error"`: "not JSON",
		`{"jsonrpc":"2.0","id":1001,"result":{"n":1}}`:     "",
		`{"id":1001,"level":"info"}`:                       "nothing",
	} {
		answer := make(chan callOutcome, 1)
		g := new(Gateway)
		uc := &upstreamConn{upstream: &upstream{session: newTestSession(g), up: &Upstream{Name: "a"}}, answers: map[string]chan callOutcome{"1001": answer}}
		uc.dispatchIncoming(wire.Decode(raw), nil)
		got := "nothing"
		if len(answer) > 0 {
			got = ""
			if out := <-answer; out.err != nil {
				got = out.err.Error()
			}
		}
		if !strings.Contains(got, want) || (got == "") != (want == "") {
			t.Errorf("%s: %q, want %q", raw, got, want)
		}
	}
}
