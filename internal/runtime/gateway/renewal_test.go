package gateway

import (
	"context"
	"net"
	"strings"
	"testing"

	"gauntlet/internal/leaf/mcp"
	"gauntlet/internal/runtime/mcpserver"
	"gauntlet/internal/runtime/wire"
)

// listenAs serves over HTTP at an address until stop is called; "" is any address.
func listenAs(t *testing.T, b *backend, address string) (url string, stop func()) {
	t.Helper()
	s, err := mcpserver.New(b.state, mcpserver.Options{Revisions: mcp.HandshakeRevisions()})
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.HTTP(ctx, ln) }() // ends with ctx
	return ln.Addr().String(), func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

// The first call after a server behind a URL has restarted is answered, and the client is
// told that lists may have changed.
func TestTheFirstCallAfterARestartIsAnswered(t *testing.T) {
	b := back(t, "web", "look")
	address, stop := listenAs(t, b, "127.0.0.1:0")
	transport := wire.NewTransport()
	defer transport.CloseIdleConnections()
	up := Upstream{"web", func() (wire.Conn, error) {
		return wire.Dial(wire.Endpoint{URL: "http://" + address + mcpserver.Path, Transport: transport})
	}}
	f := open(t, Options{Upstreams: []Upstream{up}})
	f.begin(`{}`)
	if got := f.call(mcp.ToolsCall, `{"name":"look"}`); !strings.Contains(got, "web did look") {
		t.Fatal(got)
	}
	for range 2 {
		stop()
		transport.CloseIdleConnections() // it would see by itself that they are closed, a moment later
		_, stop = listenAs(t, b, address)
		if got := f.call(mcp.ToolsCall, `{"name":"look"}`); !strings.Contains(got, "web did look") {
			t.Errorf("the first call after the restart: %s", got)
		}
	}
	f.told("web ended its session; another was begun")
	stop()
}
