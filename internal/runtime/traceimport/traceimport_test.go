package traceimport

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"

	"gauntlet/trace"
)

// brief is what tests look at of a message.
func brief(m *trace.Message) string {
	arrow := ">"
	if m.Direction == trace.ToClient {
		arrow = "<"
	}
	text := fmt.Sprintf("%d %s %s%s%s %s %s", m.Seq, arrow, strings.Trim(m.Actor+"/"+m.Server, "/"), prefixed("@", m.Session), prefixed("~", m.Phase), m.Kind, m.Method)
	text = strings.TrimRight(text, " ") + prefixed(" #", m.ID)
	if m.ReplyTo != 0 {
		text += fmt.Sprintf(" answers %d", m.ReplyTo)
	}
	return text + prefixed(" stray ", string(m.Stray)) + prefixed(" (", m.Note)
}

func prefixed(before, s string) string {
	if s == "" {
		return ""
	}
	return before + s
}

// imported reads a recording, whose form is found out, and checks that what comes is a trace.
func imported(t testing.TB, format, text string, o Options) ([]trace.Message, Summary) {
	t.Helper()
	f, in, err := Detect(strings.NewReader(text))
	if err != nil || f.Name != format {
		t.Fatalf("Detect: %q, %v, want %q", f.Name, err, format)
	}
	return read(t, f, in, o)
}

func read(t testing.TB, f Format, in io.Reader, o Options) ([]trace.Message, Summary) {
	t.Helper()
	var b bytes.Buffer
	w, err := trace.NewWriterOf(&b, trace.Header{Imported: f.Name})
	if err != nil {
		t.Fatal(err)
	}
	var want []trace.Message
	sum, err := f.Read(in, o, func(m *trace.Message) error {
		want = append(want, *m)
		return w.Write(m)
	})
	if err := errors.Join(err, w.End(trace.End{})); err != nil {
		t.Fatal(err)
	}
	got, err := trace.Read(&b, trace.Limits{})
	if err != nil || got.Unread != 0 || len(got.Messages) != sum.Messages || len(want) != sum.Messages {
		t.Fatalf("%d messages, of which a reader takes %d: %v, %v", sum.Messages, len(got.Messages), err, got.Problems)
	}
	return want, sum
}

func compare(t *testing.T, got []trace.Message, want string) {
	t.Helper()
	var lines []string
	for i := range got {
		lines = append(lines, brief(&got[i]))
	}
	if text := strings.Join(lines, "\n"); text != strings.TrimSpace(want) {
		t.Errorf("got\n%s\nwant\n%s", text, strings.TrimSpace(want))
	}
}

const claudeLog = `2026-03-01T09:39:03.047Z [files] [info] Initializing server... { metadata: undefined }
2026-03-01T09:39:03.073Z [files] [info] Using MCP server command: npx with args and path: {
  metadata: {
    args: [ '-y' ]
  }
} %o
2026-03-01T09:39:03.203Z [files] [info] Message from client: {"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"claude-ai","version":"0.1.0"}},"jsonrpc":"2.0","id":0} { metadata: undefined }
Secure server running on stdio
2026-03-01T09:39:14.435Z [files] [info] Message from server: {"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18","capabilities":{}}} { metadata: undefined }
2026-03-01T09:39:14.436Z [files] [info] Message from client: {"method":"tools/list","params":{},"jsonrpc":"2.0","id":1} { metadata: undefined }
2026-03-01T09:39:14.438Z [files] [info] Message from server: {"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"read","x":"http://json-schema.org/...[11759 chars truncated]...s":{"a":true}}]}} { metadata: undefined }
2026-03-01T09:39:15.000Z [files] [info] Message from client: {"method":"tools/call","params":{"name":"write","arguments":{"text":"=====...[8499 chars truncated]...====="}},"jsonrpc":"2.0","id":2} { metadata: undefined }
2026-03-01T09:39:15.100Z [files] [info] Message from server: {"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"a } { metadata: undefined }"}]}}
2026-03-01T09:40:00.953Z [files] [info] Initializing server... { metadata: undefined }
2026-03-01T09:40:01.000Z [info] [files] Message from client: {"method":"ping","jsonrpc":"2.0","id":2}
2026-03-01T09:40:01.001Z [mail] [info] Message from server: listening
`

