package report

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"gauntlet/rawjson"
	"gauntlet/trace"
)

// conversation is a trace with one message of each kind that is shown in its own way.
func conversation() []trace.Message {
	at := func(ms int) time.Time { return time.Unix(0, 0).Add(time.Duration(ms) * time.Millisecond) }
	ms := []trace.Message{
		{Time: at(0), Direction: trace.ToServer, Kind: trace.Request, ID: "1", Method: "initialize", Raw: `{"params":{"protocolVersion":"2025-11-25"}}`},
		{Time: at(12), Direction: trace.ToClient, Kind: trace.Response, ID: "1", Method: "initialize", ReplyTo: 1, Raw: `{"result":{"serverInfo":{"name":"files"}}}`},
		{Time: at(20), Direction: trace.ToServer, Kind: trace.Request, ID: `"a"`, Method: "tools/call", Raw: `{"params":{"name":"read_file","arguments":{"path":"/etc/passwd"}}}`},
		{Time: at(21), Direction: trace.ToClient, Kind: trace.Notification, Method: "notifications/progress", Raw: `{"params":{"progress":1}}`},
		{Time: at(1521), Direction: trace.ToClient, Kind: trace.Response, ID: `"a"`, Method: "tools/call", ReplyTo: 3, Redacted: true, Raw: `{"result":{"isError":true,"content":[]}}`},
		{Time: at(1522), Direction: trace.ToClient, Kind: trace.Error, ID: "9", Stray: trace.UnknownID, Raw: `{"error":{"code":-32000,"message":"no\nsuch \u001b[31mcall"}}`},
		{Time: at(1523), Direction: trace.ToClient, Kind: trace.Invalid, Note: "not JSON", Raw: "listening \x1b[2J on\u202e stdio"},
		{Actor: "rogue", Role: trace.AsServer, Direction: trace.ToClient, Kind: trace.Request, ID: "1", Method: "elicitation/create", Raw: `{"params":{}}`},
		{Actor: "agent", Role: trace.AsClient, Direction: trace.ToServer, Kind: trace.Event, Method: "run", HTTP: &trace.HTTP{Status: 500}, Raw: `{"type":"run"}`},
		{Direction: trace.ToServer, Kind: trace.Batch, Raw: `[{"method":"a"}]`},
		{Direction: trace.ToServer, Kind: trace.Notification, Method: "a", PartOf: 10, Raw: `{"method":"a"}`},
	}
	for i := range ms {
		ms[i].Seq = i + 1
		if ms[i].Actor == "" {
			ms[i].Server, ms[i].Session = "files", "s1"
		}
	}
	return ms
}

func TestTimeline(t *testing.T) {
	const want = `     1     0.000  -> files s1         initialize #1                  {"protocolVersion":"2025-11-25…
     2     0.012  <- files s1         response initialize #1         12 ms  {"serverInfo":{"name":"…
     3     0.020  -> files s1         tools/call #"a"                read_file {"path":"/etc/passwd…
     4     0.021  <- files s1         notifications/progress         {"progress":1}
     5     1.521  <- files s1         response tools/call #"a"       1.5 s  [redacted]  isError {"i…
     6     1.522  <- files s1         error #9                       [answers nothing]  -32000 no s…
     7     1.523  <- files s1         invalid                        [not JSON]  listening <U+001B>…
     8            <- rogue            elicitation/create #1          {}
     9            -> agent            run                            HTTP 500  {"type":"run"}
    10            -> files s1         batch                          [{"method":"a"}]
    11            -> files s1         a                              [of batch 10]
`
	var b bytes.Buffer
	line := NewTimeline(&b, Options{})
	for _, m := range conversation() {
		if err := line.Add(&m); err != nil {
			t.Fatal(err)
		}
	}
	if err := line.Flush(); err != nil || b.String() != want {
		t.Errorf("%v, got\n%swant\n%s", err, &b, want)
	}
}

// Whatever peers wrote and called themselves, each message is one line within the width, and
// nothing in it steers a terminal. Times of messages that were left out count.
func FuzzTimeline(f *testing.F) {
	f.Add("files", "tools/call", `"a"`, `{"params":{"name":"x"}}`, "note", 60, true)
	f.Add("\x1b]0;", "界界界界界界界界界界界界", "́́́", "\xff\xfe", "\u202e", 0, false)
	f.Fuzz(func(t *testing.T, server, method, id, raw, note string, width int, answer bool) {
		m := trace.Message{Seq: 7, Server: server, Method: method, ID: id, Raw: raw, Note: note, Direction: trace.ToServer, Kind: trace.Request}
		if answer {
			m.Direction, m.Kind, m.ReplyTo = trace.ToClient, trace.Response, 3
		}
		opt := Options{Width: width % 200}
		var lines bytes.Buffer
		timeline := NewTimeline(&lines, opt)
		if timeline.Add(&m) != nil || timeline.Flush() != nil {
			t.Fatal("a buffer refuses to be written")
		}
		line, whole := strings.CutSuffix(lines.String(), "\n")
		if !whole || strings.ContainsFunc(line, rawjson.Hidden) {
			t.Errorf("%q is not one line, or would steer a terminal", lines.String())
		}
		if got, most := columns(line), max(tableWidth(opt), 70); got > most {
			t.Errorf("%d columns of %d: %q", got, most, line)
		}
	})
}

// The memory of a clock is bounded, and a request that is remembered keeps its time.
func TestClockForgets(t *testing.T) {
	var c clock
	at := time.Unix(0, 0)
	for seq := 1; seq <= 3*keptTimes; seq++ {
		c.see(&trace.Message{Seq: seq, Time: at, Kind: trace.Request})
	}
	if len(c.asked) > keptTimes || len(c.oldest) > keptTimes {
		t.Errorf("%d times are kept", len(c.asked))
	}
	if _, took := c.see(&trace.Message{Seq: 4 * keptTimes, ReplyTo: 3 * keptTimes, Time: at.Add(time.Second), Kind: trace.Response}); took != "1.0 s" {
		t.Errorf("the answer to the latest request took %q", took)
	}
	if _, took := c.see(&trace.Message{Seq: 4*keptTimes + 1, ReplyTo: 1, Time: at, Kind: trace.Response}); took != "" {
		t.Errorf("the answer to the first request took %q", took)
	}
}
