package mcpclient

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"gauntlet/internal/runtime/wire"
)

// pipe is a conversation inside the process with a server that answers as do says, or
// else, in the older era, honestly. It returns what the server was sent.
func pipe(t *testing.T, do func(s *server, r request) bool) (conn wire.Conn, sent func() []string) {
	t.Helper()
	cr, sw := io.Pipe()
	sr, cw := io.Pipe()
	var lines []string
	done := make(chan struct{})
	// Ends when the client's side of the pipe is closed.
	go func() {
		defer close(done)
		s := &server{out: bufio.NewWriter(sw)}
		for in := bufio.NewScanner(sr); in.Scan(); {
			lines = append(lines, in.Text())
			var r request
			if json.Unmarshal(in.Bytes(), &r) == nil && !do(s, r) && r.ID != nil && r.Method != "" {
				s.honest(r)
			}
		}
		sw.Close()
	}()
	conn = wire.NewStream(cr, cw, wire.Limits{}, nil)
	end := func() { conn.Close(); cw.Close(); cr.Close(); <-done }
	t.Cleanup(end)
	return conn, func() []string { end(); return lines }
}

// asksFirst answers server/discover and a call as the texts say, one after the other.
func asksFirst(results ...string) func(s *server, r request) bool {
	return func(s *server, r request) bool {
		switch r.Method {
		case "server/discover":
			s.result(r, `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}`)
		case "tools/call":
			s.result(r, results[0])
			results = results[1:]
		default:
			return false
		}
		return true
	}
}

func TestCallsAnswerWhatTheServerAsksFirst(t *testing.T) {
	const done = `{"resultType":"complete","content":[]}`
	const form = `"inputRequests":{"k\u0065y":{"method":"elicitation/create","params":{"n":1.0}}}`
	want := func(answers string) string {
		return `{"name":"t","arguments":{"b":1,"a":2.50}` + answers + `,"_meta":{`
	}
	for _, tt := range []struct {
		name         string
		results      []string
		capabilities string
		rounds       []string // the params of each tools/call, their beginnings
		fails        string
	}{
		{"complete", []string{done}, "", []string{want("")}, ""},
		{"no type is complete", []string{`{"content":[]}`}, "", []string{want("")}, ""},
		{"a form and a state", []string{`{"resultType":"input_required",` + form + `,"requestState":"a\u0062\/"}`, done}, `{"elicitation":{}}`,
			[]string{want(""), want(`,"inputResponses":{"k\u0065y":{"saw":{"n":1.0}}},"requestState":"a\u0062\/"`)}, ""},
		{"a state alone", []string{`{"resultType":"input_required","requestState":"s"}`, done}, "", []string{want(""), want(`,"requestState":"s"`)}, ""},
		{"the state of a round is that round's", []string{`{"resultType":"input_required","requestState":"s"}`, `{"resultType":"input_required",` + form + `}`, done}, `{"elicitation":{}}`,
			[]string{want(""), want(`,"requestState":"s"`), want(`,"inputResponses":{"k\u0065y":{"saw":{"n":1.0}}}`)}, ""},
		{"what was not claimed", []string{`{"resultType":"input_required",` + form + `}`}, `{"sampling":{}}`, []string{want("")},
			`the server wants input before it answers tools/call: "elicitation/create", which this client does not offer`},
		{"what nobody knows", []string{`{"resultType":"input_required","inputRequests":{"k":{"method":"shell/run"}}}`}, `{"elicitation":{}}`, []string{want("")},
			`the server wants input before it answers tools/call: "shell/run", which this client does not offer`},
		{"nothing", []string{`{"resultType":"input_required"}`}, "", []string{want("")}, `the server wants input before it answers tools/call: but says neither what nor for which state`},
		{"no object", []string{`{"resultType":"input_required","inputRequests":[1]}`}, "", []string{want("")}, `the server wants input before it answers tools/call: but inputRequests is not an object`},
		{"for ever", slices.Repeat([]string{`{"resultType":"input_required","requestState":"s"}`}, maxRounds+1), "", nil, `the server wants input before it answers tools/call: it still does after 10 rounds`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			conn, sent := pipe(t, asksFirst(tt.results...))
			s, err := Open(t.Context(), conn, Options{Era: Modern, Capabilities: tt.capabilities,
				Answer: func(_, params string) (string, bool) { return `{"saw":` + params + `}`, true }})
			if err != nil {
				t.Fatal(err)
			}
			m, err := s.Call(t.Context(), "tools/call", `{"name":"t","arguments":{"b":1,"a":2.50}}`)
			var input *InputError
			switch {
			case tt.fails == "" && (err != nil || !strings.Contains(m.Result, "content")):
				t.Errorf("Call = %s, %v", m.Result, err)
			case tt.fails != "" && (err == nil || err.Error() != tt.fails || !errors.As(err, &input)):
				t.Errorf("Call = %v, want the *InputError %q", err, tt.fails)
			}
			var calls, ids []string
			for _, line := range sent() {
				if m := wire.Decode(line); m.Method == "tools/call" {
					calls, ids = append(calls, m.Params), append(ids, m.ID)
				}
			}
			for i, want := range tt.rounds {
				if i >= len(calls) || !strings.HasPrefix(calls[i], want) {
					t.Errorf("calls %q, want in place %d %q", calls, i, want)
				}
			}
			if tt.rounds != nil && len(calls) != len(tt.rounds) {
				t.Errorf("%d calls, want %d", len(calls), len(tt.rounds))
			}
			slices.Sort(ids)
			if len(slices.Compact(ids)) != len(calls) {
				t.Errorf("an id came twice: %q", ids)
			}
		})
	}
}

