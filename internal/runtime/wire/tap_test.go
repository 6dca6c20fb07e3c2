package wire

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"gauntlet/trace"
)

// notes is a Tap that keeps what it is shown.
type notes struct {
	mu       sync.Mutex
	passages []Passage
}

func (n *notes) tap(p Passage) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.passages = append(n.passages, p)
}

// ways returns the texts that went out and those that came, each in order.
func (n *notes) ways() (out, in []string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, p := range n.passages {
		if p.Sent {
			out = append(out, p.Raw)
		} else {
			in = append(in, p.Raw)
		}
	}
	return out, in
}

// Everything that goes over a stream is shown once, whether or not anybody receives it.
func TestStreamShowsEveryLine(t *testing.T) {
	answer := `{"jsonrpc":"2.0","id":1,"result":{}}`
	said := []string{answer, "listening on stdio", "", answer, `{"jsonrpc":"2.0","id":99,"result":{}}`, `[{"jsonrpc":"2.0","method":"a"}]`, "\xff\xfe", `{"cut`}
	fromUs, ours := io.Pipe()
	theirs, toUs := io.Pipe()
	var n notes
	s := NewStream(theirs, ours, Limits{}, n.tap)
	var got []string
	var wg sync.WaitGroup
	wg.Go(func() { // ends when s closes its end
		lines := bufio.NewScanner(fromUs)
		for lines.Scan() {
			got = append(got, lines.Text())
		}
	})
	wg.Go(func() { // ends with what is said
		_, _ = io.WriteString(toUs, strings.Join(said, "\n"))
		_ = toUs.Close()
	})
	for i := range 100 {
		if err := s.Send(t.Context(), fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":"ping"}`, i)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Receive(t.Context()); err != nil { // the rest is received by nobody
		t.Fatal(err)
	}
	s.finish()
	<-s.readDone // the other end closed, so everything was read
	_ = s.Close()
	wg.Wait()
	out, in := n.ways()
	if !slices.Equal(out, got) {
		t.Errorf("the tap was shown %q going out, the peer read %q", out, got)
	}
	if !slices.Equal(in, said) {
		t.Errorf("the tap was shown %q coming in, the peer said %q", in, said)
	}
	came := slices.DeleteFunc(n.passages, func(p Passage) bool { return p.Sent })
	if last := came[len(came)-1]; last.Kind != Invalid || last.Note != "cut off by the end of the output" {
		t.Errorf("the last line is shown as %s (%s)", last.Kind, last.Note)
	}
}

func TestStreamShowsThatALineWasTooLong(t *testing.T) {
	var n notes
	in := io.NopCloser(strings.NewReader("short\n" + strings.Repeat("x", 100) + "\nshort\n"))
	s := NewStream(in, discard{}, Limits{Message: 10}, n.tap)
	s.finish()
	<-s.readDone
	_ = s.Close()
	if _, got := n.ways(); !slices.Equal(got, []string{"short", "", "short"}) {
		t.Errorf("shown %q", got)
	}
	if p := n.passages[1]; !strings.Contains(p.Note, "it was not kept") {
		t.Errorf("the note is %q", p.Note)
	}
}

type discard struct{}

func (discard) Write(b []byte) (int, error) { return len(b), nil }
func (discard) Close() error                { return nil }

// What goes over HTTP is shown once, whatever form the answer has.
func TestHTTPShowsEveryMessage(t *testing.T) {
	const (
		plain   = `{"jsonrpc":"2.0","id":1,"result":{"n":1}}`
		beside  = `{"jsonrpc":"2.0","method":"notifications/message"}`
		refusal = `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no"}}`
	)
	for _, tt := range []struct {
		name   string
		answer func(w http.ResponseWriter)
		shown  []string
		kind   Kind // of the last one
	}{
		{"JSON", send(200, "application/json", plain), []string{plain}, Response},
		{"an event stream", send(200, "text/event-stream", "data: "+beside+"\n\ndata: "+plain+"\n\n"), []string{beside, plain}, Response},
		{"an event of another type", send(200, "text/event-stream", "event: tick\ndata: 7\n\ndata: "+plain+"\n\n"), []string{"7", plain}, Response},
		{"no JSON", send(200, "application/json", "hello"), []string{"hello"}, Invalid},
		{"another type", send(200, "text/html", "<p>hello"), []string{"<p>hello"}, Invalid},
		{"a refusal with the answer in it", send(404, "application/json", refusal), []string{refusal}, Error},
		{"a refusal in words", send(500, "text/plain", "out of order"), []string{"out of order"}, Invalid},
		{"a refusal without a word", send(500, "text/plain", ""), []string{""}, Invalid},
		{"nothing", send(200, "application/json", ""), []string{""}, Invalid},
		{"too much", send(200, "application/json", strings.Repeat(" ", 2000)+plain), []string{""}, Invalid},
		{"a stream with too much", send(200, "text/event-stream", "data: "+strings.Repeat("x", 2000)+"\n\n"), []string{""}, Invalid},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, url := record(t, func(w http.ResponseWriter, _ *http.Request, q message) { tt.answer(w) })
			h := dial(t, Endpoint{URL: url, Header: []string{"X-Name=" + canary}, Bearer: "TOKEN=" + canary, Limits: Limits{Message: 1000}})
			var n notes
			h.Tap(n.tap)
			request := `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}`
			_, _ = NewClient(h, Limits{}).Call(t.Context(), "tools/list", "{}") // some fail
			_ = h.Close()
			out, in := n.ways()
			if !slices.Equal(out, []string{request}) || !slices.Equal(in, tt.shown) {
				t.Fatalf("shown %q going out and %q coming in, want %q and %q", out, in, request, tt.shown)
			}
			first, last := n.passages[0], n.passages[len(n.passages)-1]
			if last.Kind != tt.kind || last.Kind == Invalid && last.Note == "" {
				t.Errorf("the last is shown as %s (%s), want %s", last.Kind, last.Note, tt.kind)
			}
			if first.Post == nil || last.HTTP == nil || first.Post.Exchange != 1 || last.HTTP.Exchange != 1 {
				t.Errorf("the exchanges are %+v and %+v, want 1", first.Post, last.HTTP)
			}
			if text := fmt.Sprint(first.Post.Header); strings.Contains(text, canary) || !strings.Contains(text, "Accept") {
				t.Errorf("the header fields of the request are %s", text)
			}
		})
	}
}

