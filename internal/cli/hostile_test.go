package cli

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"gauntlet/result"
)

// A fault is what a hostile server does instead of answering prompts/list. It sends whole
// messages or parts of one, over stdio as lines and over HTTP as events, and reports whether it
// is to be gone afterwards.
type fault func(id, cursor string, out io.Writer) (gone bool)

var hostileWays = map[string]fault{
	"slow loris": func(id, _ string, out io.Writer) bool {
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for range tick.C {
			if _, err := io.WriteString(out, "["); err != nil {
				break
			}
		}
		return true
	},
	"endless stream": func(_, _ string, out io.Writer) bool {
		for {
			if _, err := io.WriteString(out, strings.Repeat("A", 1<<16)); err != nil {
				return true
			}
		}
	},
	"endless messages": func(_, _ string, out io.Writer) bool {
		for {
			if _, err := io.WriteString(out, note50); err != nil {
				return true
			}
		}
	},
	"100 MB line": func(id, _ string, out io.Writer) bool {
		for range 100 {
			_, _ = io.WriteString(out, strings.Repeat("A", 1<<20))
		}
		_, _ = io.WriteString(out, "\n")
		return false
	},
	"invalid UTF-8": func(id, _ string, out io.Writer) bool {
		fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,"result":{"prompts":[{"name":"p`+"\xff\xc0"+`\ud800"}]}}`+"\n", id)
		return false
	},
	"wrong ids": func(id, _ string, out io.Writer) bool {
		for _, wrong := range []string{"777", `"` + id + `x"`, "null", id + ".5", "1"} {
			fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,"result":{"prompts":[{"name":"fake"}]}}`+"\n", wrong)
		}
		return false
	},
	"duplicate answers": func(id, _ string, out io.Writer) bool {
		for _, name := range []string{"p", "fake", "fake"} {
			fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,"result":{"prompts":[{"name":%q}]}}`+"\n", id, name)
		}
		return false
	},
	"crash between pages": func(id, cursor string, out io.Writer) bool {
		if cursor == "" {
			fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,"result":{"prompts":[{"name":"p"}],"nextCursor":"2"}}`+"\n", id)
		}
		return cursor != ""
	},
	"50,000 notifications": func(id, _ string, out io.Writer) bool {
		for range 1000 {
			_, _ = io.WriteString(out, note50)
		}
		fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,"result":{"prompts":[{"name":"p"}]}}`+"\n", id)
		return false
	},
}

const notUnicode = "the text is not valid Unicode"

var note50 = strings.Repeat(`{"jsonrpc":"2.0","method":"notifications/message","params":{}}`+"\n", 50)

// Each fault of a hostile server ends within its limit, over both transports, with the right
// exit code, everything that was read before it, and nothing left behind.
func TestHostileServers(t *testing.T) {
	ignored := goleak.IgnoreCurrent()
	t.Run("all", func(t *testing.T) { // returns when its parallel tests have ended
		hostileServers(t)
	})
	goleak.VerifyNone(t, ignored)
}

func hostileServers(t *testing.T) {
	const patient = "30s" // for faults that need no wait
	for _, tt := range []struct {
		fault   string
		args    []string
		prompts int // that were read
		code    int
		stdio   string // the problem, its beginning; "" for none
		http    string
	}{
		{fault: "slow loris", code: 2, stdio: "no answer to prompts/list within 3s", http: "no answer to prompts/list within 3s"},
		{fault: "endless stream", args: []string{"--max-message", "1MiB"}, code: 2,
			stdio: "a line of more than 1048576 bytes instead of an answer to prompts/list",
			http:  "no answer to prompts/list: an event of more than 1048576 bytes"},
		{fault: "endless messages", args: []string{"--timeout", patient}, code: 2,
			stdio: "more than 10000 messages came, but no answer to prompts/list",
			http:  "more than 10000 messages came, but no answer to prompts/list"},
		{fault: "100 MB line", args: []string{"--timeout", patient}, code: 2,
			stdio: "no answer to prompts/list: the server sent more than 16777216 bytes",
			http:  "no answer to prompts/list: the server sent more than 16777216 bytes"},
		{fault: "invalid UTF-8", args: []string{"--timeout", patient}, prompts: 1, code: 2, stdio: notUnicode, http: notUnicode},
		{fault: "wrong ids", code: 2,
			stdio: "no answer to prompts/list within 3s (but 3 answers with unknown ids, 1 late answer",
			http:  "no answer to prompts/list but 3 answers with unknown ids, 1 late answer"},
		{fault: "duplicate answers", args: []string{"--timeout", patient}, prompts: 1, code: 2,
			stdio: "it was answered twice under one id, with different content",
			http:  "it was answered twice under one id, with different content"},
		{fault: "crash between pages", args: []string{"--timeout", patient}, prompts: 1, code: 2,
			stdio: "page 2: the server exited with status 7 before answering prompts/list",
			http:  "page 2: no answer to prompts/list"},
		{fault: "50,000 notifications", args: []string{"--timeout", patient}, code: 2,
			stdio: "more than 10000 messages came, but no answer to prompts/list",
			http:  "more than 10000 messages came, but no answer to prompts/list"},
		{fault: "redirect loop", code: 2, http: "no answer to prompts/list: more than 3 redirects"},
		{fault: "gzip bomb", args: []string{"--max-message", "1MiB", "--timeout", patient}, code: 2, http: "no answer to prompts/list: a body of more than 1048576 bytes"},
	} {
		for _, way := range []struct{ name, problem string }{{"stdio", tt.stdio}, {"http", tt.http}} {
			if way.problem == "" && tt.code != 0 {
				continue // this transport has no such thing
			}
			t.Run(tt.fault+", "+way.name, func(t *testing.T) {
				t.Parallel()
				server, gone := hostile(t, way.name, tt.fault)
				const total = time.Minute
				args := append([]string{"--timeout", "3s", "--total-timeout", total.String()}, tt.args...)
				began := time.Now()
				code, out, stderr := runMain(t, os.Environ(), append(append([]string{"scan", "--format", "json", "--fail-on", "none"}, args...), server...)...)
				if took := time.Since(began); took > total {
					t.Errorf("took %v, which is more than --total-timeout", took)
				}
				gone()
				r := new(result.Report)
				if err := json.Unmarshal([]byte(out), r); err != nil {
					t.Fatalf("%v: %s%s", err, out, stderr)
				}
				if code != tt.code {
					t.Errorf("exit code %d, want %d: %+v", code, tt.code, r.Problems)
				}
				lists := r.Coverage.Servers[0].Lists // server, tools, prompts, …
				if lists[1].Items != 1 || lists[2].Items != tt.prompts {
					t.Errorf("%d tools and %d prompts were kept, want 1 and %d", lists[1].Items, lists[2].Items, tt.prompts)
				}
				if way.problem != "" && way.problem != notUnicode {
					way.problem = `prompts/list could not be captured: "` + way.problem
				}
				if (len(r.Problems) == 0) != (way.problem == "") || way.problem != "" && !strings.HasPrefix(r.Problems[0].Message, way.problem) {
					t.Errorf("problems %+v, want first %q", r.Problems, way.problem)
				}
				found := false
				for _, f := range r.Findings {
					found = found || f.Rule == "SEC-001"
				}
				if !found {
					t.Error("the poisoned tool was lost")
				}
			})
		}
	}
}