// A server of the older era asks by requests of its own; what was claimed is answered.
func TestRequestsDuringACall(t *testing.T) {
	for _, tt := range []struct{ capabilities, want string }{
		{`{"roots":{}}`, `"id":"q","result":{"roots":[]}`},
		{`{}`, `"id":"q","error":{"code":-32601`},
	} {
		conn, sent := pipe(t, func(s *server, r request) bool {
			if r.Method == "tools/call" {
				s.write(`{"jsonrpc":"2.0","id":"q","method":"roots/list"}`)
				s.result(r, `{"content":[]}`)
			}
			return r.Method == "tools/call"
		})
		s, err := Open(t.Context(), conn, Options{Capabilities: tt.capabilities, Answer: func(string, string) (string, bool) { return `{"roots":[]}`, true }})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Call(t.Context(), "tools/call", `{"name":"t"}`); err != nil {
			t.Error(err)
		}
		// Another one, behind which the answer must have been written.
		_, _ = s.Call(t.Context(), "ping", `{}`)
		if all := strings.Join(sent(), "\n"); !strings.Contains(all, tt.want) || !strings.Contains(all, `"capabilities":`+tt.capabilities) {
			t.Errorf("%s: the server got\n%s\nwant %s", tt.capabilities, all, tt.want)
		}
	}
}

func TestToolsThatMustNotBeCalled(t *testing.T) {
	const good, bad = `{"name":"good","inputSchema":{"properties":{"r":{"type":"string","x-mcp-header":"R"}}}}`, `{"name":"bad","inputSchema":{"properties":{"r":{"type":"string","x-mcp-header":"a b"}}}}`
	var headers []string
	server := &webServer{do: modernWeb(map[string]string{
		"server/discover": `{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}`,
		"tools/list":      `{"tools":[` + good + `,` + bad + `]}`,
		"tools/call":      `{"content":[]}`,
	})}
	inner := server.do
	server.do = func(w http.ResponseWriter, r *http.Request, q request) bool {
		if q.Method == "tools/call" {
			headers = append(headers, r.Header.Get("Mcp-Name")+" "+r.Header.Get("Mcp-Param-R"))
		}
		return inner(w, r, q)
	}
	s, err := Open(t.Context(), dial(t, wire.Endpoint{URL: listen(t, server)}), Options{})
	if err != nil {
		t.Fatal(err)
	}
	s.Read(t.Context())
	if _, err := s.Call(t.Context(), "tools/call", `{"name":"good","arguments":{"r":"é"}}`); err != nil {
		t.Error(err)
	}
	if _, err := s.Call(t.Context(), "tools/call", `{"name":"bad","arguments":{"r":"x"}}`); err == nil || !strings.HasPrefix(err.Error(), `the tool "bad" breaks the rules for headers`) {
		t.Errorf("bad: %v", err)
	}
	if fmt.Sprint(headers) != "[good =?base64?w6k=?=]" {
		t.Errorf("headers of calls: %v", headers)
	}
}