func TestClaudeDesktop(t *testing.T) {
	got, sum := imported(t, "claude-desktop", claudeLog, Options{})
	compare(t, got, `
1 > files@s1 request initialize #0
2 < files@s1 response initialize #0 answers 1
3 > files@s1 request tools/list #1
4 < files@s1 invalid #1 (not JSON: byte 117: expected a comma or }; cut by the log: ...[11759 chars truncated]...
5 > files@s1 request tools/call #2 (cut by the log: ...[8499 chars truncated]...
6 < files@s1 response tools/call #2 answers 5
7 > files@s2 request ping #2
8 < mail@s1 invalid (neither a JSON object nor a batch`)
	if sum.Passed != 8 || sum.Unread != 0 {
		t.Errorf("%+v", sum)
	}
	if m := got[5]; m.Raw != `{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"a } { metadata: undefined }"}]}}` || m.Revision != "2025-06-18" {
		t.Errorf("%+v", m)
	}
	if raw := got[3].Raw; !strings.HasSuffix(raw, `{"a":true}}]}}`) {
		t.Errorf("a cut message is %s", raw)
	}
	if text := got[2].Time.Format("15:04:05.000"); text != "09:39:14.436" {
		t.Errorf("the time is %s", text)
	}
}

func TestClaudeDesktopWithoutNames(t *testing.T) {
	got, _ := imported(t, "claude-desktop", `2025-03-07T09:43:35.882Z [info] Message from client: {"method":"a","jsonrpc":"2.0"}`+"\r\n", Options{Server: "coolify"})
	compare(t, got, `1 > coolify@s1 notification a`)
}

const jackTrace = `{"seq":0,"timestamp":"2026-03-15T10:30:00.000Z","actor":"server","phase":"calm","direction":"Incoming","method":"initialize","content":{"protocolVersion":"2025-11-25","capabilities":{}}}
{"seq":1,"timestamp":"2026-03-15T10:30:00.001Z","actor":"server","phase":"calm","direction":"Outgoing","method":"initialize","content":{"protocolVersion":"2025-11-25","serverInfo":{}}}
{"seq":2,"timestamp":"2026-03-15T10:30:00.002Z","actor":"server","phase":"calm","direction":"Incoming","method":"notifications/initialized","content":null}
{"seq":3,"timestamp":"2026-03-15T10:30:00.003Z","actor":"server","phase":"calm","direction":"Incoming","method":"tools/call","content":{"name":"a","arguments":{"x":1.0}}}
{"seq":4,"timestamp":"2026-03-15T10:30:00.004Z","actor":"server","phase":"exploit","direction":"Outgoing","method":"elicitation/create","content":{"jsonrpc":"2.0","id":"e1","method":"elicitation/create","params":{}}}
{"seq":5,"timestamp":"2026-03-15T10:30:00.005Z","actor":"server","phase":"exploit","direction":"Incoming","method":"elicitation/create","content":{"jsonrpc":"2.0","id":"e1","result":{"action":"accept"}}}
{"seq":6,"timestamp":"2026-03-15T10:30:00.006Z","actor":"server","phase":"exploit","direction":"Outgoing","method":"tools/call","content":{"code":-32601,"message":"no"}}
{"seq":7,"timestamp":"2026-03-15T10:30:00.007Z","actor":"server","phase":"exploit","direction":"Outgoing","method":"tools/list","content":{"tools":[]}}
{"seq":8,"timestamp":"2026-03-15T10:30:00.008Z","actor":"probe","phase":"ask","direction":"Outgoing","method":"tools/list","content":null}
{"seq":9,"timestamp":"2026-03-15T10:30:00.009Z","actor":"probe","phase":"ask","direction":"Incoming","method":"tools/list","content":{"tools":[],"_request":{}}}
{"seq":10,"timestamp":"2026-03-15T10:30:00.010Z","actor":"ui","phase":"run","direction":"Outgoing","method":"run_agent_input","content":{"messages":[]}}
{"seq":11,"timestamp":"2026-03-15T10:30:00.011Z","actor":"ui","phase":"run","direction":"Incoming","method":"run_started","content":{"type":"RUN_STARTED"}}
{"seq":12,"timestamp":"2026-03-15T10:30:00.012Z","actor":"friend","phase":"p","direction":"Incoming","method":"message/stream","content":{"message":{}}}
{"seq":13,"timestamp":"2026-03-15T10:30:00.013Z","actor":"friend","phase":"p","direction":"Outgoing","method":"message/stream","content":{"taskId":"1"}}
{"seq":14,"timestamp":"2026-03-15T10:30:00.014Z","actor":"friend","phase":"p","direction":"Outgoing","method":"message/stream","content":{"taskId":"1"}}
`

