package mcpserver

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"gauntlet/internal/leaf/mcp"
)

// Without the token nobody is served, whatever is asked and however it is written.
func TestToken(t *testing.T) {
	s := serverFor(t, tools(nil), Options{HTTP: HTTPOptions{Token: "right"}})
	e := s.endpoint(testAddr{})
	for _, tt := range []struct {
		name, method, path, authorization string
		want                              int
	}{
		{"the token", http.MethodPost, Path, "Bearer right", http.StatusOK},
		{"another case of the scheme", http.MethodPost, Path, "bearer right", http.StatusOK},
		{"none", http.MethodPost, Path, "", http.StatusUnauthorized},
		{"another", http.MethodPost, Path, "Bearer wrong", http.StatusUnauthorized},
		{"the beginning of it", http.MethodPost, Path, "Bearer righ", http.StatusUnauthorized},
		{"more than it", http.MethodPost, Path, "Bearer right ", http.StatusUnauthorized},
		{"another scheme", http.MethodPost, Path, "Basic right", http.StatusUnauthorized},
		{"no scheme", http.MethodPost, Path, "right", http.StatusUnauthorized},
		{"a stream", http.MethodGet, Path, "", http.StatusUnauthorized},
		{"an end of a session", http.MethodDelete, Path, "", http.StatusUnauthorized},
		{"HTTP+SSE", http.MethodGet, PathSSE, "", http.StatusUnauthorized},
		{"a message of HTTP+SSE", http.MethodPost, pathMessages + "?sessionId=x", "", http.StatusUnauthorized},
		{"no such path", http.MethodGet, "/", "", http.StatusUnauthorized},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := httptest.NewRequest(tt.method, tt.path, strings.NewReader(initialize))
			r.Host = "localhost"
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Accept", "application/json, text/event-stream")
			if tt.authorization != "" {
				r.Header.Set("Authorization", tt.authorization)
			}
			w := httptest.NewRecorder()
			e.ServeHTTP(w, r)
			if w.Code != tt.want || (w.Header().Get("WWW-Authenticate") != "") != (tt.want == http.StatusUnauthorized) {
				t.Errorf("status %d, want %d; %s", w.Code, tt.want, w.Body)
			}
		})
	}
}

type testAddr struct{}

func (testAddr) Network() string { return "tcp" }
func (testAddr) String() string  { return "127.0.0.1:80" }

// Sessions end that nothing was heard of, and no others.
func TestIdleSessionsEnd(t *testing.T) {
	cutoff := time.Unix(1000, 0)
	for _, tt := range []struct {
		name              string
		lastUsed          time.Time
		requests, streams int32
		asked             bool
		ends              bool
	}{
		{"before", cutoff.Add(-1), 0, 0, false, true},
		{"at the time", cutoff, 0, 0, false, false},
		{"behind it", cutoff.Add(1), 0, 0, false, false},
		{"before, with a request under way", cutoff.Add(-1), 1, 0, false, false},
		{"before, with a stream", cutoff.Add(-1), 0, 1, false, false},
		{"before, with a question that waits for its answer", cutoff.Add(-1), 0, 0, true, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, server := newHTTPSessions(), serverFor(t, tools(nil), Options{})
			var all []*httpSession
			for range 3 { // several, so that it is seen to go on behind one that stays
				x := server.newHTTPSession(false)
				s.addWithNewID(x)
				x.lastUsed.Store(tt.lastUsed.UnixNano())
				x.requests.Store(tt.requests)
				x.streams.Store(tt.streams)
				if tt.asked {
					x.session.expectAnswer(nil)
				}
				all = append(all, x)
			}
			other := server.newHTTPSession(false)
			s.addWithNewID(other)
			other.lastUsed.Store(cutoff.Add(time.Hour).UnixNano())
			s.endIdle(cutoff)
			for _, x := range append(all, other) {
				_, known := s.byID[x.id]
				if known != !(tt.ends && x != other) {
					t.Errorf("known: %v", known)
				}
			}
		})
	}
}

// A client whose session ended while it said nothing gets 404, which tells it to begin anew.
func TestIdleSessionOverHTTP(t *testing.T) {
	c := clientOf(t, serverFor(t, tools(nil), Options{HTTP: HTTPOptions{Idle: 20 * time.Millisecond}}))
	id := c.begin()
	for deadline := time.Now().Add(20 * time.Second); ; {
		status := c.status(id)
		if status == http.StatusNotFound {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("status %d", status)
		}
		<-time.After(30 * time.Millisecond)
	}
	if c.status(c.begin()) == http.StatusNotFound {
		t.Error("a session that has just begun has ended")
	}
}

// An httpTestClient asks a server over HTTP.
type httpTestClient struct {
	t   *testing.T
	url string
}

func clientOf(t *testing.T, s *Server) *httpTestClient {
	base, stop := listen(t, s)
	t.Cleanup(stop)
	return &httpTestClient{t, base + Path}
}

func (c *httpTestClient) post(id, body string) *http.Response {
	c.t.Helper()
	r, err := http.NewRequestWithContext(c.t.Context(), http.MethodPost, c.url, strings.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	if id != "" {
		r.Header.Set(mcp.HeaderSessionID, id)
	}
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() { a.Body.Close() })
	return a
}

func (c *httpTestClient) begin() string {
	return c.post("", initialize).Header.Get(mcp.HeaderSessionID)
}

func (c *httpTestClient) status(id string) int {
	return c.post(id, `{"jsonrpc":"2.0","id":1,"method":"ping"}`).StatusCode
}
