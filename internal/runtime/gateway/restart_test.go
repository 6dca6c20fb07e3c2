package gateway

import (
	"context"
	"net"
	"strings"
	"testing"

	"gauntlet/internal/runtime/mcpserver"
	"gauntlet/internal/runtime/wire"
)

// serveOn serves tools over HTTP on an address until stop is called.
func serveOn(t *testing.T, address string, state mcpserver.State) (url string, stop func()) {
	t.Helper()
	ln, err := new(net.ListenConfig).Listen(t.Context(), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	s, err := mcpserver.New(state, mcpserver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.HTTP(ctx, ln) }() // ends with ctx
	return ln.Addr().String(), func() { cancel(); <-done }
}

// A server that was restarted knows the session no more: the first call behind that is made in a
// new one, and its client sees nothing of it.
func TestRestartedUpstreamOverHTTP(t *testing.T) {
	b := back(t, "mail", "send")
	address, stop := serveOn(t, "127.0.0.1:0", b.state)
	transport := wire.NewTransport()
	defer transport.CloseIdleConnections()
	up := Upstream{"mail", func() (wire.Conn, error) {
		return wire.Dial(wire.Endpoint{URL: "http://" + address + mcpserver.Path, Transport: transport})
	}}
	f := open(t, Options{Upstreams: []Upstream{up}})
	f.begin("{}")
	f.call("tools/call", `{"name":"send"}`)
	restart := func() {
		stop()
		transport.CloseIdleConnections() // it would see by itself that they are closed, a moment later
		_, stop = serveOn(t, address, b.state)
	}
	for range 2 {
		restart()
		if got := f.call("tools/call", `{"name":"send"}`); !strings.Contains(got, "mail did send") {
			t.Errorf("behind the restart: %s", got)
		}
		restart()
		if got := f.call("tools/list", "{}"); !strings.Contains(got, `"send"`) {
			t.Errorf("the list behind the restart: %s", got)
		}
	}
	if len(b.calls) != 3 {
		t.Errorf("the server had %d calls, want 3", len(b.calls))
	}
	t.Cleanup(func() { stop() })
}
