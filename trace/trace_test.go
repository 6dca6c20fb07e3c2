package trace

import (
	"bytes"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
	"time"

	"gauntlet/rawjson"
)

var noon = time.Date(2026, 7, 28, 12, 0, 0, 123456789, time.UTC)

// full is a message with every field set, hostile where it can be.
func full() Message {
	return Message{
		Seq: 9, Time: noon, Actor: "poisoner", Phase: "rug-pull", Server: "fetcher\u202e", Session: "s1",
		Protocol: "mcp", Revision: "2025-11-25", Role: AsServer,
		Direction: ToClient, Kind: Response, ID: `"seven"`, Method: "tools/call", ReplyTo: 7, PartOf: 8,
		HTTP: &HTTP{Exchange: 3, Method: "POST", Status: 200, Credential: "c1",
			Headers: []Field{{Name: "Content-Type", Value: "application/json"}, {Name: "Authorization", Withheld: true}, {Name: "X-Empty"}}},
		Raw: "{\"jsonrpc\":\"2.0\",  \"id\":\"seven\",\"id\":\"seven\",\"result\":{\"n\":1.0,\"s\":\"\\ud800\\u202e\u202e\x7f\"}}\r", Redacted: true, Early: true,
		Note: "one\nline",
	}
}

func TestFullSetsEveryField(t *testing.T) {
	m := full()
	for _, v := range []reflect.Value{reflect.ValueOf(m), reflect.ValueOf(*m.HTTP)} {
		for i := range v.NumField() {
			name := v.Type().Field(i).Name
			if v.Field(i).IsZero() && name != "Stray" { // an answer has a request or is a stray
				t.Errorf("%s.%s is not set, so no test looks at it", v.Type(), name)
			}
		}
	}
}

