package mcpclient

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"gauntlet/internal/runtime/wire"
)

// canary is what the user gave for the server's eyes only.
const canary = "canary-7f3a9c51e8"

// webServer answers as the scripted servers on stdio do, over HTTP. do may take a request;
// where it returns false the honest answer follows.
type webServer struct {
	sse bool // answers come as event streams
	do  func(w http.ResponseWriter, r *http.Request, q request) bool

	mu   sync.Mutex
	seen []string // "METHOD method", and headers worth a look
}

func (s *webServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var q request
	body, _ := io.ReadAll(r.Body)
	_ = json.Unmarshal(body, &q)
	s.mu.Lock()
	s.seen = append(s.seen, strings.TrimSpace(r.Method+" "+q.Method))
	s.mu.Unlock()
	if s.do != nil && s.do(w, r, q) {
		return
	}
	if r.Method != http.MethodPost {
		http.Error(w, "no", http.StatusMethodNotAllowed)
		return
	}
	if q.ID == nil {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	reply(w, s.sse, honestAnswer(q))
}

func (s *webServer) count(what string) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, seen := range s.seen {
		if seen == what {
			n++
		}
	}
	return n
}

// honestAnswer is what the honest server on stdio says.
func honestAnswer(q request) string {
	var text bytes.Buffer
	s := newServer(&text)
	s.honest(q)
	return strings.TrimSpace(text.String())
}

func reply(w http.ResponseWriter, sse bool, messages ...string) {
	if !sse {
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, messages[0])
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	for _, m := range messages {
		fmt.Fprintf(w, "event: message\ndata: %s\n\n", m)
		w.(http.Flusher).Flush()
	}
}

func result(q request, text string) string {
	return `{"jsonrpc":"2.0","id":` + string(q.ID) + `,"result":` + text + `}`
}

// at takes requests for one page.
func at(method, cursor string, do func(w http.ResponseWriter, r *http.Request, q request)) func(http.ResponseWriter, *http.Request, request) bool {
	return func(w http.ResponseWriter, r *http.Request, q request) bool {
		if !q.is(method, cursor) {
			return false
		}
		do(w, r, q)
		return true
	}
}

// always answers everything like this.
func always(do func(w http.ResponseWriter, r *http.Request)) func(http.ResponseWriter, *http.Request, request) bool {
	return func(w http.ResponseWriter, r *http.Request, _ request) bool {
		do(w, r)
		return true
	}
}

func status(code int, kind, body string) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", kind)
		w.WriteHeader(code)
		io.WriteString(w, body)
	}
}

// endless writes text until the client has gone.
func endless(kind, text string) func(http.ResponseWriter, *http.Request, request) {
	return func(w http.ResponseWriter, r *http.Request, _ request) {
		w.Header().Set("Content-Type", kind)
		for r.Context().Err() == nil {
			if _, err := io.WriteString(w, text); err != nil {
				return
			}
		}
	}
}

// raw answers with the connection itself.
func raw(do func(c io.Writer)) func(http.ResponseWriter, *http.Request, request) {
	return func(w http.ResponseWriter, r *http.Request, _ request) {
		c, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			panic(err)
		}
		defer c.Close()
		do(c)
	}
}

// untilGone keeps a request open until the client gives it up.
func untilGone(w http.ResponseWriter, r *http.Request) {
	w.(http.Flusher).Flush()
	<-r.Context().Done()
}

func zipped(n int) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	chunk := bytes.Repeat([]byte(" "), 1<<20)
	for range n {
		z.Write(chunk)
	}
	z.Close()
	return b.Bytes()
}

