package attackmcp

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"gauntlet/internal/runtime/attack"
	"gauntlet/internal/runtime/mcpserver"
	"gauntlet/trace"
)

const benched = `
mode: mcp_server
state: {tools: [{name: echo, inputSchema: {type: object}, responses: [{content: [{type: text, text: hello}]}]}]}`

// BenchmarkAttackStdio is one client that calls a tool again and again, over two pipes in memory: a document
// as attack run plays and records it, and a server of the official Go SDK. BenchmarkStdio of
// internal/runtime/mcpserver has the engine alone.
func BenchmarkAttackStdio(b *testing.B) {
	b.Run("attack", func(b *testing.B) {
		w, err := trace.NewWriter(io.Discard, "test")
		if err != nil {
			b.Fatal(err)
		}
		r, err := newRun(load(b, benched), playOptions{Recorder: trace.NewRecorder(w.Write, trace.RecorderOptions{}), Limit: time.Hour})
		if err != nil {
			b.Fatal(err)
		}
		done := make(chan attack.Summary, 1)
		go func() { done <- r.Run(context.Background()) }() // ends by End
		benchDesk(b, func(ctx context.Context, in io.ReadCloser, out io.WriteCloser) error {
			return r.Servers()[0].Stdio(ctx, in, out)
		})
		r.End("the benchmark is over")
		<-done
	})
	b.Run("sdk", func(b *testing.B) {
		benchDesk(b, func(ctx context.Context, in io.ReadCloser, out io.WriteCloser) error {
			return sdkEcho().Run(ctx, &mcp.IOTransport{Reader: in, Writer: out})
		})
	})
}

func benchDesk(b *testing.B, run func(context.Context, io.ReadCloser, io.WriteCloser) error) {
	toServer, in := io.Pipe()
	out, fromServer := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- run(b.Context(), toServer, fromServer) }() // ends with in
	d := &desk{t: b, in: in, out: bufio.NewReader(out), from: out}
	began := time.Now()
	d.hello(`{}`)
	first := time.Since(began)
	rounds(b, func() { d.ask("tools/call", `{"name":"echo","arguments":{"text":"hello"}}`) })
	b.ReportMetric(float64(first.Microseconds())/1000, "ms-first")
	_ = in.Close()
	<-ended
	_ = out.Close()
}

// BenchmarkAttackHTTP is the same over Streamable HTTP, with a session, on one connection.
func BenchmarkAttackHTTP(b *testing.B) {
	b.Run("attack", func(b *testing.B) {
		w, err := trace.NewWriter(io.Discard, "test")
		if err != nil {
			b.Fatal(err)
		}
		r, err := newRun(load(b, benched), playOptions{Recorder: trace.NewRecorder(w.Write, trace.RecorderOptions{}), Limit: time.Hour})
		if err != nil {
			b.Fatal(err)
		}
		base, end := runOnHTTP(b, r)
		benchSession(b, base+mcpserver.Path)
		end()
	})
	b.Run("sdk", func(b *testing.B) {
		s := sdkEcho()
		h := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, &mcp.StreamableHTTPOptions{JSONResponse: true}))
		defer h.Close()
		benchSession(b, h.URL)
	})
}

func benchSession(b *testing.B, url string) {
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	id := ""
	post := func(body string) {
		req, _ := http.NewRequestWithContext(b.Context(), http.MethodPost, url, strings.NewReader(body)) // the URL is good
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
		if id != "" {
			req.Header.Set("Mcp-Session-Id", id)
		}
		resp, err := client.Do(req)
		if err != nil {
			b.Fatal(err)
		}
		defer resp.Body.Close()
		if id == "" {
			id = resp.Header.Get("Mcp-Session-Id")
		}
		if text, err := io.ReadAll(resp.Body); err != nil || resp.StatusCode == http.StatusOK && !strings.Contains(string(text), `"result"`) {
			b.Fatalf("%d %s %v", resp.StatusCode, text, err)
		}
	}
	post(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
	post(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	n := 0
	rounds(b, func() {
		n++
		post(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"echo","arguments":{"text":"hello"}}}`, n))
	})
	req, _ := http.NewRequestWithContext(b.Context(), http.MethodDelete, url, nil) // the URL is good
	req.Header.Set("Mcp-Session-Id", id)
	if resp, err := client.Do(req); err == nil {
		resp.Body.Close()
	}
}

func sdkEcho() *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "bench", Version: "1"}, nil)
	s.AddTool(&mcp.Tool{Name: "echo", InputSchema: map[string]any{"type": "object"}}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "hello"}}}, nil
	})
	return s
}

// rounds measures round trips one after another, and says where half of them and one of a
// hundred lie.
func rounds(b *testing.B, once func()) {
	took := make([]time.Duration, 0, 1<<16)
	b.ReportAllocs()
	for b.Loop() {
		began := time.Now()
		once()
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Nanoseconds())/1000, "µs-median")
	b.ReportMetric(float64(took[len(took)*99/100].Nanoseconds())/1000, "µs-p99")
}