// A notification is owed no answer. What comes all the same is shown if it is a message, or
// says why the notification was refused.
func TestHTTPShowsAnswersToNotifications(t *testing.T) {
	const (
		refusal = `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no"}}`
		last    = `{"jsonrpc":"2.0","id":1,"result":{}}`
	)
	for _, tt := range []struct {
		name   string
		answer func(w http.ResponseWriter)
		shown  []string
	}{
		{"nothing", send(202, "", ""), nil},
		{"a pleasantry", send(202, "text/plain", "Accepted"), nil},
		{"a message", send(200, "application/json", refusal), []string{refusal}},
		{"a refusal in words", send(400, "text/plain", "no session"), []string{"no session"}},
		{"a refusal without a word", send(400, "", ""), nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, url := record(t, func(w http.ResponseWriter, _ *http.Request, q message) {
				if q.ID == nil {
					tt.answer(w)
				} else {
					send(200, "application/json", last)(w)
				}
			})
			h := dial(t, Endpoint{URL: url})
			var n notes
			h.Tap(n.tap)
			c := NewClient(h, Limits{})
			if err := c.Notify(t.Context(), "notifications/initialized", "{}"); err != nil {
				t.Fatal(err)
			}
			if _, err := c.Call(t.Context(), "ping", "{}"); err != nil { // goes out when the notification is through
				t.Fatal(err)
			}
			if _, in := n.ways(); !slices.Equal(in, append(tt.shown, last)) {
				t.Errorf("shown %q, want %q and the answer", in, tt.shown)
			}
		})
	}
}

