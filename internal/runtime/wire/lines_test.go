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

// read returns what next says until the stream's end, errors in angle brackets.
func readLines(r io.Reader, l Limits) string {
	var got []string
	for in := NewLines(r, l); ; {
		line, err := in.Next()
		var tooLong *LineTooLongError
		switch {
		case err == nil:
			got = append(got, line)
		case errors.As(err, &tooLong):
			got = append(got, "<too long>")
		default:
			return strings.Join(append(got, "<"+err.Error()+">"), "|")
		}
	}
}

func TestLines(t *testing.T) {
	long := strings.Repeat("x", 200_000)
	for _, tt := range []struct {
		name, in string
		limits   Limits
		want     string
	}{
		{"ends are cut", "a\nb\r\n\n c \n", Limits{}, "a|b|| c |<EOF>"},
		{"the last line needs no end", "a\nb", Limits{}, "a|b|<EOF>"},
		{"at the limit", "abcd\nabcde\nabcd", Limits{Message: 4}, "abcd|<too long>|abcd|<EOF>"},
		{"the line behind a long one is whole", long + "\nnext\n", Limits{Message: 100}, "<too long>|next|<EOF>"},
		{"a long line that never ends", long, Limits{Message: 100}, "<too long>|<EOF>"},
		{"longer than the buffer and allowed", long + "\nz\n", Limits{}, long + "|z|<EOF>"},
		{"the total counts", "aaaa\naaaa\naaaa\n", Limits{Total: 12}, "aaaa|aaaa|<the server sent more than 12 bytes>"},
		{"the total counts inside a skipped line", long + "\n", Limits{Message: 9, Total: 150_000}, "<too long>|<the server sent more than 150000 bytes>"},
		{"nothing", "", Limits{}, "<EOF>"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for kind, r := range map[string]io.Reader{"whole": strings.NewReader(tt.in), "bytewise": iotest.OneByteReader(strings.NewReader(tt.in))} {
				if got := readLines(r, tt.limits); got != tt.want {
					t.Errorf("%s: got %.200q, want %.200q", kind, got, tt.want)
				}
			}
		})
	}
}

// An endless line costs the limit and no more.
func TestALongLineIsNotBuffered(t *testing.T) {
	const limit = 1 << 20
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	in := io.LimitReader(zeros{}, 256<<20)
	if got := readLines(in, Limits{Message: limit}); got != "<too long>|<EOF>" {
		t.Fatalf("got %s", got)
	}
	runtime.ReadMemStats(&after)
	if got := after.TotalAlloc - before.TotalAlloc; got > 4*limit {
		t.Errorf("%d bytes allocated for a line above a limit of %d", got, limit)
	}
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = '0'
	}
	return len(b), nil
}

func TestTailKeepsTheEnd(t *testing.T) {
	var s outputTail
	for i := range 100_000 {
		fmt.Fprintf(&s, "line %d\n", i)
	}
	text, before := s.lastLines()
	if !strings.HasPrefix(text, "line ") || !strings.HasSuffix(text, "\nline 99999\n") || len(text) > tailBytes || len(text) < tailBytes-20 {
		t.Errorf("kept %d bytes: %.20q … %q", len(text), text, text[len(text)-20:])
	}
	if want := s.total - int64(len(text)); before != want {
		t.Errorf("%d bytes before it, want %d", before, want)
	}
	if cap(s.buf) > 16*tailBytes {
		t.Errorf("holds %d bytes", cap(s.buf))
	}
}
