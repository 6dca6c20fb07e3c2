package gateway

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"

	"gauntlet/internal/runtime/mcpserver"
	"gauntlet/internal/runtime/wire"
	"gauntlet/rawjson"
	"gauntlet/trace"
)

var calls = flag.Int("calls", 5_000, "how many calls TestNothingLost makes")

// Many calls over ten servers, one of which is killed and comes back: every message that
// went over a connection stands in the trace once, and every call has its answer.
func TestNothingLost(t *testing.T) {
	var file bytes.Buffer
	w, err := trace.NewWriter(&file, "test")
	if err != nil {
		t.Fatal(err)
	}
	recorder := trace.NewRecorder(w.Write, trace.RecorderOptions{})
	var mu sync.Mutex
	sessions := 0
	var backends []*backend
	for n := range 10 {
		b := back(t, fmt.Sprintf("s%d", n), fmt.Sprintf("tool%d", n))
		backends = append(backends, b)
		b.tap = func() wire.Tap {
			mu.Lock()
			defer mu.Unlock()
			sessions++
			return wire.NewTape(recorder, trace.Message{Server: b.name, Role: trace.Between, Session: fmt.Sprint("s", sessions)}).Record
		}
	}
	f := open(t, Options{}, backends...)
	f.begin("{}")
	f.call("tools/list", "{}")
	failed, answered := 0, 0
	for n := range *calls {
		if n == *calls/2 {
			backends[3].kill(false)
		}
		_, err := f.try("tools/call", fmt.Sprintf(`{"name":"tool%d","arguments":{"n":%d}}`, n%10, n))
		if err != nil {
			failed++ // the one whose server was killed under it
		} else {
			answered++
		}
	}
	if failed > 1 {
		t.Errorf("%d calls failed, want those of the server that was killed", failed)
	}
	f.gw.Close()
	if err := w.End(trace.End{}); err != nil {
		t.Fatal(err)
	}
	// Each server counted what it was called with; the trace has the same, each once.
	seen := map[string]int{}
	asked, replies := 0, 0
	r, err := trace.NewReader(strings.NewReader(file.String()), trace.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	for {
		m, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case m.Method != "tools/call":
		case m.Kind == trace.Request:
			asked++
			seen[m.Server+" "+rawjson.LastMember(m.Raw, "params")]++
		case m.Kind == trace.Response:
			replies++
		}
	}
	for key, n := range seen {
		if n != 1 {
			t.Errorf("%s stands in the trace %d times", key, n)
		}
	}
	served := 0
	for _, b := range backends {
		served += len(b.calls)
		for _, params := range b.calls {
			if seen[b.name+" "+params] != 1 {
				t.Errorf("%s was called with %s, which the trace has %d times", b.name, params, seen[b.name+" "+params])
			}
		}
	}
	if answered != replies || asked < served {
		t.Errorf("%d answers, %d in the trace; %d calls served, %d in the trace", answered, replies, served, asked)
	}
}

// A call through the gateway beside the same call without it.
func BenchmarkCall(b *testing.B) {
	t := &testing.T{}
	up := back(t, "mail", "send")
	up.state.Call = serveText
	direct, err := mcpserver.New(up.state, mcpserver.Options{})
	if err != nil {
		b.Fatal(err)
	}
	gw, err := New(Options{Upstreams: []Upstream{up.upstream(), back(t, "web", "fetch").upstream()}})
	if err != nil {
		b.Fatal(err)
	}
	defer gw.Close()
	for _, tt := range []struct {
		name string
		s    *mcpserver.Server
	}{{"direct", direct}, {"gateway", gw.Server()}} {
		b.Run(tt.name, func(b *testing.B) {
			conn := joined(tt.s, nil)
			defer conn.Close()
			c := wire.NewClient(conn, wire.Limits{})
			for _, m := range [][2]string{
				{"initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"agent","version":"7"}}`},
				{"tools/list", "{}"},
			} {
				if _, err := c.Call(b.Context(), m[0], m[1]); err != nil {
					b.Fatal(err)
				}
			}
			for b.Loop() {
				if _, err := c.Call(b.Context(), "tools/call", `{"name":"send","arguments":{"n":1}}`); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func serveText(context.Context, mcpserver.Call) (string, error) {
	return `{"content":[{"type":"text","text":"done"}]}`, nil
}
