package proberun

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"

	"gauntlet/catalog"
	"gauntlet/finding"
	"gauntlet/internal/engine/check/probing"
	"gauntlet/internal/leaf/probe"
	"gauntlet/internal/run/launch"
	"gauntlet/internal/runtime/sandbox"
)

// serveHTTP is a server that opens a port of its own instead of speaking on stdio, with one fault in its
// tool, and says where.
func serveHTTP(old bool) {
	s := mcp.NewServer(&mcp.Implementation{Name: "listening", Version: "1"}, nil)
	mcp.AddTool(s, &mcp.Tool{Name: "read_file", Description: "Reads a file of the project."}, func(_ context.Context, _ *mcp.CallToolRequest, a pathArgs) (*mcp.CallToolResult, any, error) {
		content, err := os.ReadFile(a.Path)
		return text(string(content), err)
	})
	one := func(*http.Request) *mcp.Server { return s }
	mux := http.NewServeMux()
	if old {
		mux.Handle("/events", mcp.NewSSEHandler(one, &mcp.SSEOptions{DisableLocalhostProtection: true}))
	} else {
		mux.Handle("/rpc", mcp.NewStreamableHTTPHandler(one, &mcp.StreamableHTTPOptions{DisableLocalhostProtection: true}))
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return
	}
	path := map[bool]string{false: "/rpc", true: "/events"}[old]
	fmt.Fprintf(os.Stderr, "MCP is served at http://%s%s\n", l.Addr(), path)
	_ = http.Serve(l, mux) // until it is killed
}

// A server that listens in its sandbox is found there, its tools are probed as any, and so is what it
// accepts over HTTP.
func TestServerThatListens(t *testing.T) {
	for kind, sse := range map[string]bool{"listens": false, "listens for streams": true} {
		t.Run(kind, func(t *testing.T) {
			defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
			if err := sandbox.Available(); err != nil {
				t.Skip(err)
			}
			binary, err := os.Executable()
			if err != nil {
				t.Fatal(err)
			}
			res, err := Run(t.Context(), Options{
				Server:  launch.Server{Command: []string{binary}, Env: []string{serverKind + "=" + kind}, Dir: t.TempDir()},
				Dialer:  launch.Dialer{Environ: append(os.Environ(), "HOME="+t.TempDir()), Sandbox: sandbox.Require, Sandboxes: &launch.Sandboxes{}},
				Classes: []probe.Class{probe.PathTraversal}, Budget: Budget{Time: 5 * time.Minute}, Call: time.Minute, Protocol: true,
			})
			if err != nil {
				t.Fatal(err)
			}
			if outcomes(&res.Evidence)["read_file.path path traversal"].Proof == nil {
				t.Errorf("not proved: %#v", res.Evidence.Trials)
			}
			e := res.Evidence.Protocol
			if e == nil || e.Transport != "http" || !e.Loopback || strings.Join(e.Listening, " ") != "127.0.0.1" {
				t.Fatalf("protocol probes: %+v", e)
			}
			if !probing.IsResult(e.Find("P01", "")) || !probing.IsResult(e.Find("P02", "")) {
				t.Errorf("foreign requests were not answered: %+v", e.Exchanges)
			}
			if got := e.Unsent["others"]; (got != "") != sse {
				t.Errorf("not sent: %q", got)
			}
			checkSealedReport(t, res)
		})
	}
}

// checkSealedReport wants findings of both kinds, of a server that ran in a sandbox and is named by its
// address there.
func checkSealedReport(t *testing.T, res *Result) {
	t.Helper()
	rep, err := res.Report("test", catalog.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	rules := map[finding.Rule]bool{}
	for _, f := range rep.Findings {
		rules[f.Rule] = true
	}
	if !rules["MCP-D-002"] || !rules["SEC-018"] || !rules["GNT-410"] || !res.Sealed || !strings.Contains(res.Place, " at http://127.0.0.1:") {
		t.Errorf("rules %v, sealed %v, place %q", rules, res.Sealed, res.Place)
	}
}
