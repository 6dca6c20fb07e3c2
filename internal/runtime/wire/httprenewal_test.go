package wire

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"gauntlet/internal/leaf/mcp"
)

// A forgetful server forgets its sessions when it is told to, as one that restarts does.
type forgetful struct {
	mu       sync.Mutex
	begun    int
	sessions map[string]bool
	log      []string                                             // methods, with ! where the session was unknown
	unknown  func(w http.ResponseWriter)                          // what an unknown session is answered with
	answer   func(w http.ResponseWriter, nth int, m Message) bool // to the nth initialize; false for the usual
}

func (f *forgetful) forget() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.sessions = nil
}

func (f *forgetful) methods() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return strings.Join(f.log, " ")
}

func (f *forgetful) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	m := Decode(string(body))
	f.mu.Lock()
	defer f.mu.Unlock()
	if r.Method != http.MethodPost {
		f.log = append(f.log, r.Method)
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	if m.Method == mcp.Initialize {
		f.log = append(f.log, m.Method)
		f.begun++
		if f.sessions == nil {
			f.sessions = map[string]bool{"session-0": true}
		}
		if f.answer != nil && f.answer(w, f.begun, m) {
			return
		}
		id := fmt.Sprint("session-", f.begun)
		f.sessions[id] = true
		w.Header().Set(mcp.HeaderSessionID, id)
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25"}}`, m.ID)
		return
	}
	if !f.sessions[r.Header.Get(mcp.HeaderSessionID)] {
		f.log = append(f.log, m.Method+"!")
		f.unknown(w)
		return
	}
	f.log = append(f.log, m.Method)
	if m.Kind == Notification {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{}}`, m.ID)
}

func notFound(w http.ResponseWriter) { w.WriteHeader(http.StatusNotFound) }

func refuseSession(status int, code int, message string) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) {
		w.WriteHeader(status)
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":null,"error":{"code":%d,"message":%q}}`, code, message)
	}
}

func TestASessionThatEndedIsRenewed(t *testing.T) {
	const opened = "initialize notifications/initialized tools/list tools/list! "
	for _, tt := range []struct {
		name     string
		unknown  func(http.ResponseWriter)
		answer   func(w http.ResponseWriter, nth int, m Message) bool
		fails    string // in the error of the call behind the end of the session
		final    bool   // the connection is of no use afterwards
		methods  string
		renewals int
	}{
		{name: "HTTP 404", unknown: notFound, methods: opened + "initialize notifications/initialized tools/list", renewals: 1},
		{name: "HTTP 404 with a JSON-RPC error", unknown: refuseSession(404, -32001, "Session not found"),
			methods: opened + "initialize notifications/initialized tools/list", renewals: 1},
		{name: "HTTP 404 for a method", unknown: refuseSession(404, -32601, "Method not found"), fails: "-32601", methods: strings.TrimSpace(opened)},
		{name: "HTTP 400, as examples of the TypeScript SDK answer", unknown: refuseSession(400, -32000, "Bad Request: No valid session ID provided"),
			methods: opened + "initialize notifications/initialized tools/list", renewals: 1},
		{name: "HTTP 400 with another code", unknown: refuseSession(400, -32602, "no session"), fails: "HTTP 400", methods: strings.TrimSpace(opened)},
		{name: "HTTP 400 about something else", unknown: refuseSession(400, -32000, "Bad Request"), fails: "HTTP 400", methods: strings.TrimSpace(opened)},
		{name: "HTTP 403", unknown: refuseSession(403, -32000, "session"), fails: "HTTP 403", methods: strings.TrimSpace(opened)},
		{name: "another version", unknown: notFound, final: true, fails: `agreed on protocol version "2025-11-25" before and on "2025-06-18" now`,
			methods: opened + "initialize",
			answer: func(w http.ResponseWriter, nth int, m Message) bool {
				if nth > 1 {
					fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-06-18"}}`, m.ID)
				}
				return nth > 1
			}, renewals: 1},
		{name: "the same id again", unknown: notFound, methods: opened + "initialize notifications/initialized tools/list", renewals: 1,
			answer: func(w http.ResponseWriter, nth int, m Message) bool {
				w.Header().Set(mcp.HeaderSessionID, "session-0")
				fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25"}}`, m.ID)
				return true
			}},
		{name: "initialize is refused", unknown: notFound, final: true, fails: "no new one could be started: the server answered initialize with error -32603",
			methods: opened + "initialize",
			answer: func(w http.ResponseWriter, nth int, m Message) bool {
				if nth > 1 {
					fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32603,"message":"no"}}`, m.ID)
				}
				return nth > 1
			}},
		{name: "the new session is unknown too", unknown: notFound, final: true, fails: "ended the session (HTTP 404 Not Found)",
			methods: opened + "initialize notifications/initialized!",
			answer: func(w http.ResponseWriter, nth int, m Message) bool {
				if nth > 1 {
					w.Header().Set(mcp.HeaderSessionID, "lost")
					fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25"}}`, m.ID)
				}
				return nth > 1
			}, renewals: 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := &forgetful{unknown: tt.unknown, answer: tt.answer}
			server := httptest.NewServer(f)
			defer server.Close()
			h, err := Dial(Endpoint{URL: server.URL})
			if err != nil {
				t.Fatal(err)
			}
			defer h.Kill() //nolint:errcheck // never fails
			c := NewClient(h, Limits{})
			call := func(method string) error {
				_, err := c.Call(t.Context(), method, `{"protocolVersion":"2025-11-25"}`)
				return err
			}
			if err := errors.Join(call(mcp.Initialize), c.Notify(t.Context(), mcp.NotifyInitialized, "{}"), call(mcp.ToolsList)); err != nil {
				t.Fatal(err)
			}
			f.forget()
			err = call(mcp.ToolsList)
			if tt.fails == "" && err != nil || tt.fails != "" && (err == nil || !strings.Contains(err.Error(), tt.fails)) {
				t.Errorf("the call: %v, want %q", err, tt.fails)
			}
			if c.Err() != nil != tt.final {
				t.Errorf("the connection: %v, want an end: %v", c.Err(), tt.final)
			}
			if got := f.methods(); got != tt.methods {
				t.Errorf("the server saw %q, want %q", got, tt.methods)
			}
			if n, _ := h.Renewals(); n != tt.renewals {
				t.Errorf("%d renewals, want %d", n, tt.renewals)
			}
		})
	}
}