// A crash leaves zero bytes before the next line, and a terminal its colours; a message in a line that is none of the log's is counted, and
// one that a message quotes is not.
func TestClaudeDesktopLitter(t *testing.T) {
	const begin, message = "2026-11-01T10:00:04.000Z [b] [info] ", `Message from client: {"method":"a","jsonrpc":"2.0"}`
	for _, c := range []struct {
		name, line       string
		messages, unread int
	}{
		{"plain", begin + message, 1, 0},
		{"zero bytes", strings.Repeat("\x00", 4096) + begin + message + " { metadata: undefined }", 1, 0},
		{"coloured", "\x1b[32m" + begin + "\x1b[0m" + message + "\x1b[0m", 1, 0},
		{"another beginning", "b: " + message, 0, 1},
		{"another level", begin + "stderr: " + message, 0, 1},
		{"two on a line", begin + message + " { metadata: undefined }" + begin + message, 1, 1},
		{"quoted", begin + `Message from server: {"method":"a","jsonrpc":"2.0","params":{"x":"Message from client: {"}}`, 1, 0},
		{"stderr", "Message from client: none", 0, 0},
	} {
		f, _, _ := Choose("claude-desktop", nil)
		got, sum := read(t, f, strings.NewReader(c.line+"\n"+begin+message+"\n"), Options{})
		if len(got)-1 != c.messages || sum.Unread != c.unread {
			t.Errorf("%s: %d messages and %d unread, want %d and %d", c.name, len(got)-1, sum.Unread, c.messages, c.unread)
		}
		for i := range got {
			if got[i].Method != "a" {
				t.Errorf("%s: message %d has the method %q", c.name, i, got[i].Method)
			}
		}
	}
}

func TestThoughtJack(t *testing.T) {
	got, sum := imported(t, "thoughtjack", jackTrace, Options{})
	const made = " (the envelope and the id were made"
	compare(t, got, `
1 > server~calm request initialize #"event-0"`+made+`
2 < server~calm response initialize #"event-0" answers 1`+made+`
3 > server~calm notification notifications/initialized (the envelope was made
4 > server~calm request tools/call #"event-3"`+made+`
5 < server~exploit request elicitation/create #"e1"
6 > server~exploit response elicitation/create #"e1" answers 5
7 < server~exploit error tools/call #"event-3" answers 4`+made+`
8 < server~exploit response #"event-7" stray unknown_id`+made+`
9 > probe~ask request tools/list #"event-8"`+made+`
10 < probe~ask response tools/list #"event-8" answers 9`+made+`
11 > ui~run event run_agent_input
12 < ui~run event run_started
13 > friend~p request message/stream #"event-12"`+made+`
14 < friend~p response message/stream #"event-12" answers 13`+made+`
15 < friend~p response #"event-14" stray unknown_id`+made)
	if sum.Unread+sum.Passed != 0 {
		t.Errorf("%+v", sum)
	}
	for at, want := range map[int]string{
		3: `{"jsonrpc":"2.0","id":"event-3","method":"tools/call","params":{"name":"a","arguments":{"x":1.0}}}`,
		9: `{"jsonrpc":"2.0","id":"event-8","result":{"tools":[]}}`,
		8: `{"jsonrpc":"2.0","id":"event-8","method":"tools/list"}`,
	} {
		if got[at].Raw != want {
			t.Errorf("%s, want %s", got[at].Raw, want)
		}
	}
	if got[0].Role != trace.AsServer || got[8].Role != trace.AsClient || got[10].Protocol != "ag_ui" || got[12].Protocol != "a2a" {
		t.Errorf("the sides are %s, %s, the protocols %s, %s", got[0].Role, got[8].Role, got[10].Protocol, got[12].Protocol)
	}
}

