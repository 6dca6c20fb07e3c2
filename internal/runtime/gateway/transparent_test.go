package gateway

import (
	"bufio"
	"cmp"
	"io"
	"strings"
	"sync"
	"testing"

	"gauntlet/internal/runtime/wire"
	"gauntlet/rawjson"
)

// A mirror is a server that keeps what it is asked and answers by method, in words of its own.
type mirror struct {
	name    string            // "only" by default
	answers map[string]string // member and value by method, "result":{...}; a method that is not there is unknown

	pings string // the method upon which it asks whether its client is alive

	mu    sync.Mutex
	asked []wire.Message
}

func (s *mirror) upstream() Upstream {
	return Upstream{cmp.Or(s.name, "only"), func() (wire.Conn, error) {
		fromGateway, toServer := io.Pipe()
		fromServer, toGateway := io.Pipe()
		done := make(chan struct{})
		go func() { // ends with the connection
			defer close(done)
			for in := bufio.NewScanner(fromGateway); in.Scan(); {
				m := wire.Decode(in.Text())
				if m.Kind == wire.Request && m.Method == s.pings {
					_, _ = io.WriteString(toGateway, `{"jsonrpc":"2.0","id":"alive","method":"ping"}`+"\n")
					in.Scan() // the call waits for the answer: without a call the gateway answers
				}
				s.mu.Lock()
				s.asked = append(s.asked, m)
				answer, ok := s.answers[m.Method]
				s.mu.Unlock()
				if !ok {
					answer = `"error":{"code":-32601,"message":"Method not found"}`
				}
				if m.Kind == wire.Request {
					_, _ = io.WriteString(toGateway, `{"jsonrpc":"2.0","id":`+m.ID+`,`+answer+"}\n") // to a gateway that has gone it says nothing
				}
			}
		}()
		return &pipe{wire.NewStream(fromServer, toServer, wire.Limits{}, nil), func() { _ = toGateway.Close(); _ = fromGateway.Close(); <-done }}, nil
	}}
}

// params are those with which a method was asked for last.
func (s *mirror) params(method string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := len(s.asked) - 1; i >= 0; i-- {
		if s.asked[i].Method == method {
			return s.asked[i].Params
		}
	}
	return ""
}