// A conversation can be read again, and each snapshot stands for itself.
func TestReadAgainAfterAChange(t *testing.T) {
	const changed = `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`
	lists := 0
	rug := func(announced string, tell func(s *server, r request) bool) func(s *server, r request) bool {
		lists = 0
		return func(s *server, r request) bool {
			if r.Method == "initialize" {
				s.result(r, strings.Replace(initResult, `"tools":{}`, `"tools":{`+announced+`}`, 1))
				return true
			}
			if r.Method == "tools/list" {
				lists++
				s.result(r, fmt.Sprintf(`{"tools":[{"name":"t","description":"%d"}]}`, lists))
				return true
			}
			return tell(s, r)
		}
	}
	// The change is told while the last list is read, so that it stands before its answer.
	early := func(s *server, r request) bool {
		if r.Method == "resources/templates/list" && lists == 1 {
			s.write(changed)
		}
		return false
	}
	late := func(s *server, r request) bool {
		if r.Method == "resources/templates/list" && lists == 1 {
			s.honest(r)
			if r.Params.Cursor == "three" {
				s.write(changed)
			}
			return true
		}
		return false
	}
	never := func(*server, request) bool { return false }
	for _, tt := range []struct {
		name, announced string
		tell            func(*server, request) bool
		wait            time.Duration
		want            string
	}{
		{"told while reading", "", early, 0, "notifications/tools/list_changed"},
		{"told afterwards", `"listChanged":true`, late, 10 * time.Second, "notifications/tools/list_changed"},
		{"announced and not told", `"listChanged":true`, never, time.Millisecond, ""},
		{"neither", "", never, time.Hour, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			conn, _ := pipe(t, rug(tt.announced, tt.tell))
			s, err := Open(t.Context(), conn, Options{})
			if err != nil {
				t.Fatal(err)
			}
			first := s.Read(t.Context())
			if got := s.Changed(t.Context(), tt.wait); got != tt.want {
				t.Errorf("Changed = %q, want %q", got, tt.want)
			}
			second := s.Read(t.Context())
			if a, b := first.Lists[0].Items[0], second.Lists[0].Items[0]; !strings.Contains(a, `"1"`) || !strings.Contains(b, `"2"`) || counts(first) != counts(second) {
				t.Errorf("read %s and then %s", a, b)
			}
			if got := s.Changed(t.Context(), 0); got != "" {
				t.Errorf("Changed again = %q", got)
			}
			wantGaps(t, second, nil)
		})
	}
}