const inspectorProtocol = `[
  {"id": "a", "timestamp": "2026-03-01T10:00:00.000Z", "direction": "request", "origin": "client",
   "message": {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "slow"}},
   "response": {"jsonrpc": "2.0", "id": 1, "result": {"content": []}}, "duration": 500, "clientError": "bad form"},
  {"id": "b", "timestamp": "2026-03-01T10:00:00.100Z", "direction": "notification", "origin": "server",
   "message": {"jsonrpc": "2.0", "method": "notifications/progress", "params": {}}},
  {"id": "c", "timestamp": "2026-03-01T10:00:00.200Z", "direction": "request",
   "message": {"jsonrpc": "2.0", "id": 1, "method": "sampling/createMessage"}},
  {"id": "d", "timestamp": "never", "direction": "request", "message": {}},
  {"id": "e", "timestamp": "2026-03-01T10:00:01.000Z", "direction": "response", "origin": "server", "message": {"jsonrpc": "2.0", "id": 9, "result": {}}}
]`

func TestInspectorProtocol(t *testing.T) {
	got, sum := imported(t, "inspector", inspectorProtocol, Options{Server: "files"})
	compare(t, got, `
1 > files@s1 request tools/call #1
2 < files@s1 notification notifications/progress
3 < files@s1 request sampling/createMessage #1 (who sent it was not recorded
4 < files@s1 response tools/call #1 answers 1 (the client refused it: bad form
5 < files@s1 response #9 stray unknown_id`)
	if sum.Unread != 1 || sum.Problems[0].Line != 4 || !strings.Contains(sum.Problems[0].Msg, "timestamp") {
		t.Errorf("%+v", sum)
	}
}

const inspectorNetwork = `[
  {"id":"1","timestamp":"2026-03-01T10:00:00Z","method":"POST","url":"https://x/token?secret=1","requestHeaders":{},"requestBody":"client_secret=hush","category":"auth"},
  {"id":"2","timestamp":"2026-03-01T10:00:01Z","method":"POST","url":"https://x/mcp","requestHeaders":{"authorization":"Bearer hush","mcp-method":"ping"},
   "requestBody":"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}","responseStatus":200,"responseHeaders":{"content-type":"text/event-stream"},
   "responseBody":"event: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"a\"}\n\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n\n","duration":5,"category":"transport"},
  {"id":"3","timestamp":"2026-03-01T10:00:02Z","method":"POST","url":"https://x/mcp","requestHeaders":{},
   "requestBody":"{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"b\"}","responseStatus":500,"responseHeaders":{},"responseBody":"out of order","category":"transport"},
  {"id":"4","timestamp":"2026-03-01T10:00:03Z","method":"GET","url":"https://x/mcp","requestHeaders":{},"responseStatus":405,"category":"transport"}
]`

func TestInspectorNetwork(t *testing.T) {
	got, sum := imported(t, "inspector", inspectorNetwork, Options{})
	compare(t, got, `
1 > @s1 request ping #1
2 < @s1 notification a
3 < @s1 response ping #1 answers 1
4 > @s1 request b #2
5 < @s1 invalid (neither a JSON object nor a batch`)
	if sum.Passed != 2 || sum.Unread != 0 {
		t.Errorf("%+v", sum)
	}
	if text := fmt.Sprint(got[0].HTTP, got[4].HTTP, got); strings.Contains(text, "hush") || got[0].HTTP.Exchange != 2 || got[2].HTTP.Exchange != 2 || got[4].HTTP.Status != 500 {
		t.Errorf("HTTP is %+v, %+v, %+v", got[0].HTTP, got[2].HTTP, got[4].HTTP)
	}
}