func send(status int, kind, body string) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) {
		w.Header().Set("Content-Type", kind)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// played returns the messages of a trace into which passages went.
func played(t *testing.T, about trace.Message, ps ...Passage) []trace.Message {
	t.Helper()
	var out []trace.Message
	r := trace.NewRecorder(func(m *trace.Message) error { out = append(out, *m); return nil }, trace.RecorderOptions{})
	tape := NewTape(r, about)
	for _, p := range ps {
		tape.Record(p)
	}
	if err := tape.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

func byUs(raw string) Passage   { return Passage{Message: Decode(raw), Sent: true} }
func byThem(raw string) Passage { return Passage{Message: Decode(raw)} }

func TestTapeKnowsTheWay(t *testing.T) {
	for role, want := range map[trace.Role]trace.Direction{trace.AsClient: trace.ToServer, trace.Between: trace.ToServer, trace.AsServer: trace.ToClient} {
		got := played(t, trace.Message{Role: role, Server: "files", Session: "s1"}, byUs(`{"id":1,"method":"a"}`), byThem(`{"id":1,"result":{}}`))
		if got[0].Direction != want || got[1].Direction == want || got[1].ReplyTo != 1 || got[1].Server != "files" || got[1].Role != role {
			t.Errorf("%s: %+v", role, got)
		}
	}
}

func TestTapeKnowsTheRevision(t *testing.T) {
	got := played(t, trace.Message{},
		byUs(`{"id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}`),
		byThem(`{"id":2,"result":{"protocolVersion":"1999-01-01"}}`), // answers something else
		byThem(`{"id":1,"result":{"protocolVersion":"2025-06-18"}}`),
		byUs(`{"method":"notifications/initialized"}`),
		byUs(`{"id":3,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`),
		byThem(`{"id":3,"result":{}}`),
		byUs(`{"id":4,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"`+strings.Repeat("9", 99)+`"}}}`),
		byUs(`{"id":5,"method":"tools/list","params":[]}`))
	want := []string{"2025-11-25", "2025-11-25", "2025-06-18", "2025-06-18", "2026-07-28", "2026-07-28", "2026-07-28", "2026-07-28"}
	for i, m := range got {
		if m.Revision != want[i] {
			t.Errorf("%s has the revision %q, want %q", m.Raw, m.Revision, want[i])
		}
	}
}

func TestTapeTakesBatchesApart(t *testing.T) {
	got := played(t, trace.Message{}, byUs(`[{"id":1,"method":"a"},{"id":2,"method":"b"}]`), byThem(`{"id":2,"result":{}}`))
	if len(got) != 4 || got[0].Kind != trace.Batch || got[1].PartOf != 1 || got[2].PartOf != 1 || got[2].Method != "b" || got[3].ReplyTo != 3 {
		t.Errorf("%+v", got)
	}
	many := "[" + strings.Repeat(`{"method":"a"},`, maxParts) + `{"method":"b"}]`
	if got := played(t, trace.Message{}, byUs(many)); len(got) != 1+maxParts || got[0].Note == "" || got[0].Raw != many {
		t.Errorf("a batch of %d became %d messages with the note %q", maxParts+1, len(got), got[0].Note)
	}
}

func TestTapeTellsWhatWasLost(t *testing.T) {
	full, n := errors.New("no space"), 0
	r := trace.NewRecorder(func(*trace.Message) error {
		if n++; n == 2 {
			return full
		}
		return nil
	}, trace.RecorderOptions{})
	tape := NewTape(r, trace.Message{})
	if tape.Record(byUs("1")); tape.Err() != nil {
		t.Error(tape.Err())
	}
	if tape.Record(byUs("2")); !errors.Is(tape.Err(), full) {
		t.Error("nobody learns that a message was lost")
	}
	if tape.Record(byUs("3")); n != 3 || !errors.Is(tape.Err(), full) {
		t.Errorf("%d messages were handed on, want 3; %v", n, tape.Err())
	}
}
