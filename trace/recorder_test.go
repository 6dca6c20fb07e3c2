package trace

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
)

// record returns the messages as a Recorder hands them on.
func record(t *testing.T, o RecorderOptions, ms ...Message) []Message {
	t.Helper()
	var out []Message
	r := NewRecorder(func(m *Message) error { out = append(out, *m); return nil }, o)
	for _, m := range ms {
		got, err := r.Record(m)
		if err != nil {
			t.Fatal(err)
		}
		if last := out[len(out)-1]; got.Seq != last.Seq || got.Raw != last.Raw {
			t.Errorf("Record returned %+v and handed on %+v", got, last)
		}
	}
	return out
}

func TestAnswersFindTheirRequests(t *testing.T) {
	ask := func(id, method string) Message {
		return Message{Direction: ToServer, Kind: Request, ID: id, Method: method}
	}
	reply := func(id string) Message { return Message{Direction: ToClient, Kind: Response, ID: id} }
	in := func(session string, m Message) Message { m.Session = session; return m }
	over := func(exchange int, m Message) Message { m.HTTP = &HTTP{Exchange: exchange}; return m }
	type want struct {
		reply  int
		method string
		stray  Stray
	}
	for _, tt := range []struct {
		name string
		ms   []Message
		want want // of the last message
	}{
		{"an answer", []Message{ask("1", "tools/list"), reply("1")}, want{1, "tools/list", ""}},
		{"an error", []Message{ask("1", "tools/list"), {Direction: ToClient, Kind: Error, ID: "1"}}, want{1, "tools/list", ""}},
		{"out of order", []Message{ask("1", "a"), ask("2", "b"), reply("2"), reply("1")}, want{1, "a", ""}},
		{"a second answer", []Message{ask("1", "a"), reply("1"), reply("1")}, want{0, "", Duplicate}},
		{"an id nobody used", []Message{ask("1", "a"), reply("2")}, want{0, "", UnknownID}},
		{"an answer before its request", []Message{reply("1")}, want{0, "", UnknownID}},
		{"an answer the same way as its request", []Message{ask("1", "a"), {Direction: ToServer, Kind: Response, ID: "1"}}, want{0, "", UnknownID}},
		{"a request of the server's own", []Message{ask("1", "a"), {Direction: ToClient, Kind: Request, ID: "1", Method: "elicitation/create"},
			{Direction: ToServer, Kind: Response, ID: "1"}}, want{2, "elicitation/create", ""}},
		{"another session", []Message{in("s1", ask("1", "a")), in("s2", reply("1"))}, want{0, "", UnknownID}},
		{"an id used again", []Message{ask("1", "a"), reply("1"), ask("1", "b"), reply("1")}, want{3, "b", ""}},
		{"two with one id, the first waits longest", []Message{ask("1", "a"), ask("1", "b"), reply("1")}, want{1, "a", ""}},
		{"two with one id, told apart by HTTP", []Message{over(1, ask("1", "a")), over(2, ask("1", "b")), over(2, reply("1"))}, want{2, "b", ""}},
		{"answered in another exchange", []Message{over(1, ask("1", "a")), over(2, reply("1"))}, want{1, "a", ""}},
		{"another spelling of the number", []Message{ask("1", "a"), reply("1.0")}, want{1, "a", ""}},
		{"another spelling of the string", []Message{ask(`"a"`, "a"), reply(`"\u0061"`)}, want{1, "a", ""}},
		{"a number and its text", []Message{ask("1", "a"), reply(`"1"`)}, want{1, "a", ""}},
		{"a lie of the caller's", []Message{{Direction: ToClient, Kind: Response, ID: "1", ReplyTo: 7, Method: "x"}}, want{0, "", UnknownID}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			out := record(t, RecorderOptions{}, tt.ms...)
			m := out[len(out)-1]
			if got := (want{m.ReplyTo, m.Method, m.Stray}); got != tt.want {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
		})
	}
}

func TestRequestsWithOneIDAreBounded(t *testing.T) {
	var c Correlator
	for seq := range 10 * maxWaiting {
		c.Correlate(&Message{Seq: seq + 1, Direction: ToServer, Kind: Request, ID: "1", Method: "a"})
	}
	m := Message{Direction: ToClient, Kind: Response, ID: "1"}
	if c.Correlate(&m); m.ReplyTo != 9*maxWaiting+1 {
		t.Errorf("the answer belongs to %d, want the oldest of the last %d", m.ReplyTo, maxWaiting)
	}
}

// However long the trace and however strange the ids, what a Correlator remembers is bounded,
// and what it remembers are the latest.
func TestCorrelatorIsBounded(t *testing.T) {
	var c Correlator
	long := strings.Repeat("x", 1000)
	for seq := 1; seq <= 3*maxKnown; seq++ {
		c.Correlate(&Message{Seq: seq, Direction: ToServer, Kind: Request, ID: fmt.Sprintf(`"%s%d"`, long[:seq%2*1000], seq), Method: long})
		if seq%3 == 0 {
			c.Correlate(&Message{Direction: ToClient, Kind: Response, ID: fmt.Sprintf(`"%s%d"`, long[:seq%2*1000], seq)})
		}
	}
	if len(c.ids) > 2*maxKnown || c.waiting.Len() > maxKnown || c.answered.Len() > maxKnown || c.count > maxKnown {
		t.Errorf("%d ids, %d waiting, %d answered", len(c.ids), c.count, c.answered.Len())
	}
	for at := range c.ids {
		if len(at.id) > 2*longestID {
			t.Fatalf("an id of %d bytes is kept", len(at.id))
		}
	}
	latest := 3*maxKnown - 1 // no multiple of 3
	m := Message{Direction: ToClient, Kind: Response, ID: fmt.Sprintf(`"%s%d"`, long[:latest%2*1000], latest)}
	if c.Correlate(&m); m.ReplyTo != latest || m.Method != "" {
		t.Errorf("the answer to the latest request belongs to %d (%.20s)", m.ReplyTo, m.Method)
	}
	if c.Correlate(&m); m.Stray != Duplicate {
		t.Errorf("its second answer is %q", m.Stray)
	}
}

