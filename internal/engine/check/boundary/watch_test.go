package boundary

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"gauntlet/rawjson"
	"gauntlet/trace"
	"gauntlet/trust"
)

// A Watch keeps back the calls of which SEC-060 says afterwards that something crossed in
// them, and no others.
func TestWatchIsTheCheck(t *testing.T) {
	blocked := 0
	for seed := range uint64(300) {
		r := newRecording(t)
		rnd := rand.New(rand.NewPCG(seed, 3))
		randomTalk(r, rnd)
		b := trust.Boundary{Limits: trust.Limits{MinLength: 4, Producers: 1000, Findings: 1 << 30}}
		if seed%2 == 1 {
			b.Flows = []trust.Flow{{From: trust.Name{Text: "a"}, To: trust.Name{Text: "b"}}}
			b.Sanitizers = []trust.Name{{Text: "t"}}
		}
		f := findFlows(&r.trace, b, readCalls(&r.trace, b.Sanitizers))
		want := map[int]bool{}
		for _, x := range f.crossed {
			want[x.to] = true
		}
		w := NewWatch(b)
		places := map[int]int{}
		for i := range r.trace.Messages {
			m := &r.trace.Messages[i]
			at, ok := f.log.at[m.Seq]
			if !ok {
				continue
			}
			var tree rawjson.Tree
			content, err := m.Content(&tree)
			if err != nil {
				t.Fatal(err)
			}
			if i == f.log.calls[at].result {
				if err := w.learnAnswer(places[at], map[trace.Kind]string{trace.Response: "result", trace.Error: "error"}[m.Kind], content.Raw()); err != nil {
					t.Fatal(err)
				}
				continue
			}
			var why string
			if places[at], why = w.judgeMessage(&trace.Message{Server: m.Server, Kind: m.Kind, Method: m.Method, Raw: m.Raw}); (why != "") != want[at] {
				t.Fatalf("seed %d, message %d: %q, want it kept back: %v", seed, m.Seq, why, want[at])
			}
			if why != "" {
				blocked++
			}
		}
	}
	if blocked < 300 {
		t.Errorf("only %d calls kept back: the traces are too dull to show anything", blocked)
	}
}

// asks makes a call with its answer and returns why it was kept back.
func asks(t *testing.T, w *Watch, server, tool, argument, result string) error {
	t.Helper()
	answered, err := w.Asks(server, "tools/call", `{"name":`+quoted(tool)+`,"arguments":{"x":`+quoted(argument)+`}}`)
	if err != nil {
		return err
	}
	return answered("result", `{"content":[{"type":"text","text":`+quoted(result)+`}]}`)
}

func TestWatchSanitizer(t *testing.T) {
	name := func(s string) trust.Name { return trust.Name{Text: s} }
	w := NewWatch(trust.Boundary{Flows: []trust.Flow{{From: name("web"), To: name("db")}}, Sanitizers: []trust.Name{name("clean.sanitize")}})
	if err := asks(t, w, "web", "fetch", "https://a.example", "text of a hostile page"); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ server, want string }{
		{"db", "required_sanitizers: it did not pass clean.sanitize"},
		{"mail", `fetch of server "web" returned "text of a hostile page", and it appears in this message (/params/arguments/x); allowed_flows: none from "web" to "mail"`},
		{"web", ""},
	} {
		switch err := asks(t, w, tt.server, "go", "is text of a hostile page", ""); {
		case tt.want == "" && err != nil, tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
			t.Errorf("raw to %s: %v, want %q", tt.server, err, tt.want)
		}
	}
	if err := asks(t, w, "clean", "sanitize", "text of a hostile page", "text of an honest page"); err != nil {
		t.Errorf("to the sanitizer: %v", err)
	}
	if err := asks(t, w, "db", "query", "text of an honest page", ""); err != nil {
		t.Errorf("by way of the sanitizer: %v", err)
	}
	if err := asks(t, w, "db", "query", "text of a hostile page", ""); err == nil || !strings.Contains(err.Error(), "clean.sanitize received it, but what is sent here is not its output") {
		t.Errorf("around the sanitizer: %v", err)
	}
}

// What a schema lists may be said to its tool.
func TestWatchKnowsListedValues(t *testing.T) {
	w := NewWatch(trust.Boundary{})
	listed, err := w.Asks("db", "tools/list", "{}")
	if err != nil {
		t.Fatal(err)
	}
	if err := listed("result", `{"tools":[{"name":"query","inputSchema":{"properties":{"x":{"enum":["read_uncommitted_rows"]}}}}]}`); err != nil {
		t.Fatal(err)
	}
	if err := asks(t, w, "web", "fetch", "", "read_uncommitted_rows"); err != nil {
		t.Fatal(err)
	}
	if err := asks(t, w, "db", "query", "read_uncommitted_rows", ""); err != nil {
		t.Errorf("a value of the schema: %v", err)
	}
	if err := asks(t, w, "db", "other", "read_uncommitted_rows", ""); err == nil {
		t.Error("a value of another tool's schema passed")
	}
}