const otelSpansText = `{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"agent"}}]},"scopeSpans":[{"spans":[
 {"spanId":"b","parentSpanId":"a","name":"tools/call read","kind":3,"startTimeUnixNano":"1772359201000000000","endTimeUnixNano":"1772359201500000000","attributes":[
  {"key":"mcp.method.name","value":{"stringValue":"tools/call"}},{"key":"jsonrpc.request.id","value":{"stringValue":"2"}},{"key":"mcp.session.id","value":{"stringValue":"hush"}},
  {"key":"gen_ai.tool.name","value":{"stringValue":"read"}},{"key":"server.address","value":{"stringValue":"files.example"}},{"key":"mcp.protocol.version","value":{"stringValue":"2025-06-18"}},
  {"key":"gen_ai.tool.call.arguments","value":{"stringValue":"{\"path\":\"/etc\"}"}}]},
 {"spanId":"a","name":"initialize","kind":"SPAN_KIND_CLIENT","startTimeUnixNano":1772359200000000000,"endTimeUnixNano":"1772359200100000000","attributes":[
  {"key":"mcp.method.name","value":{"stringValue":"initialize"}},{"key":"server.address","value":{"stringValue":"files.example"}},{"key":"mcp.session.id","value":{"stringValue":"hush"}},
  {"key":"mcp.protocol.version","value":{"stringValue":"2025-06-18"}},{"key":"jsonrpc.request.id","value":{"intValue":"1"}}]},
 {"spanId":"x","name":"chat","kind":3,"startTimeUnixNano":"1","attributes":[]}]}]}]}
{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"files"}}]},"scopeSpans":[{"spans":[
 {"spanId":"c","parentSpanId":"b","name":"tools/call read","kind":2,"startTimeUnixNano":"1772359201100000000","endTimeUnixNano":"1772359201400000000","attributes":[
  {"key":"mcp.method.name","value":{"stringValue":"tools/call"}},{"key":"gen_ai.tool.call.result","value":{"kvlistValue":{"values":[{"key":"lines","value":{"arrayValue":{"values":[{"intValue":"7"},{"stringValue":"x"}]}}}]}}}]},
 {"spanId":"d","name":"elicitation/create","kind":3,"startTimeUnixNano":"1772359202000000000","endTimeUnixNano":"1772359202400000000","status":{"code":2,"message":"refused"},"attributes":[
  {"key":"mcp.method.name","value":{"stringValue":"elicitation/create"}},{"key":"rpc.response.status_code","value":{"stringValue":"-32042"}},{"key":"error.type","value":{"stringValue":"-32042"}}]},
 {"spanId":"e","name":"resources/read","kind":2,"startTimeUnixNano":"1772359203000000000","attributes":[
  {"key":"mcp.method.name","value":{"stringValue":"notifications/cancelled"}}]},
 {"spanId":"f","name":"no time","kind":2,"attributes":[{"key":"mcp.method.name","value":{"stringValue":"ping"}}]}]}]}]}
`

func TestOTel(t *testing.T) {
	got, sum := imported(t, "otel", otelSpansText, Options{Server: "unnamed"})
	const made = " (made from a span"
	compare(t, got, `
1 > files.example@s1 request initialize #1`+made+`
2 < files.example@s1 response initialize #1 answers 1`+made+`
3 > files.example@s1 request tools/call #2`+made+`
4 < files.example@s1 response tools/call #2 answers 3`+made+`
5 < unnamed request elicitation/create #"span-2"`+made+`
6 > unnamed error elicitation/create #"span-2" answers 5`+made+`
7 > files notification notifications/cancelled`+made)
	for at, want := range map[int]string{
		2: `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"read","arguments":{"path":"/etc"}}}`,
		3: `{"jsonrpc":"2.0","id":2,"result":{"structuredContent":{"lines":[7,"x"]}}}`,
		5: `{"jsonrpc":"2.0","id":"span-2","error":{"code":-32042,"message":"refused"}}`,
	} {
		if got[at].Raw != want {
			t.Errorf("%s, want %s", got[at].Raw, want)
		}
	}
	if sum.Passed != 2 || sum.Unread != 1 || got[2].Revision != "2025-06-18" || got[2].Role != trace.AsClient || got[6].Role != trace.AsServer {
		t.Errorf("%+v, %+v", sum, got[2])
	}
}

