package attackmcp

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"gauntlet/internal/runtime/attack"
	"gauntlet/internal/runtime/mcpserver"
)

// An injection is a document whose server does something to the answers of tools/call.
func tampering(rules string) string {
	return `
mode: mcp_server
phases:
  - name: one
    state:
      tools: [{name: t, inputSchema: {type: object}, responses: [{content: [{type: text, text: "[@payload@]"}]}]}]
    x-gauntlet-wire: ` + rules
}

// plainAnswer is what an unharmed call is answered with.
const plainAnswer = `{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"[@payload@]"}]}}`

const callT = `{"name":"t","arguments":{}}`

// What goes out over stdio is what the rule says, once, and then the message as it is.
func TestWireOverStdio(t *testing.T) {
	for _, tt := range []struct {
		rule string
		want []string // lines behind the first call
	}{
		{`{do: drip, every: 0s, times: 1, on: [tools/call]}`, []string{fmt.Sprintf(plainAnswer, 1)}},
		{`{do: wrong_id, times: 1, on: [tools/call]}`, []string{fmt.Sprintf(plainAnswer, 900719925474099)}},
		{`{do: duplicate, count: 3, times: 1, on: [tools/call]}`, []string{fmt.Sprintf(plainAnswer, 1), fmt.Sprintf(plainAnswer, 1), fmt.Sprintf(plainAnswer, 1)}},
		{`{do: batch, count: 0, times: 1, on: [tools/call]}`, []string{"[" + fmt.Sprintf(plainAnswer, 1) + "]"}},
		{`{do: flood, count: 1, as: ping, times: 1, on: [tools/call]}`, []string{`{"jsonrpc":"2.0","id":"flood-0","method":"ping"}`, fmt.Sprintf(plainAnswer, 1)}},
		{`{do: no_newline, times: 1, on: [tools/call]}`, nil},
		{`{do: nest, depth: 2, times: 1, on: [tools/call]}`, []string{`{"jsonrpc":"2.0","id":1,"result":{"gauntlet/payload":[[0]],"content":[{"type":"text","text":"[@payload@]"}]}}`}},
	} {
		t.Run(tt.rule, func(t *testing.T) {
			s := play(t, tampering("["+tt.rule+"]"), playOptions{})
			d := s.servers["default"]
			d.hello("{}")
			d.request("tools/call", callT)
			if len(tt.want) == 0 { // the line goes on until the next message ends it
				d.request("tools/call", callT)
				d.want(fmt.Sprintf(plainAnswer, 1) + fmt.Sprintf(plainAnswer, 2))
				return
			}
			for _, line := range tt.want {
				d.want(line)
			}
			d.request("tools/call", callT)
			d.want(fmt.Sprintf(plainAnswer, 2))
			sum := s.end()
			if len(sum.Wire) != 1 || sum.Wire[0].Client != attack.WentOn || sum.Wire[0].Next != "tools/call" || sum.Wire[0].Times != 1 || sum.Wire[0].Bytes < 50 {
				t.Errorf("%+v", sum.Wire)
			}
		})
	}
}

// The server ends where the document wants a connection to break.
func TestWireCutOverStdio(t *testing.T) {
	for _, do := range []string{"cut", "reset"} {
		s := play(t, tampering("[{do: "+do+", after: 10, on: [tools/call]}]"), playOptions{})
		d := s.servers["default"]
		d.hello("{}")
		d.request("tools/call", callT)
		if rest, err := io.ReadAll(d.out); string(rest) != `{"jsonrpc"` || err != nil {
			t.Errorf("%s: %q, %v", do, rest, err)
		}
		if sum := s.end(); len(sum.Wire) != 1 || sum.Wire[0].Client != attack.Left || sum.Wire[0].Bytes != 10 {
			t.Errorf("%s: %+v", do, sum.Wire)
		}
	}
}

// A wait of a day ends with the run, and whoever waited is said to have.
func TestWireEndsWithTheRun(t *testing.T) {
	for _, rule := range []string{"{do: stall, wait: 24h, on: [tools/call]}", "{do: drip, every: 1m, on: [tools/call]}"} {
		s := play(t, tampering("["+rule+"]"), playOptions{})
		d := s.servers["default"]
		d.hello("{}")
		d.request("tools/call", callT)
		if b, err := d.out.ReadByte(); b != '{' || err != nil {
			t.Errorf("%s: %q, %v", rule, b, err)
		}
		if sum := s.end(); len(sum.Wire) != 1 || sum.Wire[0].Client != attack.Hung {
			t.Errorf("%s: %+v", rule, sum.Wire)
		}
	}
}

// A payload without end stops at its ceiling, and what is kept of it is a line.
func TestWireCeiling(t *testing.T) {
	s := play(t, tampering("[{do: endless, size: 1000000, on: [tools/call]}]"), playOptions{})
	d := s.servers["default"]
	d.hello("{}")
	d.request("tools/call", callT)
	n, err := io.Copy(io.Discard, d.out)
	if n < 1_000_000 || n > 1_000_200 || err != nil {
		t.Errorf("%d bytes, %v", n, err)
	}
	sum := s.end()
	if len(sum.Wire) != 1 || !sum.Wire[0].Ceiling || sum.Wire[0].Bytes != n {
		t.Errorf("%d: %+v", n, sum.Wire)
	}
	for _, m := range s.trace {
		if len(m.Raw) > 1000 {
			t.Errorf("the trace has a message of %d bytes", len(m.Raw))
		}
		if strings.Contains(m.Note, "endless size=1000000") {
			return
		}
	}
	t.Error("the trace does not say what was done")
}

