package mcpclient

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"gauntlet/internal/runtime/wire"
)

// BenchmarkHTTP reads the 1,000 tools of one server of the SDK, in 10 pages, by Capture
// and by the SDK's own client. Each begins with its connection and ends it. Capture asks
// for all four lists, the client for the tools only.
func BenchmarkHTTP(b *testing.B) {
	s := thousandTools()
	for _, mode := range []struct {
		name    string
		options mcp.StreamableHTTPOptions
	}{
		{"session-sse", mcp.StreamableHTTPOptions{}},
		{"session-json", mcp.StreamableHTTPOptions{JSONResponse: true}},
		{"stateless-sse", mcp.StreamableHTTPOptions{Stateless: true}},
		{"stateless-json", mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true}},
	} {
		url := listen(b, mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, &mode.options))
		b.Run(mode.name+"/capture", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				h, err := wire.Dial(wire.Endpoint{URL: url})
				if err != nil {
					b.Fatal(err)
				}
				got, err := Capture(b.Context(), h, Options{})
				if err != nil || len(got.Lists[0].Items) != thousand {
					b.Fatal(err)
				}
				h.Close()
			}
		})
		b.Run(mode.name+"/sdk", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				readWithSDK(b, &mcp.StreamableClientTransport{Endpoint: url, DisableStandaloneSSE: true})
			}
		})
	}
}

const thousand = 1_000

// thousandTools is a server of the SDK with so many tools, a hundred a page.
func thousandTools() *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "sdk", Version: "1"}, &mcp.ServerOptions{PageSize: 100})
	type input struct {
		Path string `json:"path" jsonschema:"Absolute path of the file that is read"`
	}
	for i := range thousand {
		mcp.AddTool(s, &mcp.Tool{Name: fmt.Sprint("read_file_", i), Description: "Reads a file from the workspace and returns its text."},
			func(context.Context, *mcp.CallToolRequest, input) (*mcp.CallToolResult, any, error) {
				return nil, nil, nil
			})
	}
	return s
}

// readWithSDK reads the tools of a server with the SDK's own client, from its connection to
// its end.
func readWithSDK(b *testing.B, transport mcp.Transport) {
	b.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "judge", Version: "1"}, nil)
	session, err := client.Connect(b.Context(), transport, nil)
	if err != nil {
		b.Fatal(err)
	}
	n := 0
	for _, err := range session.Tools(b.Context(), nil) {
		if err != nil {
			b.Fatal(err)
		}
		n++
	}
	if n != thousand {
		b.Fatal(n)
	}
	session.Close()
}

// BenchmarkStdio is the same with a server that each of the two starts and ends, so that
// the time of its start and of its end is in both figures.
func BenchmarkStdio(b *testing.B) {
	env := append(os.Environ(), envServer+"=go-sdk thousand")
	b.Run("capture", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			p, err := wire.Start(wire.Command{Args: []string{os.Args[0]}, Environ: os.Environ(), Env: []string{envServer + "=go-sdk thousand"}})
			if err != nil {
				b.Fatal(err)
			}
			got, err := Capture(b.Context(), p, Options{})
			if err != nil || len(got.Lists[0].Items) != thousand {
				b.Fatal(err)
			}
			p.Close()
		}
	})
	b.Run("sdk", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			cmd := exec.Command(os.Args[0])
			cmd.Env = env
			readWithSDK(b, &mcp.CommandTransport{Command: cmd})
		}
	})
}