func TestDetectRefusesWhatIsNone(t *testing.T) {
	for _, text := range []string{"", "hello", "{}", "[]", `[{"a":1}]`, `{"format":"gauntlet-trace","version":"1.0"}`, `{"seq":1}`, "2026-03-01T09:39:14.436Z [files] [info] hello"} {
		if f, _, err := Detect(strings.NewReader(text)); err == nil {
			t.Errorf("%q is taken for %s", text, f.Name)
		}
	}
}

func TestRecordingsAreBounded(t *testing.T) {
	for name, text := range map[string]string{"inspector": inspectorProtocol, "otel": otelSpansText, "thoughtjack": jackTrace} {
		f, _, err := Choose(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Read(strings.NewReader(text), Options{Text: 300}, func(*trace.Message) error { return nil }); err == nil {
			t.Errorf("%s: no error beyond the limit", name)
		}
	}
	f, _, err := Choose("claude-desktop", nil)
	if err != nil {
		t.Fatal(err)
	}
	sum, err := f.Read(strings.NewReader(claudeLog), Options{Text: 200}, func(*trace.Message) error { return nil })
	if err != nil || sum.Unread != 3 || sum.Messages != 5 {
		t.Errorf("a log with lines that are too long: %v, %+v", err, sum)
	}
}

// What cannot be read in front of a recording leaves the messages behind it as they are, and
// whatever a recording holds becomes a trace that can be read.
func fuzz(f *testing.F, name string, spoil func(string) (string, bool), seeds ...string) {
	for _, s := range seeds {
		f.Add(s)
		for line := range strings.Lines(s) { // short ones lead further
			f.Add(line)
		}
	}
	format, _, err := Choose(name, nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		want, _ := read(t, format, strings.NewReader(text), Options{Server: "s"})
		spoilt, ok := spoil(text)
		if !ok {
			return
		}
		got, sum := read(t, format, strings.NewReader(spoilt), Options{Server: "s"})
		if sum.Unread+sum.Passed == 0 {
			t.Errorf("the spoilt part is not counted: %+v", sum)
		}
		for i := range want {
			if want[i].HTTP != nil { // entries are counted, and that one counts
				want[i].HTTP.Exchange++
			}
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("behind a part that cannot be read\ngot  %+v\nwant %+v", got, want)
		}
	})
}

func before(line string) func(string) (string, bool) {
	return func(text string) (string, bool) { return line + "\n" + text, !strings.HasPrefix(text, "\ufeff") }
}

func FuzzClaudeDesktop(f *testing.F) {
	fuzz(f, "claude-desktop", before("\xff out of memory"), claudeLog)
}

func FuzzThoughtJack(f *testing.F) {
	fuzz(f, "thoughtjack", before(`{"seq":0,"direction":"Sideways"`), jackTrace)
}

func FuzzInspector(f *testing.F) {
	spoil := func(text string) (string, bool) {
		trimmed := strings.TrimLeft(text, " \t\r\n")
		if !strings.HasPrefix(trimmed, "[") || strings.HasPrefix(strings.TrimLeft(trimmed[1:], " \t\r\n"), "]") {
			return "", false
		}
		return `[{"timestamp":7},` + trimmed[1:], true
	}
	fuzz(f, "inspector", spoil, inspectorProtocol, inspectorNetwork)
}

func FuzzOTel(f *testing.F) {
	fuzz(f, "otel", before(`{"resourceSpans":[{"scopeSpans":[{"spans":[{"attributes":[{"key":"mcp.method.name","value":{"stringValue":"ping"}}]}]}]}]}`), otelSpansText)
}
