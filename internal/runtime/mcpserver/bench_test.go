package mcpserver

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	mcpwords "gauntlet/internal/leaf/mcp"
	"gauntlet/internal/runtime/wire"
)

const callEcho = `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"echo","arguments":{"text":"hello"}}}`

// benchState is the server of the benchmarks: one tool that says one word.
func benchState() State {
	s := State{
		Name: "bench", Identity: []string{`{"name":"bench","version":"1"}`}, Capabilities: []string{`{"tools":{}}`},
		Call: func(context.Context, Call) (string, error) {
			return `{"content":[{"type":"text","text":"hello"}]}`, nil
		},
	}
	s.Lists[0] = List{Present: true, Items: []string{`{"name":"echo","inputSchema":{"type":"object","properties":{"text":{"type":"string"}}}}`}}
	return s
}

// benchPlayer is the least that an Interceptor does.
type benchPlayer struct{}

func (benchPlayer) Intercept(context.Context, *Session, wire.Message) Decision {
	return Decision{AfterAnswer: func() {}}
}

// played are the options of a server with an Interceptor and a Tap.
func played() Options { return Options{Interceptor: benchPlayer{}, Tap: func(Tapped) {}} }

// sdkServer is the same on the official Go SDK, without typed arguments, which cost more.
func sdkServer() *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "bench", Version: "1"}, nil)
	s.AddTool(&mcp.Tool{Name: "echo", InputSchema: map[string]any{"type": "object"}}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "hello"}}}, nil
	})
	return s
}

// rounds measures round trips one after another, and says where half of them and one of a
// hundred lie.
func rounds(b *testing.B, once func(i int)) {
	for i := range 100 {
		once(-i - 1)
	}
	took := make([]time.Duration, 0, 1<<16)
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		i++
		began := time.Now()
		once(i)
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Nanoseconds())/1000, "µs-median")
	b.ReportMetric(float64(took[len(took)*99/100].Nanoseconds())/1000, "µs-p99")
}

func stdioWith(opt Options) func(context.Context, io.ReadCloser, io.WriteCloser) error {
	return func(ctx context.Context, in io.ReadCloser, out io.WriteCloser) error {
		s, err := New(benchState(), opt)
		if err != nil {
			return err
		}
		return s.Stdio(ctx, in, out)
	}
}

// BenchmarkStdio is one client that calls a tool again and again over two pipes.
func BenchmarkStdio(b *testing.B) {
	for _, bb := range []struct {
		name  string
		serve func(ctx context.Context, in io.ReadCloser, out io.WriteCloser) error
	}{
		{"gauntlet", stdioWith(Options{})},
		{"played", stdioWith(played())},
		{"sdk", func(ctx context.Context, in io.ReadCloser, out io.WriteCloser) error {
			return sdkServer().Run(ctx, &mcp.IOTransport{Reader: in, Writer: out})
		}},
	} {
		b.Run(bb.name, func(b *testing.B) {
			ctx, cancel := context.WithCancel(b.Context())
			fromClient, in, err := os.Pipe()
			if err != nil {
				b.Fatal(err)
			}
			out, toClient, err := os.Pipe()
			if err != nil {
				b.Fatal(err)
			}
			ended := make(chan error, 1)
			go func() { ended <- bb.serve(ctx, fromClient, toClient) }() // ends with in
			lines := bufio.NewReader(out)
			ask := func(line string) {
				if _, err := io.WriteString(in, line+"\n"); err != nil {
					b.Fatal(err)
				}
				if got, err := lines.ReadString('\n'); err != nil || !strings.Contains(got, `"result"`) {
					b.Fatalf("%s: %v", got, err)
				}
			}
			ask(initialize)
			if _, err := io.WriteString(in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n"); err != nil {
				b.Fatal(err)
			}
			rounds(b, func(i int) { ask(fmt.Sprintf(callEcho, i)) })
			in.Close()
			<-ended
			cancel()
			for _, f := range []*os.File{fromClient, out, toClient} {
				f.Close()
			}
		})
	}
}

// BenchmarkHTTP is the same over Streamable HTTP, with a session and on one connection; with
// many, one client a processor times four.
func BenchmarkHTTP(b *testing.B) {
	with := func(opt Options) func(b *testing.B) string {
		return func(b *testing.B) string {
			s, err := New(benchState(), opt)
			if err != nil {
				b.Fatal(err)
			}
			ln, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				b.Fatal(err)
			}
			ctx, cancel := context.WithCancel(b.Context())
			ended := make(chan error, 1)
			go func() { ended <- s.HTTP(ctx, ln) }() // ends with ctx
			b.Cleanup(func() { cancel(); <-ended })
			return "http://" + ln.Addr().String() + Path
		}
	}
	sdk := func(b *testing.B) string {
		server := sdkServer()
		h := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{JSONResponse: true}))
		b.Cleanup(h.Close)
		return h.URL
	}
	all := []struct {
		name string
		open func(*testing.B) string
	}{{"gauntlet", with(Options{})}, {"played", with(played())}, {"sdk", sdk}}
	for _, bb := range all {
		b.Run(bb.name, func(b *testing.B) {
			session := benchSession(b, bb.open(b))
			rounds(b, func(i int) { session(fmt.Sprintf(callEcho, i)) })
		})
	}
	for _, bb := range all {
		b.Run("many/"+bb.name, func(b *testing.B) {
			base := bb.open(b)
			b.SetParallelism(4)
			b.ReportAllocs()
			b.RunParallel(func(pb *testing.PB) {
				session := benchSession(b, base)
				for i := 0; pb.Next(); i++ {
					session(fmt.Sprintf(callEcho, i))
				}
			})
		})
	}
}

// benchSession opens a session on a connection of its own, and returns what asks in it.
func benchSession(b *testing.B, url string) func(body string) {
	client := &http.Client{Transport: &http.Transport{}}
	id := ""
	b.Cleanup(func() {
		r, _ := http.NewRequest(http.MethodDelete, url, nil)
		r.Header.Set(mcpwords.HeaderSessionID, id)
		if resp, err := client.Do(r); err == nil {
			resp.Body.Close()
		}
		client.CloseIdleConnections()
	})
	post := func(body string) {
		r, _ := http.NewRequest(http.MethodPost, url, strings.NewReader(body)) // the URL is good
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		if id != "" {
			r.Header.Set(mcpwords.HeaderSessionID, id)
			r.Header.Set(mcpwords.HeaderProtocolVersion, "2025-11-25")
		}
		resp, err := client.Do(r)
		if err != nil {
			b.Error(err)
			return
		}
		defer resp.Body.Close()
		got, err := io.ReadAll(resp.Body)
		if id == "" {
			id = resp.Header.Get(mcpwords.HeaderSessionID)
		}
		if err != nil || resp.StatusCode/100 != 2 || resp.StatusCode == http.StatusOK && !strings.Contains(string(got), `"result"`) {
			b.Errorf("%d %s %v", resp.StatusCode, got, err)
		}
	}
	post(initialize)
	post(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return post
}
