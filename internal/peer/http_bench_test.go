package peer

import (
	"context"
	"fmt"
	"net/http"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"gauntlet/internal/wire"
)

// BenchmarkHTTP reads the 1,000 tools of one server of the SDK, in 10 pages, by Capture
// and by the SDK's own client. Each begins with its connection and ends it. Capture asks
// for all four lists, the client for the tools only.
func BenchmarkHTTP(b *testing.B) {
	const tools = 1_000
	s := mcp.NewServer(&mcp.Implementation{Name: "sdk", Version: "1"}, &mcp.ServerOptions{PageSize: 100})
	type input struct {
		Path string `json:"path" jsonschema:"Absolute path of the file that is read"`
	}
	for i := range tools {
		mcp.AddTool(s, &mcp.Tool{Name: fmt.Sprint("read_file_", i), Description: "Reads a file from the workspace and returns its text."},
			func(context.Context, *mcp.CallToolRequest, input) (*mcp.CallToolResult, any, error) {
				return nil, nil, nil
			})
	}
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
				if err != nil || len(got.Lists[0].Items) != tools {
					b.Fatal(err)
				}
				h.Close()
			}
		})
		b.Run(mode.name+"/sdk", func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				client := mcp.NewClient(&mcp.Implementation{Name: "judge", Version: "1"}, nil)
				session, err := client.Connect(b.Context(), &mcp.StreamableClientTransport{Endpoint: url, DisableStandaloneSSE: true}, nil)
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
				if n != tools {
					b.Fatal(n)
				}
				session.Close()
			}
		})
	}
}
