package attackmcp

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gauntlet/internal/runtime/mcpserver"
	"gauntlet/trace"
)

// soakCalls is how many calls TestSoak makes: an hour of an agent that calls a hundred
// times a second is 360000.
var soakCalls = flag.Int("soak", 6000, "calls of TestSoak")

const soaked = `
mode: mcp_server
phases:
  - name: trust
    state:
      tools: [{name: echo, inputSchema: {type: object}, responses: [{content: [{type: text, text: "{{request.arguments.text}} {{seen}}"}]}]}]
    extractors: [{name: seen, source: request, type: json_path, selector: $.arguments.text}]
    trigger: {event: tools/call, count: 1000}
  - name: pulled
    on_enter: [{send: {method: notifications/tools/list_changed}}]
    state:
      tools: [{name: echo, inputSchema: {type: object}, responses: [{content: [{type: text, text: pulled}]}]}]
    trigger: {event: tools/call, match: {name: never}}
`

// TestSoak plays many calls at full speed, over stdio and over HTTP in sessions that come and go:
// every message is in the trace once, and neither memory, goroutines nor descriptors grow with
// their number.
func TestSoak(t *testing.T) {
	kept := newTally()
	r, err := newRun(load(t, soaked), playOptions{
		Recorder: trace.NewRecorder(kept.record, trace.RecorderOptions{}), Limit: time.Hour,
		Serve: mcpserver.Options{IdleStream: true},
	})
	if err != nil {
		t.Fatal(err)
	}
	// Both transports carry the one server.
	toServer, in := io.Pipe()
	out, fromServer := io.Pipe()
	engine := r.Servers()[0]
	ctx, cancel := context.WithCancel(t.Context())
	stdio := make(chan error, 1)
	go func() { stdio <- engine.Stdio(ctx, toServer, fromServer) }() // ends with in
	base, end := runOnHTTP(t, r)

	desk := &desk{t: t, in: in, out: bufio.NewReader(out), from: out}
	kept.saw(desk.hello(`{}`))
	kept.sent.Add(2)
	const rounds = 10
	each := *soakCalls / 2 / rounds
	var before, after usage
	start := time.Now()
	for round := range rounds {
		var work sync.WaitGroup
		work.Go(func() { // ends with its calls
			for range each {
				desk.request("tools/call", `{"name":"echo","arguments":{"text":"hello"}}`)
				kept.sent.Add(1)
				for line := desk.next(); ; line = desk.next() {
					if kept.saw(line) {
						break
					}
				}
			}
		})
		const clients = 4
		for range clients {
			work.Go(func() { soakSession(t, base+mcpserver.Path, each/clients, kept) }) // ends with its calls
		}
		work.Wait()
		switch round {
		case 1: // warm
			before = used()
		case rounds - 1:
			after = used()
		}
	}
	took := time.Since(start)
	_ = in.Close()
	if err := <-stdio; err != nil {
		t.Error(err)
	}
	_ = out.Close()
	cancel()
	if sum := end(); sum.Lost != "" {
		t.Error(sum.Lost)
	}
	t.Logf("%d calls in %s; heap %d kB at a fifth of them, %d kB at the end; goroutines %d and %d, descriptors %d and %d",
		each*2*rounds, took.Round(time.Millisecond), before.heap>>10, after.heap>>10, before.goroutines, after.goroutines, before.files, after.files)
	kept.check(t)
	if after.heap > before.heap+4<<20 {
		t.Errorf("the heap grew from %d to %d bytes", before.heap, after.heap)
	}
	if after.goroutines > before.goroutines+2 || after.files > before.files+2 {
		t.Errorf("goroutines and descriptors grew from %+v to %+v", before, after)
	}
}

// soakSession opens a session, makes calls in it and ends it.
func soakSession(t *testing.T, url string, calls int, kept *tally) {
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	id := ""
	ask := func(method, body string) string {
		req, _ := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body)) // the URL is good
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
		if id != "" {
			req.Header.Set("Mcp-Session-Id", id)
		}
		resp, err := client.Do(req)
		if err != nil {
			t.Error(err)
			return ""
		}
		defer resp.Body.Close()
		if id == "" {
			id = resp.Header.Get("Mcp-Session-Id")
		}
		text, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Error(err)
		}
		if body != "" {
			kept.sent.Add(1)
		}
		return string(text)
	}
	see := func(text string) {
		if !strings.HasPrefix(text, "event:") {
			kept.saw(text)
			return
		}
		for line := range strings.Lines(text) {
			if data, ok := strings.CutPrefix(line, "data: "); ok {
				kept.saw(strings.TrimSpace(data))
			}
		}
	}
	see(ask(http.MethodPost, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`))
	ask(http.MethodPost, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	for i := range calls {
		see(ask(http.MethodPost, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"echo","arguments":{"text":"hello"}}}`, i+1)))
	}
	ask(http.MethodDelete, "")
}

// A tally counts messages at both ends of a run, and keeps none.
type tally struct {
	sent, heard atomic.Int64 // by the clients

	mu                    sync.Mutex
	in, answers, told     int
	last                  int
	disordered, unmatched int
	open                  map[string]bool // requests without an answer, by session and id
}

func newTally() *tally { return &tally{open: map[string]bool{}} }

// saw counts a message that a client got, and reports whether it is an answer.
func (k *tally) saw(line string) bool {
	k.heard.Add(1)
	return strings.Contains(line, `"result"`)
}

// record counts a message of the trace.
func (k *tally) record(m *trace.Message) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if m.Seq != k.last+1 {
		k.disordered++
	}
	k.last = m.Seq
	key := m.Session + " " + m.ID
	switch {
	case m.Raw == "": // a request of HTTP without a message, or the words that answer it
	case m.Direction == trace.ToServer:
		k.in++
		if m.Kind == trace.Request {
			if k.open[key] {
				k.unmatched++
			}
			k.open[key] = true
		}
	case m.Kind.Answer():
		k.answers++
		if !k.open[key] {
			k.unmatched++
		}
		delete(k.open, key)
	case m.Kind == trace.Notification:
		k.told++
	}
	return nil
}

func (k *tally) check(t *testing.T) {
	t.Helper()
	k.mu.Lock()
	defer k.mu.Unlock()
	if int64(k.in) != k.sent.Load() {
		t.Errorf("clients sent %d messages, and the trace has %d", k.sent.Load(), k.in)
	}
	// A notification may find a session that ends, and is recorded when it goes out.
	if got := int64(k.answers + k.told); got != k.heard.Load() {
		t.Errorf("clients got %d messages, and the trace has %d answers and %d notifications", k.heard.Load(), k.answers, k.told)
	}
	if k.disordered+k.unmatched+len(k.open) > 0 {
		t.Errorf("%d messages out of order, %d answers without one request, %d requests without an answer", k.disordered, k.unmatched, len(k.open))
	}
}

// A usage is what the process holds.
type usage struct {
	heap              uint64
	goroutines, files int
}

// used is what is held when garbage is gone and nothing is under way.
func used() usage {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	files, _ := os.ReadDir("/proc/self/fd") // none where there is no such thing
	return usage{m.HeapAlloc, runtime.NumGoroutine(), len(files)}
}
