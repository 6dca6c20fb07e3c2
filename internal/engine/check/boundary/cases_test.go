package boundary

import (
	"fmt"
	"gauntlet/internal/leaf/mcp"
	"os"
	"strconv"
	"strings"
	"testing"

	"gauntlet/rawjson"
	"gauntlet/trace"
	"gauntlet/trust"
)

// A labelled is one case of testdata/*.txt: lines of directives and what is wanted.
type labelled struct {
	name  string
	lines []string
	want  []string
}

// cases reads a file of labelled cases; wanted tells the lines that say what is wanted.
func cases(t *testing.T, file string, wanted ...string) []labelled {
	t.Helper()
	text, err := os.ReadFile("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	var out []labelled
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\n")
		if name, ok := strings.CutPrefix(line, "== "); ok {
			out = append(out, labelled{name: name})
			continue
		}
		if line == "" || line[0] == '#' {
			continue
		}
		c := &out[len(out)-1]
		verb, _, _ := strings.Cut(line, " ")
		if strings.Contains(" "+strings.Join(wanted, " ")+" ", " "+verb+" ") {
			c.want = append(c.want, line)
		} else {
			c.lines = append(c.lines, line)
		}
	}
	return out
}

// A recording makes a trace.
type recording struct {
	t       *testing.T
	trace   trace.Trace
	rec     *trace.Recorder
	next    int         // id of the next request
	ordinal map[int]int // of calls, by the number of their request
	seqs    []int       // of requests, by ordinal
	counted bool        // every request has an ordinal
}

func newRecording(t *testing.T) *recording {
	r := &recording{t: t, ordinal: map[int]int{}}
	r.rec = trace.NewRecorder(func(m *trace.Message) error {
		r.trace.Messages = append(r.trace.Messages, *m)
		return nil
	}, trace.RecorderOptions{})
	return r
}

func (r *recording) put(m trace.Message) trace.Message {
	var tree rawjson.Tree
	if err := tree.Parse(m.Raw, 0); err != nil {
		r.t.Fatalf("%s: %v", m.Raw, err)
	}
	m, err := r.rec.Record(m)
	if err != nil {
		r.t.Fatal(err)
	}
	return m
}

// ask records a request of the client and, if there is one, the result.
func (r *recording) ask(server, method, params, result string) {
	r.next++
	id := strconv.Itoa(r.next)
	m := r.put(trace.Message{Server: server, Role: trace.Between, Direction: trace.ToServer, Kind: trace.Request, ID: id, Method: method,
		Raw: fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`, id, method, params)})
	if (&call{method: method}).returns() && method != mcp.ToolsList || r.counted {
		r.seqs = append(r.seqs, m.Seq)
		r.ordinal[m.Seq] = len(r.seqs)
	}
	if result == "" {
		return
	}
	kind, member := trace.Response, "result"
	if strings.HasPrefix(result, `{"code":`) {
		kind, member = trace.Error, "error"
	}
	a := r.put(trace.Message{Server: server, Role: trace.Between, Direction: trace.ToClient, Kind: kind, ID: id,
		Raw: fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,%q:%s}`, id, member, result)})
	r.ordinal[a.Seq] = r.ordinal[m.Seq]
}

// server records a request of a server.
func (r *recording) server(server, method, params, result string) {
	r.next++
	id := strconv.Itoa(r.next)
	r.put(trace.Message{Server: server, Direction: trace.ToClient, Kind: trace.Request, ID: id, Method: method,
		Raw: fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`, id, method, params)})
	r.put(trace.Message{Server: server, Direction: trace.ToServer, Kind: trace.Response, ID: id,
		Raw: fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, id, result)})
}

// send records a message of the client that counts as a call: a request, a notification, or the
// answer to a request of the server.
func (r *recording) send(server, verb, method, content string) {
	r.next++
	id := strconv.Itoa(r.next)
	m := trace.Message{Server: server, Role: trace.Between, Direction: trace.ToServer, Kind: trace.Request, ID: id, Method: method,
		Raw: fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`, id, method, content)}
	switch verb {
	case "notify":
		m.Kind, m.ID, m.Raw = trace.Notification, "", fmt.Sprintf(`{"jsonrpc":"2.0","method":%q,"params":%s}`, method, content)
	case "reply":
		r.put(trace.Message{Server: server, Direction: trace.ToClient, Kind: trace.Request, ID: id, Method: method,
			Raw: fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":{}}`, id, method)})
		m.Kind, m.Method, m.Raw = trace.Response, "", fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, id, content)
	}
	m = r.put(m)
	r.seqs = append(r.seqs, m.Seq)
	r.ordinal[m.Seq] = len(r.seqs)
}

// quoted writes a JSON string.
func quoted(s string) string { return rawjson.Quote(s) }

// conversation plays the lines of a case of flows.txt.
func conversation(t *testing.T, lines []string) (*recording, trust.Boundary) {
	t.Helper()
	r := newRecording(t)
	var b trust.Boundary
	for _, line := range lines {
		verb, rest, _ := strings.Cut(line, " ")
		head, result := rest, ""
		if at := strings.LastIndex(rest, " = "); at >= 0 {
			head, result = rest[:at], rest[at+3:]
		}
		who, args, _ := strings.Cut(head, " ")
		server, tool, _ := strings.Cut(who, ".")
		text := func(isError bool) string {
			if strings.HasPrefix(result, "{") {
				return result
			}
			return fmt.Sprintf(`{"content":[{"type":"text","text":%s}],"isError":%v}`, result, isError)
		}
		switch verb {
		case "allow":
			from, to, _ := strings.Cut(rest, " -> ")
			b.Flows = append(b.Flows, trust.Flow{From: trust.Name{Text: from}, To: trust.Name{Text: to}})
		case "sanitizer":
			b.Sanitizers = append(b.Sanitizers, trust.Name{Text: rest})
		case "limit":
			n, err := strconv.Atoi(args)
			if err != nil || who != "min_length" {
				t.Fatalf("%s", line)
			}
			b.Limits.MinLength = n
		case "given":
			b.Given = append(b.Given, rawjson.Unquote(rest))
		case "tools":
			r.ask(who, "tools/list", "{}", `{"tools":`+args+`}`)
		case "call", "fail":
			r.ask(server, "tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s}`, tool, args), text(verb == "fail"))
		case "meta":
			args, meta, _ := strings.Cut(args, " ")
			r.ask(server, "tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s,"_meta":%s}`, tool, args, meta), "")
		case "repeat":
			n, _ := strconv.Atoi(who)
			who, args, _ := strings.Cut(args, " ")
			server, tool, _ := strings.Cut(who, ".")
			for range n {
				r.ask(server, "tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s}`, tool, args), text(false))
			}
		case "read":
			r.ask(who, "resources/read", fmt.Sprintf(`{"uri":%q}`, args), fmt.Sprintf(`{"contents":[{"uri":%q,"text":%s}]}`, args, result))
		case "prompt":
			r.ask(server, "prompts/get", fmt.Sprintf(`{"name":%q,"arguments":%s}`, tool, args), fmt.Sprintf(`{"messages":[{"role":"user","content":{"type":"text","text":%s}}]}`, result))
		case "do":
			method, params, _ := strings.Cut(args, " ")
			r.counted = true
			r.ask(who, method, params, result)
			r.counted = false
		case "send", "notify", "reply":
			method, content, _ := strings.Cut(args, " ")
			r.send(who, verb, method, content)
		case "answer":
			method, result, _ := strings.Cut(args, " ")
			r.server(who, method, "{}", result)
		default:
			t.Fatalf("%s", line)
		}
	}
	return r, b
}