func TestHostileHTTP(t *testing.T) {
	const patient = 20 * time.Second // for servers that answer: never waited for in full
	const all = "3 3 3 3"
	bomb := zipped(100)
	padded := func(n int) string { return strings.Repeat(" ", n) }
	second := func(do func(w http.ResponseWriter, r *http.Request, q request)) func(http.ResponseWriter, *http.Request, request) bool {
		return at("tools/list", "two", do)
	}
	plain := func(do func(http.ResponseWriter, *http.Request)) func(http.ResponseWriter, *http.Request, request) {
		return func(w http.ResponseWriter, r *http.Request, _ request) { do(w, r) }
	}
	for _, tt := range []struct {
		name    string
		do      func(http.ResponseWriter, *http.Request, request) bool
		sse     bool
		timeout time.Duration
		limits  wire.Limits
		counts  string   // items of tools, prompts, resources, templates; - is absent
		fails   string   // the whole error, PLACE for the server's address
		gaps    []string // what stands in Errors, each "method: part of the message"
	}{
		{name: "honest", counts: all},
		{name: "honest, event streams", sse: true, counts: all},

		// Slow ones.
		{name: "slow head", do: at("initialize", "", raw(func(c io.Writer) { drip(c, "HTTP/1.1 200 OK\r\nX: ") })), timeout: small, fails: "no answer to initialize within 3s"},
		{name: "slow body", do: second(raw(func(c io.Writer) {
			drip(c, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 9999\r\n\r\n{")
		})), timeout: small, counts: "1 3 3 3", gaps: []string{"tools/list: page 2: no answer to tools/list within 3s"}},
		{name: "slow event", do: second(raw(func(c io.Writer) {
			drip(c, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: {")
		})), timeout: small, counts: "1 3 3 3", gaps: []string{"tools/list: page 2: no answer to tools/list within 3s"}},
		{name: "silent stream", sse: true, do: second(func(w http.ResponseWriter, r *http.Request, _ request) {
			w.Header().Set("Content-Type", "text/event-stream")
			untilGone(w, r)
		}), timeout: small, counts: "1 3 3 3", gaps: []string{"tools/list: page 2: no answer to tools/list within 3s"}},
		{name: "a refusal whose body never ends", do: second(func(w http.ResponseWriter, r *http.Request, _ request) {
			w.WriteHeader(500)
			io.WriteString(w, "oops")
			untilGone(w, r)
		}), timeout: patient, counts: "1 3 3 3", gaps: []string{`tools/list: page 2: no answer to tools/list: the server answered HTTP 500 Internal Server Error: "oops"`}},

		// Much.
		{name: "endless comments", do: second(endless("text/event-stream", ": tick\n\n")), limits: wire.Limits{Total: 8 << 20}, counts: "1 - - -", gaps: []string{
			"tools/list: page 2: no answer to tools/list: the server sent more than 8388608 bytes", "prompts/list: not asked: the server sent more than 8388608 bytes", "resources/list: not asked", "resources/templates/list: not asked"}},
		{name: "endless events", do: second(endless("text/event-stream", "data: {\"jsonrpc\":\"2.0\",\"method\":\"n\"}\n\n")), counts: "1 3 3 3", gaps: []string{"tools/list: page 2: more than 10000 messages came, but no answer to tools/list"}},
		{name: "endless JSON", do: second(endless("application/json", "[")), limits: wire.Limits{Message: 1 << 20}, counts: "1 3 3 3", gaps: []string{"tools/list: page 2: no answer to tools/list: a body of more than 1048576 bytes"}},
		{name: "100 MB line", do: second(func(w http.ResponseWriter, _ *http.Request, _ request) {
			w.Header().Set("Content-Type", "text/event-stream")
			io.WriteString(w, "data: ")
			for range 100 {
				io.WriteString(w, padded(1<<20))
			}
			io.WriteString(w, "\n\n")
		}), counts: "1 3 3 3", gaps: []string{"tools/list: page 2: no answer to tools/list: an event of more than 67108864 bytes"}},
		{name: "100 MB promised", do: second(func(w http.ResponseWriter, _ *http.Request, _ request) {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Content-Length", "104857600")
			io.WriteString(w, "{")
		}), counts: "1 3 3 3", gaps: []string{"tools/list: page 2: no answer to tools/list: a body of more than 67108864 bytes"}},
		{name: "gzip bomb", do: second(func(w http.ResponseWriter, _ *http.Request, _ request) {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Content-Encoding", "gzip")
			w.Write(bomb)
		}), limits: wire.Limits{Message: 1 << 20}, counts: "1 3 3 3", gaps: []string{"tools/list: page 2: no answer to tools/list: a body of more than 1048576 bytes"}},
		{name: "gzip bomb in the total", do: second(func(w http.ResponseWriter, _ *http.Request, _ request) {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Content-Encoding", "gzip")
			w.Write(bomb)
		}), limits: wire.Limits{Total: 50 << 20}, counts: "1 - - -", gaps: []string{"tools/list: page 2: no answer to tools/list: the server sent more than 52428800 bytes", "prompts/list: not asked", "resources/list: not asked", "resources/templates/list: not asked"}},
		{name: "an encoding nobody asked for", do: second(func(w http.ResponseWriter, _ *http.Request, _ request) {
			w.Header().Set("Content-Encoding", "br")
		}), counts: "1 3 3 3", gaps: []string{`tools/list: page 2: no answer to tools/list: the answer has the content encoding "br", which we did not ask for`}},
		{name: "50,000 notifications", do: second(func(w http.ResponseWriter, _ *http.Request, q request) {
			w.Header().Set("Content-Type", "text/event-stream")
			io.WriteString(w, strings.Repeat("data: {\"jsonrpc\":\"2.0\",\"method\":\"n\"}\n\n", 50_000)+"data: "+honestAnswer(q)+"\n\n")
		}), counts: "1 3 3 3", gaps: []string{"tools/list: page 2: more than 10000 messages came, but no answer to tools/list"}},
		{name: "50,000 notifications allowed", do: second(func(w http.ResponseWriter, _ *http.Request, q request) {
			w.Header().Set("Content-Type", "text/event-stream")
			io.WriteString(w, strings.Repeat("data: {\"jsonrpc\":\"2.0\",\"method\":\"n\"}\n\n", 50_000)+"data: "+honestAnswer(q)+"\n\n")
		}), limits: wire.Limits{Strays: 60_000}, counts: all},
		{name: "huge head", do: second(func(w http.ResponseWriter, _ *http.Request, _ request) {
			w.Header().Set("X-Huge", strings.Repeat("x", 1<<20))
		}), counts: "1 3 3 3", gaps: []string{"tools/list: page 2: no answer to tools/list: net/http: HTTP/1.x transport connection broken: net/http: server response headers exceeded 65536 bytes"}},

		// Broken ones.
		{name: "reset in the body", do: second(raw(func(c io.Writer) {
			io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 9999\r\n\r\n{\"jsonrpc\"")
		})), counts: "1 3 3 3", gaps: []string{"tools/list: page 2: no answer to tools/list: the server closed the connection"}},
		{name: "reset in an event", do: second(raw(func(c io.Writer) {
			io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n9\r\ndata: {}\n\r\n")
		})), counts: "1 3 3 3", gaps: []string{"tools/list: page 2: no answer to tools/list: the event stream broke off: the server closed the connection"}},
		{name: "no HTTP", do: second(raw(func(c io.Writer) { io.WriteString(c, "SSH-2.0-x\x1b[2J\r\n") })), counts: "1 3 3 3", gaps: []string{`tools/list: page 2: no answer to tools/list: net/http: HTTP/1.x transport connection broken: malformed HTTP`}},
		{name: "closed at once", do: at("initialize", "", raw(func(io.Writer) {})), fails: "no answer to initialize: the server closed the connection"},
		{name: "invalid UTF-8", do: at("tools/list", "", func(w http.ResponseWriter, _ *http.Request, q request) {
			reply(w, true, result(q, "{\"tools\":[{\"name\":\"a\xff\\ud800\"}]}"))
		}), counts: "1 3 3 3"},
		{name: "wrong ids", do: second(func(w http.ResponseWriter, _ *http.Request, q request) {
			reply(w, false, `{"jsonrpc":"2.0","id":777,"result":{"tools":[{"name":"fake"}]}}`)
		}), counts: "1 3 3 3", gaps: []string{"tools/list: page 2: no answer to tools/list but 1 answer with an unknown id: the answer (HTTP 200 OK) ended without it"}},
		{name: "wrong ids, then the answer", do: second(func(w http.ResponseWriter, _ *http.Request, q request) {
			reply(w, true, `{"jsonrpc":"2.0","id":777,"result":{"tools":[{"name":"fake"}]}}`, honestAnswer(q))
		}), counts: all},
		{name: "duplicate answers", sse: true, do: second(func(w http.ResponseWriter, _ *http.Request, q request) {
			reply(w, true, honestAnswer(q), result(q, `{"tools":[{"name":"fake"}]}`), honestAnswer(q))
		}), counts: all, gaps: []string{"tools/list: it was answered twice under one id, with different content"}},
		{name: "the same answer twice", sse: true, do: second(func(w http.ResponseWriter, _ *http.Request, q request) {
			reply(w, true, honestAnswer(q), honestAnswer(q))
		}), counts: all},
		{name: "a batch", do: at("tools/list", "", func(w http.ResponseWriter, _ *http.Request, q request) {
			reply(w, false, `[{"jsonrpc":"2.0","method":"n"}, `+result(q, `{"tools":[{"name":"batched"}]}`)+`]`)
		}), counts: "1 3 3 3"},
		{name: "a stream without the answer", do: second(func(w http.ResponseWriter, _ *http.Request, _ request) {
			reply(w, true, `{"jsonrpc":"2.0","method":"n"}`, "hello")
		}), counts: "1 3 3 3", gaps: []string{"tools/list: page 2: no answer to tools/list but 1 notification, 1 line that is no message (\"hello\": neither a JSON object nor a batch): the event stream (HTTP 200 OK) ended without it"}},
		{name: "an event of another type", do: second(func(w http.ResponseWriter, _ *http.Request, q request) {
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprintf(w, "event: hidden\ndata: %s\n\n", honestAnswer(q))
		}), counts: "1 3 3 3", gaps: []string{`tools/list: page 2: no answer to tools/list but 1 line that is no message ("{"jsonrpc":"2.0","id":4,"result":{"tools":[{"name": "t2", "inputSchema":{"type":"object"}, "n":1.0}],"nextCursor":"thr\u0065e"}}": an event of the type "hidden"): the event stream`}},
		{name: "SSE without a final line end", do: second(func(w http.ResponseWriter, _ *http.Request, q request) {
			w.Header().Set("Content-Type", "text/event-stream")
			io.WriteString(w, "data: "+honestAnswer(q))
		}), counts: all},
		{name: "SSE with CR", do: second(func(w http.ResponseWriter, _ *http.Request, q request) {
			w.Header().Set("Content-Type", "text/event-stream")
			io.WriteString(w, "event: message\rdata: "+honestAnswer(q)+"\r\r")
		}), counts: all},
		{name: "SSE with CRLF and comments", do: second(func(w http.ResponseWriter, _ *http.Request, q request) {
			w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
			io.WriteString(w, ": hi\r\nid: 1\r\ndata:\r\n\r\ndata: "+strings.Replace(honestAnswer(q), ",", ",\r\ndata: ", 1)+"\r\n\r\n")
		}), counts: all},

		// Statuses and types.
		{name: "wrong content type", do: second(func(w http.ResponseWriter, r *http.Request, q request) {
			status(200, "text/plain", honestAnswer(q))(w, r)
		}), counts: "1 3 3 3", gaps: []string{`tools/list: page 2: no answer to tools/list: the answer (HTTP 200 OK) has the content type "text/plain" and not application/json or text/event-stream: "{"jsonrpc"`}},
		{name: "HTML page", do: always(status(200, "text/html", "<html>\n  <body>\x1b[2JWelcome")), fails: `no answer to initialize: the answer (HTTP 200 OK) has the content type "text/html" and not application/json or text/event-stream: "<html> <body>\x1b[2JWelcome"`},
		{name: "HTML error page", do: second(plain(status(502, "text/html", "<html>Bad\ngateway"))), counts: "1 3 3 3", gaps: []string{`tools/list: page 2: no answer to tools/list: the server answered HTTP 502 Bad Gateway: "<html>Bad gateway"`}},
		{name: "empty 200", do: second(plain(status(200, "application/json", " \n"))), counts: "1 3 3 3", gaps: []string{"tools/list: page 2: no answer to tools/list: the body of the answer (HTTP 200 OK) is empty"}},
		{name: "202 for a request", do: second(func(w http.ResponseWriter, _ *http.Request, _ request) { w.WriteHeader(202) }), counts: "1 3 3 3", gaps: []string{"tools/list: page 2: no answer to tools/list: the answer (HTTP 202 Accepted) has neither a content type nor a body"}},
		{name: "not JSON", do: second(plain(status(200, "application/json", "oops"))), counts: "1 3 3 3", gaps: []string{`tools/list: page 2: no answer to tools/list: the body of the answer (HTTP 200 OK) is no JSON-RPC message: neither a JSON object nor a batch: "oops"`}},
		{name: "401", do: always(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="https://x/"`)
			status(401, "application/json", `{"error":"invalid_token"}`)(w, r)
		}), fails: `no answer to initialize: the server answered HTTP 401 Unauthorized (Www-Authenticate: Bearer resource_metadata="https://x/"): "{"error":"invalid_token"}"`},
		{name: "403 that repeats what it was given", do: always(func(w http.ResponseWriter, r *http.Request) {
			status(403, "text/plain", "no entry for "+r.Header.Get("X-Key")+" and "+r.Header.Get("Authorization"))(w, r)
		}), fails: `no answer to initialize: the server answered HTTP 403 Forbidden: "no entry for [X-Key] and Bearer [TOKEN]"`},
		{name: "an error that is cut inside the token", do: second(func(w http.ResponseWriter, r *http.Request, q request) {
			status(200, "application/json", `{"jsonrpc":"2.0","id":`+string(q.ID)+`,"error":{"code":1,"message":"`+strings.Repeat("x", 290)+r.Header.Get("X-Key")+`"}}`)(w, r)
		}), counts: "1 3 3 3", gaps: []string{`tools/list: page 2: the server answered tools/list with error 1: "` + strings.Repeat("x", 290) + `[X-Key]"`}},
		{name: "noise that is cut inside the token", do: second(func(w http.ResponseWriter, r *http.Request, q request) {
			reply(w, true, strings.Repeat("x", 490)+r.Header.Get("X-Key"), honestAnswer(q))
		}), counts: all},
		{name: "404", do: always(status(404, "text/plain", "404 page not found")), fails: `no answer to initialize: the server answered HTTP 404 Not Found: "404 page not found"`},
		{name: "500 with JSON-RPC", do: second(func(w http.ResponseWriter, r *http.Request, q request) {
			status(500, "application/json", `{"jsonrpc":"2.0","id":`+string(q.ID)+`,"error":{"code":-32603,"message":"broken"}}`)(w, r)
		}), counts: "1 3 3 3", gaps: []string{`tools/list: page 2: the server answered tools/list with error -32603: "broken" (HTTP 500 Internal Server Error)`}},
		{name: "400 with JSON-RPC and no id", do: second(plain(status(400, "application/json", `{"jsonrpc":"2.0","error":{"code":-32000,"message":"Bad Request"},"id":null}`))),
			counts: "1 3 3 3", gaps: []string{`tools/list: page 2: the server answered tools/list with error -32000: "Bad Request" (HTTP 400 Bad Request)`}},

		// Redirects.
		{name: "redirect loop", do: always(func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/again", http.StatusTemporaryRedirect)
		}), fails: "no answer to initialize: more than 3 redirects, the last one to PLACE/again"},
		{name: "redirect to nowhere", do: always(func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(301) }), fails: "no answer to initialize: a redirect (HTTP 301) to nowhere"},
		{name: "redirect to another origin", do: always(func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://user:pw@evil.example:81/x?token="+r.Header.Get("X-Key"), http.StatusPermanentRedirect)
		}), fails: "no answer to initialize: a redirect to another origin, http://evil.example:81/x, was not followed; if it is right, name that URL instead"},
		{name: "redirect inside the origin", do: func(w http.ResponseWriter, r *http.Request, _ request) bool {
			if r.URL.Path != "/mcp/" {
				http.Redirect(w, r, "/mcp/", http.StatusTemporaryRedirect)
				return true
			}
			return false
		}, counts: all},

		// Sessions.
		{name: "another session", do: func(w http.ResponseWriter, r *http.Request, q request) bool {
			w.Header().Set("Mcp-Session-Id", map[bool]string{true: "one", false: "two"}[q.Method == "initialize"])
			return false
		}, counts: all, gaps: []string{"tools/list: the answer's Mcp-Session-Id differs from initialize's", "prompts/list: ", "resources/list: ", "resources/templates/list: "}},
		{name: "a session that cannot be sent back", do: func(w http.ResponseWriter, r *http.Request, q request) bool {
			w.Header().Set("Mcp-Session-Id", "a b")
			return false
		}, counts: all, gaps: []string{"initialize: the Mcp-Session-Id is not visible ASCII or too long; it was not taken", "tools/list: the answer's Mcp-Session-Id differs from initialize's", "prompts/list: ", "resources/list: ", "resources/templates/list: "}},
		{name: "the session ends", do: func(w http.ResponseWriter, r *http.Request, q request) bool {
			w.Header().Set("Mcp-Session-Id", "one")
			if q.is("tools/list", "two") {
				status(404, "application/json", `{"jsonrpc":"2.0","error":{"code":-32001,"message":"Session not found"},"id":null}`)(w, r)
				return true
			}
			return false
		}, counts: "1 3 3 3", gaps: []string{"tools/list: page 2: no answer to tools/list: the server answered HTTP 404 Not Found, also in a session that it had just begun"}},

		// Lists.
		{name: "cursor loop", do: at("tools/list", "three", func(w http.ResponseWriter, _ *http.Request, q request) {
			reply(w, false, result(q, `{"tools":[{"name":"t3"}],"nextCursor":"two"}`))
		}), counts: all, gaps: []string{`tools/list: page 3: the cursor "two" came a second time; the list would never end`}},
		{name: "endless list", do: func(w http.ResponseWriter, r *http.Request, q request) bool {
			if q.Method != "tools/list" {
				return false
			}
			reply(w, true, result(q, fmt.Sprintf(`{"tools":[{"name":"t"}],"nextCursor":"c%s"}`, q.ID)))
			return true
		}, counts: "7 3 3 3", gaps: []string{"tools/list: more than 7 pages; the rest was not read"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if tt.timeout == 0 {
				tt.timeout = patient
			}
			url := listen(t, &webServer{sse: tt.sse, do: tt.do})
			h := dial(t, wire.Endpoint{URL: url + "/mcp", Limits: tt.limits, Header: []string{"X-Key=" + canary}, Bearer: "TOKEN=bearer-" + canary})
			began := time.Now()
			s, err := Capture(t.Context(), h, Options{Timeout: tt.timeout, Pages: 7, Limits: tt.limits, Redact: h.Redact})
			if took := time.Since(began); took > patient { // which the timeout would have ended
				t.Errorf("took %v", took)
			}
			if tt.fails != "" {
				// What answers an earlier question may come while a later one waits, and is told then.
				if want := strings.ReplaceAll(tt.fails, "PLACE", url); err == nil || strings.TrimSuffix(err.Error(), " (but 1 late answer)") != want {
					t.Fatalf("Capture = %v, want the error %q", err, want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := counts(s); got != tt.counts {
				t.Errorf("items %q, want %q", got, tt.counts)
			}
			wantGaps(t, s, tt.gaps)
			readsBack(t, s)
			if bytes.Contains(s.Bytes(), []byte(canary[:8])) {
				t.Errorf("the canary is in the snapshot:\n%s", s.Bytes())
			}
		})
	}
}

// drip writes text and then a byte at a time for ever, until the client has gone.
func drip(c io.Writer, text string) {
	io.WriteString(c, text)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for range tick.C {
		if _, err := io.WriteString(c, "x"); err != nil {
			return
		}
	}
}
