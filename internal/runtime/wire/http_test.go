package wire

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

const canary = "canary-7f3a9c51e8"

// recorder keeps the requests that a server got, in words.
type recorder struct {
	mu   sync.Mutex
	seen []string
	next func(w http.ResponseWriter, r *http.Request, q message)
}

type message struct {
	ID     json.RawMessage
	Method string
	Result json.RawMessage
}

// watched are the headers in a recorder's words.
var watched = []string{
	"Accept", "Accept-Encoding", "Content-Type", "Cookie", "Last-Event-Id", "Mcp-Method", "Mcp-Name", "Mcp-Protocol-Version", "Mcp-Session-Id", "User-Agent",
}

func (s *recorder) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var q message
	body, _ := io.ReadAll(r.Body)
	_ = json.Unmarshal(body, &q)
	words := r.Method
	if q.Method != "" {
		words += " " + q.Method
	}
	for _, name := range watched {
		if v := r.Header.Get(name); v != "" {
			words += ", " + name + " " + v
		}
	}
	s.mu.Lock()
	s.seen = append(s.seen, words)
	s.mu.Unlock()
	s.next(w, r, q)
}

func (s *recorder) all() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.seen)
}

// record starts a server that ends with the test and says what it saw.
func record(t *testing.T, next func(w http.ResponseWriter, r *http.Request, q message)) (*recorder, string) {
	t.Helper()
	s := &recorder{next: next}
	server := httptest.NewServer(s)
	t.Cleanup(func() { server.CloseClientConnections(); server.Close() })
	return s, server.URL
}

func dial(t *testing.T, e Endpoint) *HTTP {
	t.Helper()
	h, err := Dial(e)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close() })
	return h
}

func answerJSON(w http.ResponseWriter, q message, result string) {
	w.Header().Set("Content-Type", "application/json")
	fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, q.ID, result)
}

// event writes one event and sends it.
func sendEvent(w http.ResponseWriter, text string) {
	w.Header().Set("Content-Type", "text/event-stream")
	io.WriteString(w, text+"\n\n")
	w.(http.Flusher).Flush()
}

