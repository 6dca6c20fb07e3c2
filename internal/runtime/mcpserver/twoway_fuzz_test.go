package mcpserver

import (
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"gauntlet/internal/leaf/mcp"

	"gauntlet/internal/runtime/wire"
)

// answersIn counts answers by id among messages, and fails on what is no message.
func answersIn(t *testing.T, messages []string) map[string]int {
	t.Helper()
	out := map[string]int{}
	for _, text := range messages {
		if !json.Valid([]byte(text)) {
			t.Fatalf("not JSON: %q", text)
		}
		m := wire.Decode(text)
		for part := range m.Parts() {
			switch part.Kind {
			case wire.Response, wire.Error:
				out[part.ID]++
			case wire.Invalid:
				t.Fatalf("no message: %q: %s", text, part.Note)
			}
		}
	}
	return out
}

// wanted counts the answers that messages want, by id. Those that a client cancels may have
// none; of them, and of batches, nothing is known.
func wanted(lines []string) (want map[string]int, open []string, known bool) {
	want, known = map[string]int{}, true
	for _, line := range lines {
		m := wire.Decode(line)
		switch {
		case m.Kind == wire.Batch:
			known = false
		case m.Kind == wire.Request:
			want[m.ID]++
		case m.Kind == wire.Invalid:
			if r := refuseInvalid(m); r.body != "" {
				want[wire.Decode(r.body).ID]++
			}
		case m.Method == "notifications/cancelled":
			open = append(open, memberValues(m.Params, "requestId")...)
		}
	}
	return want, open, known
}

// Whatever a client writes, the server lives to its end, every line it writes is a message,
// every request has one answer, and every line was tapped once.
func FuzzStdio(f *testing.F) {
	asked := called("2", "a")
	for _, lines := range [][]string{
		everything, {initialize, asked, `{"jsonrpc":"2.0","id":1,"result":{"a":1}}`, asked},
		{initialize, asked, asked, asked, `{"jsonrpc":"2.0","id":2,"error":{"code":1,"message":""}}`},
		{stateless("1", "tools/call", `"name":"a"`), stateless("2", "tools/call", `"name":"a","requestState":"x","inputResponses":{"input":{}}`)},
		{stateless("1", "subscriptions/listen", `"notifications":{"toolsListChanged":true}`), `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`},
		{initialize, asked, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`}, {initialize, initialize},
	} {
		f.Add(strings.Join(lines, "\n"))
	}
	f.Fuzz(func(t *testing.T, text string) {
		var tapped taps
		s := serverFor(t, tools(asks, "a"), Options{Interceptor: &puppet{}, Tap: tapped.tap, HTTP: HTTPOptions{Body: 1 << 16}})
		lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
		if len(lines) > mostCalls || slices.ContainsFunc(lines, func(l string) bool { return len(l) > 1<<16 }) {
			return
		}
		got := say(t, s, lines...)
		for i, line := range lines {
			lines[i] = strings.TrimSuffix(line, "\r")
		}
		if out := tapped.said(true); !slices.Equal(out, got) {
			t.Fatalf("tapped %q, said %q", out, got)
		}
		if in := tapped.said(false); !slices.Equal(in, lines) {
			t.Fatalf("tapped %q, heard %q", in, lines)
		}
		answers := answersIn(t, got)
		want, open, known := wanted(lines)
		for id, n := range want {
			if known && !slices.Contains(open, id) && answers[id] != n {
				t.Fatalf("%q: %d answers to %s, want %d: %q", text, answers[id], id, n, got)
			}
		}
	})
}

// The same over HTTP, for a request and what the client says next: an exchange has one
// answer, and no more than its own.
func FuzzSession(f *testing.F) {
	seeds(f, func(body string) {
		f.Add(body, `{"jsonrpc":"2.0","id":1,"result":{}}`, "", "", "", "application/json, text/event-stream")
		f.Add(body, pingSeven, "2026-07-28", "tools/call", "a", "text/event-stream")
	})
	f.Add(called("2", "a"), `{"jsonrpc":"2.0","id":1,"result":{}}`, "2025-11-25", "", "", "*/*")
	f.Add(stateless("1", "tools/call", `"name":"a"`), "[]", "2026-07-28", "tools/call", "a", "*/*")
	f.Fuzz(func(t *testing.T, first, second, version, method, name, accept string) {
		var tapped taps
		s := serverFor(t, tools(asks, "a", "one"), Options{Interceptor: &puppet{}, Tap: tapped.tap, Wait: time.Millisecond, HTTP: HTTPOptions{Body: 1 << 16}})
		e := s.endpoint(&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 80})
		known := s.newHTTPSession(false)
		e.sessions.addWithNewID(known)
		known.session.setRevision("2025-03-26", "2025-03-26", false)
		defer e.waitIdle()
		defer e.endStreams()
		for _, body := range []string{first, second} {
			if strings.Contains(body, "subscriptions/listen") {
				continue // which has no end here
			}
			r := httptest.NewRequest(http.MethodPost, Path, strings.NewReader(body))
			r.Host = "localhost"
			r.Header.Set("Content-Type", "application/json")
			for _, h := range [][2]string{{mcp.HeaderSessionID, known.id}, {mcp.HeaderProtocolVersion, version}, {mcp.HeaderMethod, method}, {mcp.HeaderName, name}, {"Accept", accept}} {
				if h[1] != "" {
					r.Header.Set(h[0], h[1])
				}
			}
			before := len(tapped.said(true))
			w := httptest.NewRecorder()
			e.ServeHTTP(w, r)
			got := []string{w.Body.String()}
			switch {
			case w.Header().Get("Content-Type") == typeStream:
				got = nil
				for line := range strings.Lines(w.Body.String()) {
					if data, ok := strings.CutPrefix(line, "data: "); ok {
						got = append(got, strings.TrimSuffix(data, "\n"))
					}
				}
			case w.Code == http.StatusAccepted && got[0] == "":
				got = nil
			case w.Code == http.StatusNotAcceptable || w.Code == http.StatusRequestEntityTooLarge:
				continue
			}
			if out := tapped.said(true)[before:]; !slices.Equal(out, got) {
				t.Fatalf("%q: tapped %q, said %q", body, out, got)
			}
			answers := answersIn(t, got)
			m := wire.Decode(body)
			if m.Kind == wire.Request && len(answers) != 1 {
				t.Fatalf("%q: %d %q", body, w.Code, got)
			}
			if m.Kind == wire.Request && m.Note == "" && w.Code == http.StatusOK && answers[m.ID] != 1 {
				t.Fatalf("%q: %d %q", body, w.Code, got)
			}
			if (m.Kind == wire.Notification || m.Kind == wire.Response) && w.Code == http.StatusOK {
				t.Fatalf("%q is answered with %q", body, got)
			}
		}
	})
}