// A server that announces a change while it is read is judged by what it shows then. What is gone is a gap, what came is none, and
// announcing the same again and again is no reason to go on.
func TestReadSettled(t *testing.T) {
	const changed = `{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`
	tool := func(text string) string { return `{"name":"` + text + `"}` }
	for _, tt := range []struct {
		name   string
		lists  []string // the answers to tools/list, the last one for ever
		loud   int      // how many of them a change is announced behind
		reads  int
		want   string
		gapped string
	}{
		{"no change", []string{tool("a")}, 0, 1, tool("a"), ""},
		{"another definition", []string{tool("a"), tool("b")}, 1, 2, tool("b"), "1 definition changed or went"},
		{"one more", []string{tool("a"), tool("a") + "," + tool("b")}, 1, 2, tool("a"), ""},
		{"the same, always announced", []string{tool("a")}, 99, 2, tool("a"), ""},
		{"for ever another", []string{tool("a"), tool("b"), tool("c"), tool("d"), tool("e")}, 99, 4, tool("d"), "again and again"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			reads := 0
			conn, _ := pipe(t, func(s *server, r request) bool {
				if r.Method != "tools/list" {
					return false
				}
				s.result(r, `{"tools":[`+tt.lists[min(reads, len(tt.lists)-1)]+`]}`)
				if reads++; reads <= tt.loud {
					s.write(changed)
				}
				return true
			})
			s, err := Open(t.Context(), conn, Options{})
			if err != nil {
				t.Fatal(err)
			}
			got := s.ReadSettled(t.Context())
			if reads != tt.reads || got.Lists[0].Items[0] != tt.want {
				t.Errorf("%s after %d readings, want %s after %d", got.Lists[0].Items, reads, tt.want, tt.reads)
			}
			if tt.gapped == "" {
				wantGaps(t, got, nil)
			} else if n := len(got.Errors); n == 0 || !strings.Contains(got.Errors[n-1].Message, tt.gapped) {
				t.Errorf("gaps: %+v", got.Errors)
			}
		})
	}
}

// Over HTTP a change is told on a stream: that of a GET with a session, that of a request
// of its own without.
func TestChangesOverHTTP(t *testing.T) {
	stream := func(w http.ResponseWriter, r *http.Request, messages ...string) bool {
		reply(w, true, messages...)
		untilGone(w, r)
		return true
	}
	legacy := func(w http.ResponseWriter, r *http.Request, q request) bool {
		switch {
		case q.Method == "initialize":
			reply(w, false, result(q, strings.Replace(initResult, `"prompts":{}`, `"prompts":{"listChanged":true}`, 1)))
			return true
		case r.Method == http.MethodGet:
			return stream(w, r, `{"jsonrpc":"2.0","method":"notifications/prompts/list_changed"}`)
		}
		return false
	}
	modern := modernWeb(map[string]string{
		"server/discover": `{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{"listChanged":true}}}`,
		"tools/list":      `{"tools":[]}`,
	})
	listening := func(w http.ResponseWriter, r *http.Request, q request) bool {
		if q.Method == "subscriptions/listen" {
			return stream(w, r, `{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{}}`, `{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{}}`)
		}
		return modern(w, r, q)
	}
	for _, tt := range []struct {
		name string
		do   func(http.ResponseWriter, *http.Request, request) bool
		want string
	}{
		{"with a session", legacy, "notifications/prompts/list_changed"},
		{"stateless", listening, "notifications/tools/list_changed"},
		{"stateless, refused", modern, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := dial(t, wire.Endpoint{URL: listen(t, &webServer{do: tt.do})})
			s, err := Open(t.Context(), h, Options{})
			if err != nil {
				t.Fatal(err)
			}
			s.Read(t.Context())
			if got := s.Changed(t.Context(), 10*time.Second); got != tt.want {
				t.Errorf("Changed = %q, want %q", got, tt.want)
			}
			wantGaps(t, s.Read(t.Context()), nil)
		})
	}
}

func TestParamsKeepTheirMeta(t *testing.T) {
	c := &conversation{meta: `{"v":1}`}
	for members, want := range map[string]string{
		``:                               `{"_meta":{"v":1}}`,
		`"a":1`:                          `{"a":1,"_meta":{"v":1}}`,
		`"_meta":{},"a":1`:               `{"_meta":{"v":1},"a":1}`,
		`"_meta": { "p":2 },"a":{"b":3}`: `{"_meta": {"v":1,"p":2},"a":{"b":3}}`,
		`"_meta":7`:                      `{"_meta":7,"_meta":{"v":1}}`,
	} {
		if got := c.params(members); got != want {
			t.Errorf("params(%s) = %s, want %s", members, got, want)
		}
	}
	if got := new(conversation).params(`"_meta":{"p":2}`); got != `{"_meta":{"p":2}}` {
		t.Errorf("without an era of its own: %s", got)
	}
}