// A request that waits is not forgotten for those that were answered meanwhile.
func TestLongRequestsAreRemembered(t *testing.T) {
	var c Correlator
	c.Correlate(&Message{Seq: 1, Direction: ToServer, Kind: Request, ID: "1", Method: "subscriptions/listen"})
	for seq := 2; seq <= 3*maxKnown; seq++ {
		c.Correlate(&Message{Seq: seq, Direction: ToServer, Kind: Request, ID: fmt.Sprint(seq)})
		c.Correlate(&Message{Direction: ToClient, Kind: Response, ID: fmt.Sprint(seq)})
	}
	m := Message{Direction: ToClient, Kind: Response, ID: "1"}
	if c.Correlate(&m); m.ReplyTo != 1 || m.Method != "subscriptions/listen" {
		t.Errorf("the answer belongs to %d", m.ReplyTo)
	}
}

func TestCredentialsStayOut(t *testing.T) {
	secret := []string{"AccessToken", "XAuthToken", "Set-Cookie2", "ApiKey2", "X-Keys", "X-Pwd", "SessionToken", "Authorization", "Proxy-Authorization", "cookie", "Set-Cookie", "X-API-Key", "x-auth-token", "Mcp-Session-Id",
		"MCP-SESSION-ID", "X-Amz-Security-Token", "Api_Key", "X-Apikey", "Mcp-Param-Password", "DPoP", "X.Session"}
	plain := []string{"X-Author", "Keynote", "Pinned", "Content-Type", "MCP-Protocol-Version", "Mcp-Method", "Mcp-Name", "WWW-Authenticate", "Origin", "Host", "X-Author", "X-Monkey", "ETag"}
	m := Message{Direction: ToServer, Kind: Request, Raw: "{}", HTTP: &HTTP{}}
	for _, name := range append(append([]string{}, secret...), plain...) {
		m.HTTP.Headers = append(m.HTTP.Headers, Field{Name: name, Value: "hunter2"})
	}
	out := record(t, RecorderOptions{}, m)[0]
	direct := Message{Seq: 1, Direction: m.Direction, Kind: m.Kind, HTTP: m.HTTP}
	read, err := Read(strings.NewReader(written(t, direct)), Limits{})
	if err != nil {
		t.Fatal(err)
	}
	for where, got := range map[string]Message{"Recorder": out, "Writer": read.Messages[0]} {
		for i, f := range got.HTTP.Headers {
			want := Field{Name: m.HTTP.Headers[i].Name, Value: "hunter2"}
			if i < len(secret) {
				want = Field{Name: want.Name, Withheld: true}
			}
			if f != want {
				t.Errorf("%s: %+v, want %+v", where, f, want)
			}
		}
	}
	if m.HTTP.Headers[0].Value != "hunter2" {
		t.Error("the caller's headers were changed")
	}
}

func TestRedaction(t *testing.T) {
	o := RecorderOptions{Redact: strings.NewReplacer("hunter2", "[PASSWORD]").Replace}
	echo := Message{Direction: ToClient, Kind: Request, ID: `"hunter2"`, Method: "a/hunter2", Raw: `{"env":"hunter2"}`,
		HTTP: &HTTP{Headers: []Field{{Name: "X-Echo", Value: "hunter2"}}}}
	answer := Message{Direction: ToServer, Kind: Response, ID: `"hunter2"`, Raw: `{}`}
	out := record(t, o, echo, answer, Message{Direction: ToServer, Kind: Notification, Raw: `{}`})
	var b bytes.Buffer
	w, _ := NewWriter(&b, "")
	for i := range out {
		if err := w.Write(&out[i]); err != nil {
			t.Fatal(err)
		}
	}
	if strings.Contains(b.String(), "hunter2") {
		t.Errorf("the secret is in the trace:\n%s", &b)
	}
	if !out[0].Redacted || out[2].Redacted {
		t.Errorf("Redacted is %v and %v, want true for what was changed and false for what was not", out[0].Redacted, out[2].Redacted)
	}
	if out[1].ReplyTo != 1 {
		t.Error("ids were redacted before answers were looked for")
	}
	if echo.HTTP.Headers[0].Value != "hunter2" {
		t.Error("the caller's headers were changed")
	}
}

// What could not be handed on leaves its number out, and what comes behind it is recorded.
func TestRecorderGoesOnBehindAFailure(t *testing.T) {
	full, lost := errors.New("no space"), map[int]bool{2: true, 3: true}
	var kept []int
	r := NewRecorder(func(m *Message) error {
		if lost[m.Seq] {
			return full
		}
		kept = append(kept, m.Seq)
		return nil
	}, RecorderOptions{})
	for n := 1; n <= 4; n++ {
		if _, err := r.Record(Message{}); errors.Is(err, full) != lost[n] {
			t.Errorf("message %d: %v", n, err)
		}
	}
	if !slices.Equal(kept, []int{1, 4}) {
		t.Errorf("kept %v, want 1 and 4", kept)
	}
}

func TestRecorderMayBeShared(t *testing.T) {
	w, _ := NewWriter(io.Discard, "")
	r := NewRecorder(w.Write, RecorderOptions{})
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() { // ends by itself
			for range 100 {
				if _, err := r.Record(Message{Direction: ToServer, Kind: Request, ID: "1"}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if r.seq != 800 {
		t.Errorf("%d messages, want 800", r.seq)
	}
}