func written(t testing.TB, ms ...Message) string {
	t.Helper()
	var b bytes.Buffer
	w, err := NewWriter(&b, "gauntlet test")
	if err != nil {
		t.Fatal(err)
	}
	for i := range ms {
		if err := w.Write(&ms[i]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.End(End{}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestWhatIsWrittenIsRead(t *testing.T) {
	stray := Message{Seq: 10, Direction: ToServer, Kind: Error, ID: "7", Stray: Duplicate, Raw: "{}"}
	bytes := Message{Seq: 11, Direction: ToServer, Kind: Invalid, Raw: "\xff\x00not JSON"}
	empty := Message{Seq: 12, Direction: ToServer, Kind: Invalid, HTTP: &HTTP{}}
	want := []Message{full(), stray, bytes, empty}
	text := written(t, want...)
	got, err := Read(strings.NewReader(text), Limits{})
	if err != nil || got.Unread != 0 {
		t.Fatalf("Read: %v, %v", err, got.Problems)
	}
	if !reflect.DeepEqual(got.Messages, want) {
		t.Errorf("got  %+v\nwant %+v\ntext %s", got.Messages, want, text)
	}
	if got.Header != (Header{Version: Version, Tool: "gauntlet test"}) {
		t.Errorf("header %+v", got.Header)
	}
	if n := strings.Count(text, "\n"); n != 2+len(want) {
		t.Errorf("%d lines, want one for each of %d messages, the header and the end:\n%s", n, len(want), text)
	}
	for _, r := range strings.ReplaceAll(text, "\n", "") {
		if rawjson.Hidden(r) {
			t.Errorf("%U stands in the file as it is", r)
		}
	}
}

func TestHeaderKeepsItsMarks(t *testing.T) {
	for _, want := range []Header{{Tool: "t"}, {Tool: "t", Imported: "inspector"}, {Redacted: true}, {Tool: "\x1b", Imported: "\u202e", Redacted: true}} {
		var b bytes.Buffer
		if _, err := NewWriterOf(&b, want); err != nil {
			t.Fatal(err)
		}
		want.Version = Version
		got, err := Read(&b, Limits{})
		if err != nil || got.Header != want {
			t.Errorf("%v, %+v, want %+v", err, got.Header, want)
		}
		if n := len(got.Header.Caveats()); (n == 0) != (want.Imported == "" && !want.Redacted) {
			t.Errorf("%d caveats of %+v", n, want)
		}
	}
	got, err := Read(strings.NewReader(`{"format":"gauntlet-trace","version":"1.0","redacted":"yes"}`), Limits{})
	if err != nil || !got.Header.Redacted {
		t.Errorf("a mark in another form got lost: %v, %+v", err, got.Header)
	}
}

func TestLinesAreNoMoreThanTwiceAsLong(t *testing.T) {
	for name, raw := range map[string]string{
		"quotes": strings.Repeat(`"`, 10_000), "controls": strings.Repeat("\x01", 10_000), "hidden": strings.Repeat("\U000E0041", 10_000),
		"bytes": strings.Repeat("\xff", 10_000), "plain": strings.Repeat("x", 10_000), "a few controls": "\x01\x02\x03",
	} {
		m := Message{Seq: 1, Direction: ToServer, Kind: Invalid, Raw: raw}
		text := written(t, m)
		if n := len(text) - len(written(t)); n > 2*len(raw)+400 {
			t.Errorf("%s: %d bytes became a line of %d", name, len(raw), n)
		}
		if asText := strings.Contains(text, `"raw":`); asText != (name == "quotes" || name == "plain" || name == "a few controls") {
			t.Errorf("%s: written as text: %v", name, asText)
		}
		got, err := Read(strings.NewReader(text), Limits{})
		if err != nil || len(got.Messages) != 1 || got.Messages[0].Raw != raw {
			t.Errorf("%s did not come back: %v", name, err)
		}
	}
}

func TestWriterRefusesWhatNoReaderTakes(t *testing.T) {
	good := Message{Seq: 2, Direction: ToServer, Kind: Request}
	for _, tt := range []struct {
		name string
		edit func(*Message)
		want string
	}{
		{"no number", func(m *Message) { m.Seq = 0 }, "does not come behind"},
		{"no direction", func(m *Message) { m.Direction = "" }, "direction"},
		{"an unknown kind", func(m *Message) { m.Kind = "question" }, `unknown kind "question"`},
		{"an unknown role", func(m *Message) { m.Role = "host" }, `unknown role "host"`},
		{"an unknown stray", func(m *Message) { m.Kind, m.Stray = Error, "lost" }, `unknown stray "lost"`},
		{"an answer to itself", func(m *Message) { m.Kind, m.ReplyTo = Response, 2 }, "no earlier message"},
		{"a part of itself", func(m *Message) { m.PartOf = 2 }, "no earlier message"},
		{"a request that replies", func(m *Message) { m.ReplyTo = 1 }, "replies to nothing"},
		{"a year beyond RFC 3339", func(m *Message) { m.Time = time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC) }, "year"},
		{"a negative status", func(m *Message) { m.HTTP = &HTTP{Status: -1} }, "negative"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w, _ := NewWriter(io.Discard, "")
			m := good
			tt.edit(&m)
			if err := w.Write(&m); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Write: %v, want an error with %q", err, tt.want)
			}
		})
	}
	w, _ := NewWriter(io.Discard, "")
	if err := w.Write(&good); err != nil {
		t.Fatal(err)
	}
	if err := w.Write(&good); err == nil {
		t.Error("one number is written twice")
	}
}

const head = `{"format":"gauntlet-trace","version":"1.0","tool":"t"}` + "\n"

func TestOneBadLineDoesNotSinkTheRest(t *testing.T) {
	good := func(seq string) string {
		return `{"seq":` + seq + `,"direction":"to_server","kind":"notification","method":"a/b","raw":"{}"}` + "\n"
	}
	for _, tt := range []struct{ name, line, want string }{
		{"not JSON", `{"seq":2,`, "not JSON"},
		{"no object", `[1]`, "array and not an object"},
		{"no text", `{"seq":2,"direction":"to_server","kind":"request"}`, "one of raw and raw_base64"},
		{"two texts", `{"seq":2,"direction":"to_server","kind":"request","raw":"","raw_base64":""}`, "one of raw and raw_base64"},
		{"a member twice", `{"seq":2,"seq":3,"direction":"to_server","kind":"request","raw":""}`, `"seq" stands twice`},
		{"a number as text", `{"seq":"2","direction":"to_server","kind":"request","raw":""}`, `"seq" is no number`},
		{"half a number", `{"seq":2.5,"direction":"to_server","kind":"request","raw":""}`, `"seq" is no number`},
		{"a number that does not ascend", `{"seq":1,"direction":"to_server","kind":"request","raw":""}`, "does not come behind 1"},
		{"no such kind", `{"seq":2,"direction":"to_server","kind":"question","raw":""}`, `unknown kind "question"`},
		{"a time of another form", `{"seq":2,"time":"noon","direction":"to_server","kind":"request","raw":""}`, "RFC 3339"},
		{"half a character", `{"seq":2,"direction":"to_server","kind":"request","raw":"\ud800"}`, "not well-formed"},
		{"no base64", `{"seq":2,"direction":"to_server","kind":"request","raw_base64":"?"}`, "is no base64"},
		{"http of another form", `{"seq":2,"direction":"to_server","kind":"request","raw":"","http":1}`, `"http" is no object`},
		{"headers of another form", `{"seq":2,"direction":"to_server","kind":"request","raw":"","http":{"headers":[1]}}`, "no header"},
		{"a redaction that did not happen, as text", `{"seq":2,"direction":"to_server","kind":"request","raw":"","redacted":"no"}`, `"redacted" is neither`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Read(strings.NewReader(head+good("1")+tt.line+"\n\n"+good("3")), Limits{})
			if err != nil || len(got.Messages) != 2 {
				t.Fatalf("Read: %v, %d messages, want the two good ones", err, len(got.Messages))
			}
			if len(got.Problems) != 1 || got.Problems[0].Line != 3 || !strings.Contains(got.Problems[0].Msg, tt.want) {
				t.Errorf("problems %v, want one in line 3 with %q", got.Problems, tt.want)
			}
		})
	}
}