// hostile starts nothing itself over stdio: it returns the arguments that make scan do so,
// and a check that the server has gone.
func hostile(t *testing.T, way, name string) (args []string, gone func()) {
	t.Helper()
	if way == "http" {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { hostileWeb(w, r, name) }))
		return []string{server.URL + "/mcp"}, func() { server.CloseClientConnections(); server.Close() }
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	program, pidFile := filepath.Join(dir, "mcpserver"), filepath.Join(dir, "pid")
	if err := os.Symlink(self, program); err != nil {
		t.Skip("no symbolic links here: ", err)
	}
	return []string{"--env", "PIDFILE=" + pidFile, "--env", "GOCOVERDIR=" + dir, "--", program, "fault " + name}, func() {
		text, err := os.ReadFile(pidFile)
		pid, convErr := strconv.Atoi(string(text))
		if err != nil || convErr != nil {
			t.Fatal(err, convErr)
		}
		if p, err := os.FindProcess(pid); err == nil && p.Signal(syscall.Signal(0)) == nil {
			t.Errorf("process %d still runs", pid)
		}
	}
}

// hostileWeb is the hostile server over HTTP.
func hostileWeb(w http.ResponseWriter, r *http.Request, name string) {
	var q struct {
		ID     json.RawMessage
		Method string
		Params struct{ Cursor string }
	}
	body, _ := io.ReadAll(r.Body)
	_ = json.Unmarshal(body, &q)
	r.Body = io.NopCloser(strings.NewReader(string(body)))
	switch {
	case q.Method == "tools/list":
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, q.ID, tools(poison))
	case q.Method == "initialize": // what is undeclared has three seconds, which a busy machine may need for 64 MB
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, q.ID, strings.Replace(honest[q.Method], `"tools":{}`, `"tools":{},"prompts":{}`, 1))
	case q.Method != "prompts/list" || q.ID == nil:
		web(w, r)
	case name == "redirect loop":
		http.Redirect(w, r, "/mcp", http.StatusTemporaryRedirect)
	case name == "gzip bomb":
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		for range 100 {
			_, _ = z.Write(make([]byte, 1<<20))
		}
		_ = z.Close()
	default:
		w.Header().Set("Content-Type", "text/event-stream")
		if hostileWays[name](string(q.ID), q.Params.Cursor, events{w, new(bool)}) {
			c, _, err := w.(http.Hijacker).Hijack()
			if err == nil {
				c.Close()
			}
		}
	}
}

// events makes an event of each line.
type events struct {
	w      http.ResponseWriter
	inside *bool // an event has begun
}

func (e events) Write(b []byte) (int, error) {
	for line := range strings.Lines(string(b)) {
		if !*e.inside {
			line = "data: " + line
		}
		*e.inside = !strings.HasSuffix(line, "\n")
		if !*e.inside {
			line += "\n"
		}
		if _, err := io.WriteString(e.w, line); err != nil {
			return 0, err
		}
	}
	e.w.(http.Flusher).Flush()
	return len(b), nil
}