func TestWhatARevisionWantsInHeaders(t *testing.T) {
	const both = "Accept application/json, text/event-stream, Accept-Encoding identity, Content-Type application/json"
	for _, tt := range []struct {
		name, version, session string
		want                   []string
	}{
		{"2025-11-25 with a session", "2025-11-25", "s-1", []string{
			"POST initialize, " + both + ", User-Agent gauntlet",
			"POST notifications/initialized, " + both + ", Mcp-Protocol-Version 2025-11-25, Mcp-Session-Id s-1, User-Agent gauntlet",
			"POST tools/list, " + both + ", Mcp-Protocol-Version 2025-11-25, Mcp-Session-Id s-1, User-Agent gauntlet",
			"DELETE, Accept-Encoding identity, Mcp-Protocol-Version 2025-11-25, Mcp-Session-Id s-1, User-Agent gauntlet",
		}},
		{"2025-03-26 without one", "2025-03-26", "", []string{
			"POST initialize, " + both + ", User-Agent gauntlet",
			"POST notifications/initialized, " + both + ", User-Agent gauntlet",
			"POST tools/list, " + both + ", User-Agent gauntlet",
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, url := record(t, func(w http.ResponseWriter, r *http.Request, q message) {
				w.Header().Set("Set-Cookie", "a=b")
				switch q.Method {
				case "initialize":
					if tt.session != "" {
						w.Header().Set("Mcp-Session-Id", tt.session)
					}
					answerJSON(w, q, `{"protocolVersion":"`+tt.version+`"}`)
				case "tools/list":
					answerJSON(w, q, `{}`)
				default:
					w.WriteHeader(202)
				}
			})
			h := dial(t, Endpoint{URL: url})
			c := NewClient(h, Limits{})
			if _, err := c.Call(t.Context(), "initialize", `{}`); err != nil {
				t.Fatal(err)
			}
			if err := c.Notify(t.Context(), "notifications/initialized", `{}`); err != nil {
				t.Fatal(err)
			}
			m, err := c.Call(t.Context(), "tools/list", `{}`)
			if err != nil || m.HTTP == nil || m.HTTP.Status != 200 || m.HTTP.Header.Get("Content-Type") != "application/json" || m.HTTP.Header.Get("Set-Cookie") != "" {
				t.Errorf("answer %+v, %v", m, err)
			}
			h.Close()
			if got := s.all(); !slices.Equal(got, tt.want) {
				t.Errorf("the server saw\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
			}
		})
	}
}

func TestStatelessHeaders(t *testing.T) {
	s, url := record(t, func(w http.ResponseWriter, r *http.Request, q message) {
		w.Header().Set("Mcp-Session-Id", "not in this era")
		answerJSON(w, q, `{}`)
	})
	h := dial(t, Endpoint{URL: url})
	c := NewClient(h, Limits{})
	const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}`
	for _, call := range [][2]string{
		{"tools/list", `{`}, {"tools/call", `{"name":"a b","arguments":{},`}, {"tools/call", `{"name":" grüße\n",`}, {"tools/call", `{"name":"=?base64?x?=",`}, {"resources/read", `{"uri":"file:///x",`},
	} {
		if _, err := c.Call(t.Context(), call[0], call[1]+meta); err != nil {
			t.Fatal(err)
		}
	}
	h.Close()
	var got []string
	for _, words := range s.all() {
		_, words, _ = strings.Cut(words, "Mcp-Method ")
		got = append(got, strings.TrimSuffix(words, ", User-Agent gauntlet"))
	}
	const v = ", Mcp-Protocol-Version 2026-07-28"
	want := []string{"tools/list" + v, "tools/call, Mcp-Name a b" + v, "tools/call, Mcp-Name =?base64?IGdyw7zDn2UK?=" + v, "tools/call, Mcp-Name =?base64?PT9iYXNlNjQ/eD89?=" + v, "resources/read, Mcp-Name file:///x" + v}
	if !slices.Equal(got, want) {
		t.Errorf("the server saw\n%s\nwant, and no DELETE,\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// What the user gave for one origin is never seen at another.
func TestCredentialsStayInTheirOrigin(t *testing.T) {
	thief, elsewhere := record(t, func(w http.ResponseWriter, r *http.Request, q message) { answerJSON(w, q, `{}`) })
	_, url := record(t, func(w http.ResponseWriter, r *http.Request, q message) {
		if r.Method == http.MethodGet {
			sendEvent(w, "event: endpoint\ndata: "+elsewhere+"/take")
			return
		}
		if q.Method == "initialize" {
			w.WriteHeader(404) // to be tried as HTTP+SSE
			return
		}
		http.Redirect(w, r, elsewhere+"/take?key="+r.Header.Get("X-Key"), http.StatusTemporaryRedirect)
	})
	for _, method := range []string{"tools/list", "initialize"} {
		h := dial(t, Endpoint{URL: url, Header: []string{"X-Key=" + canary}, Bearer: "TOKEN=" + canary})
		_, err := NewClient(h, Limits{}).Call(t.Context(), method, `{}`)
		if err == nil || strings.Contains(err.Error(), canary) {
			t.Errorf("%s: %v", method, err)
		}
		if method == "initialize" && !strings.Contains(err.Error(), "an endpoint on another origin") {
			t.Errorf("%s: %v, want what is wrong with the stream", method, err)
		}
	}
	h := dial(t, Endpoint{URL: url, SSE: true, Header: []string{"X-Key=" + canary}})
	_, err := NewClient(h, Limits{}).Call(t.Context(), "initialize", `{}`)
	if want := "no answer to initialize: the stream names an endpoint on another origin, " + elsewhere + "/take, which was not used"; err == nil || err.Error() != want {
		t.Errorf("HTTP+SSE: %v, want %s", err, want)
	}
	if got := thief.all(); got != nil {
		t.Errorf("the other origin saw %q", got)
	}
}

func TestSecretsAreInNoError(t *testing.T) {
	_, echo := record(t, func(w http.ResponseWriter, r *http.Request, q message) {
		w.Header().Set("Www-Authenticate", "Bearer error="+r.Header.Get("Authorization"))
		w.WriteHeader(401)
		fmt.Fprint(w, r.Header, r.URL)
	})
	host := strings.TrimPrefix(echo, "http://")
	for _, e := range []Endpoint{
		{URL: echo, Bearer: "TOKEN=" + canary},
		{URL: echo, Header: []string{"X-Key=" + canary}},
		{URL: "http://me:" + canary + "@" + host},
		{URL: echo + "/?api_key=" + canary},
		{URL: "http://me:" + canary + "@127.0.0.1:1/" + "?k=" + canary, Bearer: "TOKEN=" + canary},
	} {
		h := dial(t, e)
		_, err := NewClient(h, Limits{}).Call(t.Context(), "tools/list", `{}`)
		if err == nil || strings.Contains(err.Error(), canary) || strings.Contains(h.Place(), canary) {
			t.Errorf("%v at %s", err, h.Place())
		}
	}
}

func TestDialErrorsQuoteNothing(t *testing.T) {
	for _, tt := range []struct {
		e    Endpoint
		want string
	}{
		{Endpoint{URL: "http://[" + canary}, "the URL of the server cannot be read"},
		{Endpoint{URL: "ftp://" + canary}, "the URL of the server does not begin with http:// or https://"},
		{Endpoint{URL: "http:///" + canary}, "the URL of the server names no host"},
		{Endpoint{URL: "http://x", Header: []string{"A=1", canary}}, "header 2 is not of the form NAME=VALUE"},
		{Endpoint{URL: "http://x", Header: []string{"A b=" + canary}}, "header 1 is not of the form NAME=VALUE"},
		{Endpoint{URL: "http://x", Header: []string{"mcp-session-id=" + canary}}, "header 1: Mcp-Session-Id is set by gauntlet itself"},
		{Endpoint{URL: "http://x", Header: []string{"A=" + canary + "\r\nB: c"}}, "header 1: the value of A has a control character"},
		{Endpoint{URL: "http://x", Bearer: "TOKEN="}, "the bearer token is empty or has a control character"},
	} {
		if _, err := Dial(tt.e); err == nil || err.Error() != tt.want {
			t.Errorf("Dial = %v, want %q", err, tt.want)
		}
	}
}

func TestTLSIsVerified(t *testing.T) {
	server := httptest.NewTLSServer(&recorder{next: func(w http.ResponseWriter, _ *http.Request, q message) { answerJSON(w, q, `{}`) }})
	defer server.Close()
	h := dial(t, Endpoint{URL: server.URL})
	if _, err := NewClient(h, Limits{}).Call(t.Context(), "x", `{}`); err == nil || !strings.Contains(err.Error(), "failed to verify certificate") {
		t.Errorf("a certificate by nobody: %v", err)
	}
	known := NewTransport()
	known.TLSClientConfig = server.Client().Transport.(*http.Transport).TLSClientConfig
	defer known.CloseIdleConnections()
	h = dial(t, Endpoint{URL: server.URL, Transport: known})
	if _, err := NewClient(h, Limits{}).Call(t.Context(), "x", `{}`); err != nil {
		t.Errorf("a certificate that is known: %v", err)
	}
}

// A server may ask on the stream of our request before it answers that.
func TestAServersRequestsOnAStreamAreAnswered(t *testing.T) {
	replied := make(chan string, 1)
	_, url := record(t, func(w http.ResponseWriter, r *http.Request, q message) {
		if q.Method == "" {
			replied <- string(q.ID) + string(q.Result)
			w.WriteHeader(202)
			return
		}
		sendEvent(w, `data: {"jsonrpc":"2.0","id":"p","method":"ping"}`)
		sendEvent(w, fmt.Sprintf(`data: {"jsonrpc":"2.0","id":%s,"result":{"got":%q}}`, q.ID, <-replied))
	})
	m, err := NewClient(dial(t, Endpoint{URL: url}), Limits{}).Call(t.Context(), "tools/list", `{}`)
	if want := `{"got":"\"p\"{}"}`; err != nil || m.Result != want {
		t.Errorf("%s, %v, want %s", m.Result, err, want)
	}
}

// The servers of 2025-11-25 may end a stream early, to be asked for the rest, also before its first event.
func TestAStreamIsTakenUpAgain(t *testing.T) {
	var id string
	drops := 0
	s, url := record(t, func(w http.ResponseWriter, r *http.Request, q message) {
		switch {
		case r.Method == http.MethodPost:
			id = string(q.ID)
			sendEvent(w, "id: e1\nretry: 1\ndata:")
		case drops < maxResumes-2:
			drops++
			w.Header().Set("Content-Type", "text/event-stream")
		case r.Header.Get("Last-Event-Id") == "e1":
			sendEvent(w, "id: e2\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"n\"}")
		default:
			sendEvent(w, `data: {"jsonrpc":"2.0","id":`+id+`,"result":{}}`)
		}
	})
	c := NewClient(dial(t, Endpoint{URL: url}), Limits{})
	if _, err := c.Call(t.Context(), "tools/list", `{}`); err != nil {
		t.Fatal(err)
	}
	if got := s.all(); len(got) != 1+maxResumes || !strings.Contains(got[maxResumes], "Last-Event-Id e2") || c.Strays().Notifications != 1 {
		t.Errorf("the server saw %q; strays %+v", got, c.Strays())
	}
}

func TestAStreamIsNotTakenUpForEver(t *testing.T) {
	s, url := record(t, func(w http.ResponseWriter, r *http.Request, q message) { sendEvent(w, "id: e1\nretry: 1\ndata:") })
	_, err := NewClient(dial(t, Endpoint{URL: url}), Limits{}).Call(t.Context(), "tools/list", `{}`)
	if want := "no answer to tools/list: the event stream (HTTP 200 OK) ended without it"; err == nil || err.Error() != want {
		t.Errorf("Call = %v, want %s", err, want)
	}
	if got := len(s.all()); got != 1+maxResumes {
		t.Errorf("%d requests", got)
	}
}

func TestHTTPSSE(t *testing.T) {
	for _, tt := range []struct {
		name string
		get  string // the stream before the first answer
		post int    // status of POSTs
		want string // error of the second call, "" for none
	}{
		{"relative endpoint", "event: endpoint\ndata: ?session=1", 202, ""},
		{"the stream ends", "event: endpoint\ndata: /end", 202, "the server ended its event stream before answering second"},
		{"POSTs are refused", "event: endpoint\ndata: /refuse", 503, "no answer to second: the server answered HTTP 503 Service Unavailable (Retry-After: 9)"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			out := make(chan string)
			_, url := record(t, func(w http.ResponseWriter, r *http.Request, q message) {
				switch {
				case r.Method == http.MethodGet:
					sendEvent(w, tt.get)
					for {
						select {
						case text := <-out:
							if text == "" {
								return
							}
							sendEvent(w, "data: "+text)
						case <-r.Context().Done():
							return
						}
					}
				case r.URL.RawQuery == "" && r.URL.Path == "/sse":
					w.WriteHeader(405)
				case q.Method == "second" && tt.post != 202:
					w.Header().Set("Retry-After", "9")
					w.WriteHeader(tt.post)
				case q.Method == "second" && r.URL.Path == "/end":
					w.WriteHeader(202)
					out <- ""
				default:
					w.WriteHeader(202)
					out <- fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{}}`, q.ID)
				}
			})
			c := NewClient(dial(t, Endpoint{URL: url + "/sse"}), Limits{})
			if _, err := c.Call(t.Context(), "initialize", `{}`); err != nil {
				t.Fatal(err)
			}
			if _, err := c.Call(t.Context(), "second", `{}`); (err == nil) != (tt.want == "") || err != nil && err.Error() != tt.want {
				t.Errorf("second: %v, want %q", err, tt.want)
			}
		})
	}
}