func TestReaderTakesMembersOfALaterVersion(t *testing.T) {
	got, err := Read(strings.NewReader(`{"format":"gauntlet-trace","version":"1.7","colour":"blue"}
{"seq":1,"direction":"to_server","kind":"request","raw":"{}","mood":{"a":1},"http":{"h3":true}}
{"end":{"messages":1,"mood":2}}`), Limits{})
	if err != nil || len(got.Messages) != 1 || got.Unread != 0 {
		t.Errorf("Read: %v, %+v", err, got)
	}
}

func TestWhatIsNoTrace(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"nothing", "", "the file is empty"},
		{"text", "hello\n", "not JSON"},
		{"another file of JSON", `{"tools":[]}`, `does not say "format"`},
		{"a later form", `{"format":"gauntlet-trace","version":"2.0","tool":""}`, "knows 1.y"},
		{"a long line", strings.Repeat("x", 2<<20), "longer than"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Read(strings.NewReader(tt.text), Limits{Payload: 1})
			if !errors.Is(err, ErrNotTrace) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Read: %v, want ErrNotTrace with %q", err, tt.want)
			}
		})
	}
}

func TestLimits(t *testing.T) {
	small := Message{Seq: 1, Direction: ToServer, Kind: Invalid, Raw: "1234567890"}
	long := Message{Seq: 2, Direction: ToServer, Kind: Invalid, Raw: strings.Repeat("x", 11)}
	endless := Message{Seq: 3, Direction: ToServer, Kind: Invalid, Raw: strings.Repeat("x", 2<<20)}
	last := Message{Seq: 4, Direction: ToServer, Kind: Invalid, Raw: "ok"}
	got, err := Read(strings.NewReader(written(t, small, long, endless, last)), Limits{Payload: 10})
	if err != nil || len(got.Messages) != 2 || got.Unread != 2 {
		t.Fatalf("Read: %v, %d messages, problems %v", err, len(got.Messages), got.Problems)
	}
	got, err = Read(strings.NewReader(written(t, small, last)), Limits{Messages: 1})
	if err == nil || !strings.Contains(err.Error(), "more than 1 messages") || len(got.Messages) != 1 {
		t.Errorf("Read beyond the limit of messages: %v with %d messages", err, len(got.Messages))
	}
}