// A list goes on and on, for as long as the rule says.
func TestWireCursorLoop(t *testing.T) {
	s := play(t, tampering("[{do: cursor_loop, count: 3, on: [tools/list]}]"), playOptions{})
	d := s.servers["default"]
	d.hello("{}")
	params, seen := "{}", map[string]bool{}
	for i := range 4 {
		var page struct {
			Result struct {
				Tools      []any
				NextCursor string
			}
		}
		if err := json.Unmarshal([]byte(d.ask("tools/list", params)), &page); err != nil || len(page.Result.Tools) != 1 {
			t.Fatalf("page %d: %+v, %v", i, page, err)
		}
		cursor := page.Result.NextCursor
		if (cursor == "") != (i == 3) || seen[cursor] {
			t.Errorf("page %d: cursor %q", i, cursor)
		}
		seen[cursor] = true
		params = `{"cursor":"` + cursor + `"}`
	}
	if sum := s.end(); sum.Wire[0].Times != 4 || sum.Wire[0].Back != 3 {
		t.Errorf("%+v", sum.Wire)
	}
}

// What is for HTTP alone, or for what is no answer, is told and not done.
func TestWireThatCannotBeDone(t *testing.T) {
	s := play(t, tampering("[{do: redirect}, {do: nest, on: [ping]}]"), playOptions{})
	d := s.servers["default"]
	d.hello("{}")
	if got := d.ask("tools/call", callT); got != fmt.Sprintf(plainAnswer, 1) {
		t.Error(got)
	}
	s.wantNotice(attack.Unplayed, "redirect is done over HTTP only")
	if sum := s.end(); sum.Wire != nil {
		t.Errorf("%+v", sum.Wire)
	}
}

// What HTTP says around an answer is what the rule says.
func TestWireOverHTTP(t *testing.T) {
	for _, tt := range []struct {
		rule   string
		status int
		header string // name: value
		body   string
		broken bool // reading the body fails
	}{
		{"{do: redirect}", 307, "Location: ?", fmt.Sprintf(plainAnswer, 1), false},
		{"{do: status, status: 418}", 418, "", fmt.Sprintf(plainAnswer, 1), false},
		{"{do: content_type}", 200, "Content-Type: text/html", fmt.Sprintf(plainAnswer, 1), false},
		{"{do: header, name: X-A, value: b}", 200, "X-A: b", fmt.Sprintf(plainAnswer, 1), false},
		{"{do: header_mismatch}", 400, "", `{"jsonrpc":"2.0","id":1,"error":{"code":-32020,"message":"Header mismatch: the header Mcp-Method is not what the body says"}}`, false},
		{"{do: short, by: 7}", 200, "", fmt.Sprintf(plainAnswer, 1), true},
		{"{do: cut, after: 9}", 200, "", `{"jsonrpc`[:9], true},
		{"{do: reset, after: 9}", 200, "", "", true},
		{"{do: drip, every: 0s}", 200, "Content-Type: application/json", fmt.Sprintf(plainAnswer, 1), false},
		{"{do: duplicate}", 200, "Content-Type: text/event-stream", "event: message\ndata: " + fmt.Sprintf(plainAnswer, 1) + "\n\nevent: message\ndata: " + fmt.Sprintf(plainAnswer, 1) + "\n\n", false},
		{"{do: resume, retry: 7}", 200, "Content-Type: text/event-stream", "id: gauntlet-0\nretry: 7\ndata: \n\n", true},
		{"{do: noise, count: 1, as: event}", 200, "", "event: gauntlet-0\ndata: {}\n\nevent: message\ndata: " + fmt.Sprintf(plainAnswer, 1) + "\n\n", false},
	} {
		t.Run(tt.rule, func(t *testing.T) {
			base, end := onHTTP(t, tampering("["+strings.Replace(tt.rule, "}", ", on: [tools/call]}", 1)+"]"), playOptions{})
			session, _ := initialized(t, base)
			r := <-posted(t, base, session, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":`+callT+`}`)
			if r.err != nil && !tt.broken {
				t.Fatal(r.err)
			}
			name, value, _ := strings.Cut(tt.header, ": ")
			if tt.rule[5:10] != "reset" && (r.status != tt.status || name != "" && r.header.Get(name) != value || r.body != tt.body) || (r.err != nil) != tt.broken {
				t.Errorf("%d %v %q %v", r.status, r.header, r.body, r.err)
			}
			if sum, _ := end(); len(sum.Wire) != 1 || sum.Wire[0].Client != attack.Silent {
				t.Errorf("%+v", sum.Wire)
			}
		})
	}
}

type httpAnswer struct {
	status int
	header http.Header
	body   string
	err    error
}

// initialized shakes hands over HTTP, and returns the session.
func initialized(t *testing.T, base string) (session string, r httpAnswer) {
	t.Helper()
	r = <-posted(t, base, "", `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
	if r.err != nil {
		t.Fatal(r.err)
	}
	return r.header.Get("Mcp-Session-Id"), r
}

// posted sends a message and reads its answer, which comes through the channel.
func posted(t *testing.T, base, session, body string) <-chan httpAnswer {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, base+mcpserver.Path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	if session != "" {
		req.Header.Set("Mcp-Session-Id", session)
	}
	out := make(chan httpAnswer, 1)
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	go func() { // ends with the answer
		var a httpAnswer
		resp, err := client.Do(req)
		if a.err = err; err == nil {
			var b []byte
			b, a.err = io.ReadAll(resp.Body)
			_ = resp.Body.Close()
			a.status, a.header, a.body = resp.StatusCode, resp.Header, string(b)
		}
		out <- a
	}()
	return out
}