func TestNoHTTPSSE(t *testing.T) {
	for _, tt := range []struct{ name, get, want string }{
		{"another first event", "data: {}", `no answer to initialize: the first event of the stream is of the type "" and not an endpoint`},
		{"no event", ": nothing", "no answer to initialize: the event stream ended without naming an endpoint: the server closed the connection"},
		{"an endpoint that is no URL", "event: endpoint\ndata: http://[", "no answer to initialize: the endpoint that the stream names is no URL"},
		{"never an event", "wait", "no answer to initialize: no event with the endpoint came within 100ms"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, url := record(t, func(w http.ResponseWriter, r *http.Request, q message) {
				sendEvent(w, strings.TrimPrefix(tt.get, "wait"))
				if tt.get == "wait" {
					<-r.Context().Done()
				}
			})
			h := dial(t, Endpoint{URL: url, SSE: true, Grace: 100 * time.Millisecond})
			if _, err := NewClient(h, Limits{}).Call(t.Context(), "initialize", `{}`); err == nil || err.Error() != tt.want {
				t.Errorf("Call = %v, want %q", err, tt.want)
			}
		})
	}
}

func TestListen(t *testing.T) {
	_, url := record(t, func(w http.ResponseWriter, r *http.Request, q message) {
		if r.URL.Path == "/none" {
			w.WriteHeader(405)
			return
		}
		sendEvent(w, `data: {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
		<-r.Context().Done()
	})
	h := dial(t, Endpoint{URL: url})
	if err := h.Listen(t.Context()); err != nil {
		t.Fatal(err)
	}
	if m, err := h.Receive(t.Context()); err != nil || m.Method != "notifications/tools/list_changed" || m.HTTP.Status != 200 {
		t.Errorf("%+v, %v", m, err)
	}
	if err := dial(t, Endpoint{URL: url + "/none"}).Listen(t.Context()); err == nil || err.Error() != "a GET was answered HTTP 405 Method Not Allowed" {
		t.Errorf("Listen = %v", err)
	}
}

// The end of a request's time is seen by the server, and the next request goes on.
func TestARequestThatIsGivenUpIsClosed(t *testing.T) {
	closed := make(chan bool, 1)
	_, url := record(t, func(w http.ResponseWriter, r *http.Request, q message) {
		if q.Method == "hang" {
			<-r.Context().Done()
			closed <- true
			return
		}
		answerJSON(w, q, `{}`)
	})
	c := NewClient(dial(t, Endpoint{URL: url}), Limits{})
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	var none *NoAnswerError
	if _, err := c.Call(ctx, "hang", `{}`); !errors.As(err, &none) || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("hang: %v", err)
	}
	<-closed
	if _, err := c.Call(t.Context(), "next", `{}`); err != nil || c.Strays().Total != 0 {
		t.Errorf("next: %v; strays %+v", err, c.Strays())
	}
}

// What is sent arrives in its order, also where a POST takes long.
func TestANotificationIsAheadOfTheNextRequest(t *testing.T) {
	slow := make(chan bool, 1)
	s, url := record(t, func(w http.ResponseWriter, r *http.Request, q message) {
		if q.Method == "note" {
			<-slow
			w.WriteHeader(500)
			return
		}
		answerJSON(w, q, `{}`)
	})
	c := NewClient(dial(t, Endpoint{URL: url}), Limits{})
	if err := c.Notify(t.Context(), "note", `{}`); err != nil {
		t.Fatal(err)
	}
	slow <- true
	if _, err := c.Call(t.Context(), "ask", `{}`); err != nil {
		t.Fatal(err)
	}
	if got := s.all(); !strings.HasPrefix(got[0], "POST note") || c.Strays().Refused != 1 {
		t.Errorf("the server saw %q; strays %+v", got, c.Strays())
	}
}

func TestCloseWaitsForNobody(t *testing.T) {
	for _, end := range []struct {
		name string
		do   func(*HTTP) error
		want int // requests, with DELETE
	}{{"Close", (*HTTP).Close, 3}, {"Kill", (*HTTP).Kill, 2}} {
		t.Run(end.name, func(t *testing.T) {
			asked := make(chan bool, 2)
			s, url := record(t, func(w http.ResponseWriter, r *http.Request, q message) {
				if q.Method == "initialize" {
					w.Header().Set("Mcp-Session-Id", "s")
					answerJSON(w, q, `{}`)
					return
				}
				asked <- true
				<-r.Context().Done()
			})
			h := dial(t, Endpoint{URL: url, Grace: 50 * time.Millisecond})
			if _, err := NewClient(h, Limits{}).Call(t.Context(), "initialize", `{}`); err != nil {
				t.Fatal(err)
			}
			if err := h.Send(t.Context(), []byte(`{"jsonrpc":"2.0","id":2,"method":"hang"}`)); err != nil {
				t.Fatal(err)
			}
			<-asked
			began := time.Now()
			if err := end.do(h); err != nil || time.Since(began) > 5*time.Second {
				t.Errorf("%v after %v", err, time.Since(began))
			}
			if got := len(s.all()); got != end.want {
				t.Errorf("the server saw %q", s.all())
			}
			if err := h.Send(t.Context(), []byte(`{}`)); !errors.Is(err, ErrClosed) {
				t.Errorf("Send after the end: %v", err)
			}
			if _, err := h.Receive(t.Context()); !errors.Is(err, ErrClosed) {
				t.Errorf("Receive after the end: %v", err)
			}
		})
	}
}

func TestSameOrigin(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{"http://x/a", "http://X:80/b?c", true}, {"https://x", "https://x:443", true}, {"http://[::1]:80", "http://[::1]", true},
		{"http://x", "https://x", false}, {"http://x", "http://x:81", false}, {"http://x", "http://x.y", false}, {"http://localhost", "http://127.0.0.1", false},
	} {
		a, _ := url.Parse(tt.a)
		b, _ := url.Parse(tt.b)
		if sameOrigin(a, b) != tt.want || sameOrigin(b, a) != tt.want {
			t.Errorf("sameOrigin(%s, %s) is not %v", tt.a, tt.b, tt.want)
		}
	}
}
