package wire

import (
	"context"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// What lines says of a stream does not depend on how the pipe cuts it; no line is above the
// limit, and those that are none are parts of the stream in their order.
func FuzzLines(f *testing.F) {
	for _, s := range []string{"a\nb\r\n\n", "aaaaaaaaaaaaaaaaaaaaaaaa\nb", "\r\n\r", "\xff\x00\n", strings.Repeat("x\n", 40)} {
		f.Add(s, []byte{0, 3, 1})
	}
	f.Fuzz(func(t *testing.T, s string, sizes []byte) {
		limits := Limits{Message: 16, Total: 64}
		want := readLines(strings.NewReader(s), limits)
		if got := readLines(&chunks{s: s, sizes: sizes}, limits); got != want {
			t.Errorf("in chunks of %v: %q, whole: %q", sizes, got, want)
		}
		rest := s
		for in := NewLines(strings.NewReader(s), limits); ; {
			line, err := in.Next()
			if _, tooLong := err.(*LineTooLongError); err != nil && !tooLong {
				break
			}
			at := strings.Index(rest, line)
			if len(line) > limits.Message || at < 0 {
				t.Fatalf("%q is longer than %d bytes or does not stand in %q", line, limits.Message, rest)
			}
			rest = rest[at+len(line):]
		}
	})
}

// answering is a server whose every answer is this one.
type answering struct {
	status     int
	kind, body string
	sizes      []byte
}

func (a answering) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		_, _ = io.Copy(io.Discard, r.Body)
		_ = r.Body.Close()
	}
	return &http.Response{
		StatusCode: a.status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, ContentLength: -1, Request: r,
		Header: http.Header{"Content-Type": {a.kind}}, Body: io.NopCloser(&chunks{s: a.body, sizes: a.sizes}),
	}, nil
}

// Whatever an HTTP answer is, a request has exactly one outcome, which does not depend on how
// the network cuts it: a result that stands in the body and has the request's id, or an error.
func FuzzHTTPAnswer(f *testing.F) {
	for _, s := range []struct {
		status uint16
		sse    bool
		body   string
	}{
		{200, false, `{"jsonrpc":"2.0","id":1,"result":{}}`}, {200, true, "data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n\n"},
		{200, false, `[{"jsonrpc":"2.0","method":"n"},{"jsonrpc":"2.0","id":1,"error":{"code":1}}]`}, {404, false, "no"}, {202, true, ""},
		{200, true, "event: endpoint\ndata: /x\n\n"}, {400, false, `{"error":{"code":-32022}}`}, {307, false, ""}, {200, true, "id: 1\nretry: 1\n\n"},
	} {
		f.Add(s.status, s.sse, s.body, []byte{0, 3, 1})
	}
	f.Fuzz(func(t *testing.T, status uint16, sse bool, body string, sizes []byte) {
		if sse && numbered(body) {
			return // a stream that ends and can be taken up again makes us wait
		}
		a := answering{status: 100 + int(status)%500, kind: "application/json", body: body}
		if sse {
			a.kind = "text/event-stream"
		}
		want := outcome(t, a)
		a.sizes = sizes
		if got := outcome(t, a); got != want {
			t.Errorf("in chunks of %v: %q, whole: %q", sizes, got, want)
		}
	})
}

// numbered reports whether an event stream may give an event an id.
func numbered(stream string) bool {
	lines := strings.FieldsFunc(strings.ReplaceAll(stream, "\ufeff", "\n"), func(r rune) bool { return r == '\r' || r == '\n' })
	return slices.ContainsFunc(lines, func(l string) bool { return strings.HasPrefix(l, "id") })
}

func outcome(t *testing.T, a answering) string {
	h, err := Dial(Endpoint{URL: "http://x/mcp", Transport: a, Limits: Limits{Message: 256, Total: 4096, Strays: 10, TotalStrays: 20}})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	m, err := NewClient(h, h.limits).Call(ctx, "tools/list", "{}")
	switch {
	case ctx.Err() != nil:
		t.Fatalf("no outcome for %+v", a)
	case err != nil && m.Kind == Response:
		// The message of an error is there too, and says what came.
		t.Fatalf("a result and the error %v for %+v", err, a)
	case err == nil && (m.Kind != Response || m.ID != "1" || !strings.Contains(a.body, m.Result) || m.Result == "") && a.kind == "application/json":
		t.Fatalf("%+v is no answer in %+v", m, a)
	case err != nil:
		return "error " + err.Error()
	}
	return strconv.Quote(m.Result)
}