func TestContent(t *testing.T) {
	for _, tt := range []struct {
		name string
		m    Message
		want string // "" for absent
		err  string
	}{
		{"params", Message{Kind: Request, Raw: `{"id":1,"method":"a","params":{"x":1}}`}, `{"x":1}`, ""},
		{"no params", Message{Kind: Notification, Raw: `{"method":"a"}`}, ``, ""},
		{"a result", Message{Kind: Response, Raw: `{"id":1,"result":null}`}, `null`, ""},
		{"an error", Message{Kind: Error, Raw: `{"id":1,"error":{"code":-1}}`}, `{"code":-1}`, ""},
		{"an event", Message{Kind: Event, Raw: `{"type":"RUN_STARTED"}`}, `{"type":"RUN_STARTED"}`, ""},
		{"an event without a text", Message{Kind: Event, Method: "agent_card/get"}, ``, ""},
		{"a batch", Message{Kind: Batch, Raw: `[]`}, ``, "batch has no content"},
		{"no message", Message{Kind: Invalid, Raw: `{}`}, ``, "invalid has no content"},
		{"damage behind the id", Message{Kind: Request, Raw: `{"id":1`}, ``, "not JSON"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var tree rawjson.Tree
			v, err := tt.m.Content(&tree)
			if v.Raw() != tt.want || (err != nil) != (tt.err != "") || err != nil && !strings.Contains(err.Error(), tt.err) {
				t.Errorf("Content = %s, %v, want %s and an error with %q", v.Raw(), err, tt.want, tt.err)
			}
		})
	}
}

func TestModeAndAt(t *testing.T) {
	for want, m := range map[string]Message{
		"mcp_server":   {Role: AsServer},
		"a2a_client":   {Role: AsClient, Protocol: "a2a"},
		"ag_ui_client": {Role: AsClient, Protocol: "ag_ui"},
		"":             {Role: Between},
	} {
		if got := m.Mode(); got != want {
			t.Errorf("Mode of %+v = %q, want %q", m, got, want)
		}
	}
	tr := Trace{Messages: []Message{{Seq: 2}, {Seq: 5}}}
	if m := tr.At(5); m != &tr.Messages[1] {
		t.Errorf("At(5) = %v", m)
	}
	if m := tr.At(3); m != nil {
		t.Errorf("At(3) = %v, want nil", m)
	}
}

// A message that is meant as JSON and is none is unreadable; a line of a log between messages is no message.
func TestUnreadable(t *testing.T) {
	var tree rawjson.Tree
	for _, tt := range []struct {
		kind Kind
		raw  string
		want bool
	}{
		{Invalid, `{"id":1,"result":NaN}`, true},
		{Invalid, "\ufeff" + `{"id":1}`, true},
		{Invalid, "[1,", true},
		{Response, "null and void", true},
		{Invalid, `> {"jsonrpc":"2.0","id":1,"result":{}}`, true},
		{Invalid, "listening on 8080", false},
		{Invalid, `{"level":"info"}`, false},
		{Invalid, "", false},
		{Request, `{"id":1,"method":"ping"}`, false},
	} {
		if m := (&Message{Kind: tt.kind, Raw: tt.raw}); m.Unreadable(&tree) != tt.want {
			t.Errorf("%s %q: want %t", tt.kind, tt.raw, tt.want)
		}
	}
}
