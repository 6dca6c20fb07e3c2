package wire

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
)

// readEvents returns what next says until the stream's end: "name:data" where a name is
// there, errors in angle brackets, and behind that the id and the retry if they came.
func readEvents(r io.Reader, limit int) string {
	var got []string
	ev := newEvents(r, limit)
	for {
		e, err := ev.nextEvent()
		if err != nil {
			got = append(got, "<"+err.Error()+">")
			break
		}
		if e.name != "" {
			e.data = e.name + ":" + e.data
		}
		got = append(got, e.data)
	}
	if ev.lastID != "" {
		got = append(got, "id "+ev.lastID)
	}
	if ev.retry != 0 {
		got = append(got, ev.retry.String())
	}
	return strings.Join(got, "|")
}

func TestEvents(t *testing.T) {
	long := strings.Repeat("x", 100_000)
	for _, tt := range []struct {
		name, in string
		limit    int
		want     string
	}{
		{"one event", "data: {}\n\n", 99, "{}|<EOF>"},
		{"only one space is cut", "data:  a \n\n", 99, " a |<EOF>"},
		{"no space", "data:a\n\n", 99, "a|<EOF>"},
		{"lines are joined", "data: {\ndata:  \"a\":1\ndata\ndata: }\n\n", 99, "{\n \"a\":1\n\n}|<EOF>"},
		{"CR", "data: a\r\rdata: b\r\r", 99, "a|b|<EOF>"},
		{"CRLF", "data: a\r\ndata: b\r\n\r\ndata: c\r\n\r\n", 99, "a\nb|c|<EOF>"},
		{"mixed ends", "data: a\r\ndata: b\rdata: c\n\r\n", 99, "a\nb\nc|<EOF>"},
		{"no blank line at the end", "data: a\n\ndata: b\n", 99, "a|b|<EOF>"},
		{"no line end at the end", "data: a\n\ndata: b", 99, "a|b|<EOF>"},
		{"comments and unknown fields", ": ping\n:\nfoo: bar\ndata: a\n: pong\n\n", 99, "a|<EOF>"},
		{"a name", "event: endpoint\ndata: /x\n\ndata: y\n\n", 99, "endpoint:/x|y|<EOF>"},
		{"no data is no event", "event: message\nid: 1\n\nid: 2\ndata:\n\ndata: a\n\n", 99, "a|<EOF>|id 2"},
		{"id and retry", "id: 7\nretry: 250\ndata: a\n\n", 99, "a|<EOF>|id 7|250ms"},
		{"an id with a NUL and a retry that is no number", "id: 7\x008\nretry: soon\nretry: -1\ndata: a\n\n", 99, "a|<EOF>"},
		{"a byte order mark", "\ufeffdata: a\n\ndata: \ufeffb\n\n", 99, "a|\ufeffb|<EOF>"},
		{"invalid UTF-8 stays", "data: \xff\xc0\n\n", 99, "\xff\xc0|<EOF>"},
		{"nothing", "", 99, "<EOF>"},
		{"at the limit", "data: abcd\n\ndata: abcdefgh\n\n", 4, "abcd|<an event of more than 4 bytes>"},
		{"above the buffer and allowed", "data: " + long + "\n\n", 100_000, long + "|<EOF>"},
		{"a line without an end", "data: " + long, 100, "<an event of more than 100 bytes>"},
		{"many short lines", strings.Repeat("data: abc\n", 1000), 100, "<an event of more than 100 bytes>"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for kind, r := range map[string]io.Reader{"whole": strings.NewReader(tt.in), "bytewise": iotest.OneByteReader(strings.NewReader(tt.in))} {
				if got := readEvents(r, tt.limit); got != tt.want {
					t.Errorf("%s: got %.200q, want %.200q", kind, got, tt.want)
				}
			}
		})
	}
}

func TestABrokenStreamIsNoEnd(t *testing.T) {
	r := io.MultiReader(strings.NewReader("data: a\n\ndata: b\n"), iotest.ErrReader(errors.New("reset")))
	if got := readEvents(r, 99); got != "a|<reset>" {
		t.Errorf("got %q: half an event must not pass for a whole one", got)
	}
}

// An endless line costs the limit and no more.
func TestALongEventIsNotBuffered(t *testing.T) {
	const limit = 1 << 20
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	in := io.MultiReader(strings.NewReader("data: "), io.LimitReader(zeros{}, 256<<20))
	if got := readEvents(in, limit); got != fmt.Sprintf("<an event of more than %d bytes>", limit) {
		t.Fatalf("got %s", got)
	}
	runtime.ReadMemStats(&after)
	if got := after.TotalAlloc - before.TotalAlloc; got > 4*limit {
		t.Errorf("%d bytes allocated for an event above a limit of %d", got, limit)
	}
}

// chunks reads s in pieces whose lengths are the bytes of sizes, over and over.
type chunks struct {
	s     string
	sizes []byte
	n     int
}

func (c *chunks) Read(b []byte) (int, error) {
	if c.s == "" {
		return 0, io.EOF
	}
	size := 1
	if len(c.sizes) > 0 {
		size = 1 + int(c.sizes[c.n%len(c.sizes)])
		c.n++
	}
	n := copy(b[:min(size, len(b))], c.s)
	c.s = c.s[n:]
	return n, nil
}

// The events of a stream do not depend on how the network cuts it.
func FuzzEvents(f *testing.F) {
	for _, s := range []string{"data: {}\n\n", "id: 1\r\ndata: a\r\rdata: b", ":\n\nretry: 1\n\ufeff", "event: x\ndata\ndata:\n\n", "data: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n\n"} {
		f.Add(s, []byte{0, 3, 1})
	}
	f.Fuzz(func(t *testing.T, s string, sizes []byte) {
		const limit = 64
		want := readEvents(strings.NewReader(s), limit)
		if got := readEvents(&chunks{s: s, sizes: sizes}, limit); got != want {
			t.Errorf("in chunks of %v: %q, whole: %q", sizes, got, want)
		}
	})
}