// A recorder changes nothing: what a client and the only server say in the same era arrives as it was said, but for ids.
func TestSameEraPassesVerbatim(t *testing.T) {
	const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"c","version":"1","x":1.50},"io.modelcontextprotocol/clientCapabilities":{"elicitation":{},"x":[1]}}`
	both := map[string]string{
		"initialize":       `"result":{"x":1.0,"protocolVersion":"2025-06-18","capabilities":{"logging":{},"resources":{"subscribe":true},"x":{}},"serverInfo":{"name":"s","version":"1","x":2.50},"_meta":{"a":1}}`,
		"server/discover":  `"result":{"supportedVersions":["2026-07-28","2025-06-18"],"capabilities":{"tools":{}},"ttlMs":7,"cacheScope":"public","x":1.0,"resultType":"complete"}`,
		"tools/list":       `"result":{"x":1.0,"tools":[{"name":"for_providers","inputSchema":{"type":"object"}}],"nextCursor":"2","ttlMs":5,"cacheScope":"public","resultType":"complete"}`,
		"logging/setLevel": `"result":{"x":1e2}`, "resources/subscribe": `"result":{}`, "made/up": `"result":{"x":1.0}`,
		"prompts/get": `"error":{"x":1.0,"code":-32042,"message":"\u0041sk","data":{"b":[1.50]}}`,
	}
	legacy, stateless := map[string]string{"tools/call": `"result":{"content":[],"resultType":"odd","x":1.50}`}, map[string]string{
		"tools/call": `"result":{"resultType":"input_required","inputRequests":{"user_name":{"method":"elicitation/create","params":{"mode":"form","message":"?","requestedSchema":{"type":"object","properties":{}}}}},"requestState":"s"}`}
	for method, answer := range both {
		legacy[method], stateless[method] = answer, answer
	}
	type exchange struct{ method, params string }
	for _, tt := range []struct {
		name    string
		answers map[string]string
		begin   exchange
		calls   []exchange
	}{
		{"handshake", legacy, exchange{"initialize", `{"protocolVersion":"2025-11-25","capabilities":{"roots":{},"x":[1]},"clientInfo":{"name":"c","version":"1","title":"C","x":1.50}}`}, []exchange{
			{"tools/list", `{"cursor":"1","x":1.0}`}, {"tools/call", `{"name":"for_providers","arguments":{"n":1.50},"x":1}`}, {"logging/setLevel", `{"level":"debug"}`},
			{"resources/subscribe", `{"uri":"a:b"}`}, {"prompts/get", `{"name":"p"}`}, {"made/up", `{"x":1.0}`}, {"made/up", ""},
		}},
		{"stateless", stateless, exchange{"server/discover", `{` + meta + `}`}, []exchange{
			{"tools/list", `{"cursor":"1",` + meta + `}`}, {"tools/call", `{"name":"x","arguments":{"n":1.50},` + meta + `}`},
			{"tools/call", `{"name":"x","inputResponses":{"user_name":{"action":"accept","content":{}}},"requestState":"s",` + meta + `}`},
			{"prompts/get", `{"name":"p",` + meta + `}`}, {"made/up", `{"x":1.0,` + meta + `}`},
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			server := &mirror{answers: tt.answers}
			f := open(t, Options{Upstreams: []Upstream{server.upstream()}})
			c := &rawClient{t, f.pipe}
			exchange := func(method, params string) {
				said := `{"jsonrpc":"2.0","id":"` + method + `","method":"` + method + `"`
				if params != "" {
					said += `,"params":` + params
				}
				c.say(said + "}")
				got := c.next()
				if want := `{"jsonrpc":"2.0","id":"` + method + `",` + tt.answers[method] + `}`; got.Raw != want {
					t.Errorf("%s is answered\n%s, want\n%s", method, got.Raw, want)
				}
				if method == "initialize" || method == "server/discover" {
					got := server.params(method)
					for _, member := range []string{"protocolVersion", "capabilities", "clientInfo"} {
						if rawjson.LastMember(got, member) != rawjson.LastMember(params, member) {
							t.Errorf("%s with %s, want %s", method, got, params)
						}
					}
				} else if got := server.params(method); got != params {
					t.Errorf("%s with %s, want %s", method, got, params)
				}
			}
			exchange(tt.begin.method, tt.begin.params)
			for _, e := range tt.calls {
				exchange(e.method, e.params)
			}
			other := map[string]string{"initialize": "server/discover", "server/discover": "initialize"}[tt.begin.method]
			if server.params(other) != "" {
				t.Errorf("the server was asked %s by a client of the other era", other)
			}
			f.mu.Lock()
			defer f.mu.Unlock()
			if len(f.notes) > 0 {
				t.Errorf("told: %s", strings.Join(f.notes, "; "))
			}
		})
	}
}

// What the stateless era says in each request does not go to a server of the other one, which would take its revision for that of the
// conversation, and the rest of _meta does.
func TestMetaOfTheOtherEraStaysBehind(t *testing.T) {
	const era = `"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{},"io.modelcontextprotocol/clientCapabilities":{}`
	for _, tt := range []struct{ name, meta, params, want string }{
		{"nothing else in it", "", `{"name":"a","_meta":{` + era + `}}`, `{"name":"a"}`},
		{"a progress token", "", `{"_meta":{"progressToken":1,` + era + `},"name":"a"}`, `{"_meta":{"progressToken":1},"name":"a"}`},
		{"no mark of that era", "", `{"name":"a","_meta":{"x":1.0}}`, `{"name":"a","_meta":{"x":1.0}}`},
		{"a server of that era", `{"m":1}`, `{"_meta":{` + era + `}}`, `{"_meta":{` + era + `}}`},
		{"a client of the other one", `{"m":1}`, `{"_meta":{"progressToken":1}}`, `{"_meta":{"progressToken":1,"m":1}}`},
	} {
		if got := (&upstreamConn{meta: tt.meta}).paramsForEra(tt.params); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

// A list that is not declared is handed on if it is there the first time, as a scan reads it; what is odd about a list is said.
func TestListsAsAScanReadsThem(t *testing.T) {
	const list = `"result":{"prompts":[{"name":"p"}]}`
	for _, tt := range []struct {
		name, capabilities, first string
		want                      bool   // the second time
		note                      string // "" for none
	}{
		{"declared, refused at first", `{"prompts":{}}`, `"error":{"code":-32603,"message":"later"}`, true, ""},
		{"undeclared, refused at first", `{"tools":{}}`, `"error":{"code":-32603,"message":"later"}`, false, "prompts/list of only is refused from now on"},
		{"undeclared, there", `{"tools":{}}`, list, true, ""},
		{"a cursor that is no text", `{"prompts":{}}`, `"result":{"prompts":[],"nextCursor":0}`, true, "prompts/list of only: nextCursor is not a string but"},
		{"no list", `{"prompts":{}}`, `"result":{"prompts":{"a":{}}}`, true, "prompts/list of only: prompts is not an array but"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			server := &mirror{answers: map[string]string{
				"initialize": `"result":{"protocolVersion":"2025-06-18","capabilities":` + tt.capabilities + `,"serverInfo":{"name":"s","version":"1"}}`, "prompts/list": tt.first,
			}}
			f := open(t, Options{Upstreams: []Upstream{server.upstream()}})
			f.begin("{}")
			_, _ = f.try("prompts/list", "{}") // the second answer tells
			server.mu.Lock()
			server.answers["prompts/list"] = list
			server.mu.Unlock()
			if got, err := f.try("prompts/list", "{}"); (err == nil) != tt.want {
				t.Errorf("the second time: %q, %v, want the list: %t", got, err, tt.want)
			}
			f.mu.Lock()
			defer f.mu.Unlock()
			if notes := strings.Join(f.notes, "; "); (notes != "") != (tt.note != "") || !strings.HasPrefix(notes, tt.note) {
				t.Errorf("told %q, want %q", notes, tt.note)
			}
		})
	}
}

// What no list assigns to a server goes to the one that knows it: a method of its own, a completion for what it does not list. A call of
// an unknown tool goes to none.
func TestUnassignedRequestsFindTheirServer(t *testing.T) {
	const init = `"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"completions":{}},"serverInfo":{"name":"s","version":"1"}}`
	first := &mirror{name: "first", answers: map[string]string{"initialize": init, "completion/complete": `"error":{"code":-32602,"message":"unknown prompt"}`}}
	second := &mirror{name: "second", answers: map[string]string{"initialize": init, "completion/complete": `"result":{"completion":{"values":["a"]}}`, "made/up": `"result":{"x":1}`, "made/broken": `"error":{"code":-32000,"message":"broken"}`}}
	f := open(t, Options{Upstreams: []Upstream{first.upstream(), second.upstream()}})
	f.begin("{}")
	for _, tt := range []struct{ method, params, want string }{
		{"made/up", `{"z":1}`, `{"x":1}`}, {"completion/complete", `{"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"a","value":"b"}}`, `{"completion":{"values":["a"]}}`},
		{"made/broken", "{}", "broken"}, {"made/nowhere", "{}", "Method not found"}, {"tools/call", `{"name":"none"}`, "Unknown tool: none"},
	} {
		got, err := f.try(tt.method, tt.params)
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, tt.want) {
			t.Errorf("%s: %s, want %s", tt.method, got, tt.want)
		}
	}
	if second.params("tools/call") != "" {
		t.Error("a tool that nobody lists was called")
	}
}

// A server's ping reaches the client, whose life it asks about.
func TestPingOfAServerIsTheClients(t *testing.T) {
	server := &mirror{pings: "made/up", answers: map[string]string{
		"initialize": `"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"s","version":"1"}}`, "made/up": `"result":{}`,
	}}
	f := open(t, Options{Upstreams: []Upstream{server.upstream()}})
	c := &rawClient{t, f.pipe}
	c.say(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`)
	c.next()
	c.say(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	c.say(`{"jsonrpc":"2.0","id":2,"method":"made/up"}`)
	for {
		if m := c.next(); m.Method == "ping" {
			return
		}
	}
}