// An answer that names another session than initialize did is taken, with a note.
func TestAnAnswerOfAnotherSession(t *testing.T) {
	for id, noted := range map[string]bool{"session-1": false, "session-2": true, "": false} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			m := Decode(string(body))
			w.Header().Set("Content-Type", "application/json")
			if m.Method == mcp.Initialize {
				w.Header().Set(mcp.HeaderSessionID, "session-1")
			} else if id != "" {
				w.Header().Set(mcp.HeaderSessionID, id)
			}
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{}}`, m.ID)
		}))
		h, err := Dial(Endpoint{URL: server.URL})
		if err != nil {
			t.Fatal(err)
		}
		c := NewClient(h, Limits{})
		_, err = c.Call(t.Context(), mcp.Initialize, "{}")
		m, err2 := c.Call(t.Context(), mcp.ToolsList, "{}")
		if errors.Join(err, err2) != nil || (m.Note != "") != noted {
			t.Errorf("%q: %q, %v, want a note: %v", id, m.Note, errors.Join(err, err2), noted)
		}
		_ = h.Kill()
		server.Close()
	}
}

// Requests side by side find that their session has ended, and share the next one.
func TestRequestsSideBySideShareARenewal(t *testing.T) {
	const requests = 16
	f := &forgetful{unknown: notFound}
	server := httptest.NewServer(f)
	defer server.Close()
	h, err := Dial(Endpoint{URL: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Kill() //nolint:errcheck // never fails
	renewed := 0
	h.OnRenewal(func() { renewed++ })
	if _, err := NewClient(h, Limits{}).Call(t.Context(), mcp.Initialize, "{}"); err != nil {
		t.Fatal(err)
	}
	for round := range 3 {
		f.forget()
		for i := range requests {
			if err := h.Send(t.Context(), fmt.Appendf(nil, `{"jsonrpc":"2.0","id":"r%d-%d","method":"tools/call","params":{}}`, round, i)); err != nil {
				t.Fatal(err)
			}
		}
		var got []string
		for range requests {
			m, err := h.Receive(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, m.ID)
		}
		slices.Sort(got)
		if got = slices.Compact(got); len(got) != requests {
			t.Errorf("round %d: answers to %d of %d requests: %q", round, len(got), requests, got)
		}
	}
	if n, _ := h.Renewals(); n != 3 || renewed != 3 {
		t.Errorf("%d renewals, told of %d, want 3", n, renewed)
	}
}
