package proberun

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"gauntlet/internal/engine/check/probing"
	"gauntlet/internal/leaf/probe"
	"gauntlet/internal/runtime/wire"
	"gauntlet/internal/testing/peertest"
)

// goServer is a server of the Go SDK with one tool.
func goServer() *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "sdk", Version: "1"}, nil)
	type args struct {
		Text string `json:"text"`
	}
	type length struct {
		Length int `json:"length"`
	}
	mcp.AddTool(s, &mcp.Tool{Name: "note"}, func(_ context.Context, _ *mcp.CallToolRequest, a args) (*mcp.CallToolResult, length, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "noted: " + a.Text}}}, length{len(a.Text)}, nil
	})
	return s
}

// wantBroken fails the test where rules report something else than what was read by hand to be true.
func wantBroken(t *testing.T, e *probe.Protocol, known ...string) {
	t.Helper()
	for _, p := range probing.Probes() {
		if v := p.Read(e); v.State == probing.Broken && !slices.Contains(known, p.ID) {
			t.Errorf("a false alarm, or one that was never read: %s: %s", p.ID, v.Text)
		}
	}
}

// The Go SDK over probeHTTP, with sessions and without.
func TestGoSDK(t *testing.T) {
	for _, stateless := range []bool{false, true} {
		t.Run(fmt.Sprintf("stateless %v", stateless), func(t *testing.T) {
			s := goServer()
			server := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, &mcp.StreamableHTTPOptions{Stateless: stateless}))
			defer server.Close()
			transport := wire.NewTransport()
			defer transport.CloseIdleConnections()
			e := probeHTTP(t.Context(), protocolTarget{URL: server.URL, Plan: Plan{Calls: []Call{note}}}, transport)
			if !probing.IsResult(e.Find("P03", "no origin")) || e.Stateless != stateless {
				t.Errorf("stateless %v, unsent %v", e.Stateless, e.Unsent)
			}
			wantBroken(t, e)
		})
	}
}

// The Go SDK over stdio answers batches, and takes over what an earlier request said.
func TestGoSDKOverStdio(t *testing.T) {
	var servers sync.WaitGroup
	open := func() (wire.Conn, error) {
		ourIn, theirOut := io.Pipe()
		theirIn, ourOut := io.Pipe()
		servers.Go(func() {
			_ = goServer().Run(t.Context(), &mcp.IOTransport{Reader: theirIn, Writer: theirOut})
			_ = theirOut.Close()
			_ = theirIn.Close()
		})
		return wire.NewStream(ourIn, ourOut, wire.Limits{}, nil), nil
	}
	e := probeStdio(t.Context(), open, Plan{Calls: []Call{note}}, patient)
	servers.Wait()
	if !e.Stateless || e.Find("P27", probing.Undeclared+"note") == nil {
		t.Errorf("unsent %v", e.Unsent)
	}
	wantBroken(t, e, "P19", "P28")
}

// The official server that has everything, over stdio.
func TestEverythingOverStdio(t *testing.T) {
	script := peertest.Everything(t) + "/node_modules/@modelcontextprotocol/server-everything/dist/index.js"
	var opened []wire.Conn
	open := func() (wire.Conn, error) {
		p, err := wire.Start(wire.Command{Args: []string{"node", script, "stdio"}, Environ: os.Environ()})
		if err == nil {
			opened = append(opened, p)
		}
		return p, err
	}
	call := Call{Tool: "echo", Arguments: `{"message":"example"}`, Right: `{"message":"gauntletright"}`, Wrong: `{"message":["gauntletwrong"]}`, RightValue: "gauntletright", WrongValue: "gauntletwrong"}
	e := probeStdio(t.Context(), open, Plan{Calls: []Call{call}}, defaultWaits)
	for _, c := range opened {
		_ = c.Close()
	}
	if e.Revision == "" || e.Stateless {
		t.Errorf("revision %q, stateless %v, unsent %v", e.Revision, e.Stateless, e.Unsent)
	}
	wantBroken(t, e)
}