func TestWatchClaims(t *testing.T) {
	name := trust.Name{Text: "elicitation"}
	for _, tt := range []struct {
		what   string
		set    *trust.Negotiation
		claims string
		want   string
	}{
		{"within", &trust.Negotiation{Negotiated: []trust.Name{name}, Declared: true}, `{"elicitation":{"form":{}}}`, ""},
		{"beyond", &trust.Negotiation{Negotiated: []trust.Name{name}, Declared: true}, `{"elicitation":{"url":{}},"sampling":{}}`, `claims "elicitation.url", "sampling"`},
		{"beyond an empty set", &trust.Negotiation{Declared: true}, `{"roots":{}}`, `claims "roots"`},
		{"no set", &trust.Negotiation{}, `{"roots":{}}`, ""},
		{"nothing declared", nil, `{"roots":{}}`, ""},
		{"an earlier target", &trust.Negotiation{Declared: true, Target: trust.Name{Text: "2025-11-25"}}, `{"roots":{}}`, ""},
		{"no JSON", &trust.Negotiation{Declared: true}, `{`, "cannot be read"},
	} {
		err := NewWatch(trust.Boundary{Negotiation: tt.set}).Claims(tt.claims)
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s: %v, want %q", tt.what, err, tt.want)
		}
	}
}

// A server that fills the memory stops the conversation; nothing slips by.
func TestWatchFull(t *testing.T) {
	w := NewWatch(trust.Boundary{})
	w.most = 100_000
	if err := asks(t, w, "web", "fetch", "", "text of a hostile page"); err != nil {
		t.Fatal(err)
	}
	full := false
	for n := 0; n < 1000 && !full; n++ {
		full = asks(t, w, "web", "fetch", "", fmt.Sprintf("%0300d filler", n)) != nil
	}
	if !full {
		t.Fatal("it took everything")
	}
	if err := asks(t, w, "mail", "send", "text of a hostile page", ""); err == nil {
		t.Error("a value passed once the memory was full")
	}
	if w.spent > 2*w.most {
		t.Errorf("%d bytes spent, the limit is %d", w.spent, w.most)
	}
}

// The cost of a call: a result of 2 KB, and arguments of 200 bytes.
func BenchmarkWatch(b *testing.B) {
	w := NewWatch(trust.Boundary{})
	w.most = 1 << 40
	noise := func(n int) string {
		var b strings.Builder
		for b.Len() < n {
			fmt.Fprintf(&b, "%016x", rand.Uint64())
		}
		return b.String()
	}
	for b.Loop() {
		answered, err := w.Asks("web", "tools/call", `{"name":"fetch","arguments":{"x":"`+noise(200)+`"}}`)
		if err == nil {
			err = answered("result", `{"content":[{"type":"text","text":"`+noise(2000)+`"}]}`)
		}
		if err != nil {
			b.Fatal(err)
		}
	}
}

// What many short values take, beside what the Watch believes. For -benchtime 1x.
func BenchmarkWatchMemory(b *testing.B) {
	for b.Loop() {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		w := NewWatch(trust.Boundary{})
		for n := range 100_000 {
			answered, err := w.Asks("web", "tools/call", `{"name":"fetch"}`)
			if err == nil {
				err = answered("result", fmt.Sprintf(`{"text":"%x-%d"}`, rand.Uint64(), n))
			}
			if err != nil {
				b.Fatal(err)
			}
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/100_000, "heap-B/call")
		b.ReportMetric(float64(w.spent)/100_000, "believed-B/call")
		runtime.KeepAlive(w)
	}
}

// Whatever a client sends is judged, and what is no call of a tool is kept no longer than that.
func TestWatchEveryChannel(t *testing.T) {
	w := NewWatch(trust.Boundary{})
	if err := asks(t, w, "web", "fetch", "", "text of a hostile page\n"); err != nil {
		t.Fatal(err)
	}
	if err := asks(t, w, "web", "fetch", "", "rm -rf /"); err != nil {
		t.Fatal(err)
	}
	request := func(method, params string) error { _, err := w.Asks("mail", method, params); return err }
	for _, tt := range []struct {
		name string
		err  error
		want string
	}{
		{"a completion argument", request("completion/complete", `{"argument":{"name":"x","value":"text of a hostile page"}}`), "(/params/argument/value)"},
		{"a prompt's argument", request("prompts/get", `{"name":"p","arguments":{"x":"text of a hostile page"}}`), "(/params/arguments/x)"},
		{"an answer to sampling", w.Answers("mail", "sampling/createMessage", "result", `{"content":{"type":"text","text":"a text of a hostile page"}}`), "(/result/content/text)"},
		{"an answer to elicitation", w.Answers("mail", "elicitation/create", "result", `{"action":"accept","content":{"x":"text of a hostile page"}}`), "(/result/content/x)"},
		{"an error for an answer", w.Answers("mail", "roots/list", "error", `{"code":1,"message":"text of a hostile page"}`), "(/error/message)"},
		{"a notification", w.Notifies("mail", "notifications/progress", `{"message":"text of a hostile page"}`), "(/params/message)"},
		{"a short command", request("tools/call", `{"name":"t","arguments":{"command":"rm -rf /"}}`), "(/params/arguments/command)"},
		{"JSON text", request("tools/call", `{"name":"t","arguments":{"x":"{\"a\":\"text of a hostile page\"}"}}`), "(/params/arguments/x)"},
		{"what cannot be read", w.Notifies("mail", "notifications/progress", `{`), "cannot be read"},
		{"to the same server", w.Answers("web", "sampling/createMessage", "result", `{"content":{"type":"text","text":"text of a hostile page"}}`), ""},
		{"nothing", w.Notifies("mail", "notifications/roots/list_changed", ""), ""},
		{"the client's introduction", request("initialize", `{"clientInfo":{"name":"text of a hostile page"}}`), ""},
	} {
		if tt.want == "" && tt.err != nil || tt.want != "" && (tt.err == nil || !strings.Contains(tt.err.Error(), tt.want)) {
			t.Errorf("%s: %v, want %q", tt.name, tt.err, tt.want)
		}
	}
	if n := len(w.walk.log.calls); n != 2 {
		t.Errorf("%d calls are kept, want the two whose results were learned", n)
	}
}
