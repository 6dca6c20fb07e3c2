package launch

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"strconv"

	"gauntlet/internal/runtime/sandbox"
	"gauntlet/internal/runtime/wire"
)

// SpeakAt connects to a sandboxed server's port instead of its stdio. Further stdio output is read and discarded.
func (d *Dialer) SpeakAt(s *Server, o *Opened, e Endpoint, tap Tap) error {
	transport := InsideTransport(o.Sandbox)
	h, err := wire.Dial(wire.Endpoint{URL: e.URL, Header: s.Header, Bearer: s.Bearer, Secret: s.Guard, SSE: e.SSE, Transport: transport, Limits: d.Limits, Agent: d.Agent})
	if err != nil {
		return err
	}
	o.Place = s.Program() + " at " + e.URL
	var record wire.Tap
	if tap != nil {
		record = tap(o.Place, h.Secrets(), nil)
	}
	h.Tap(tieCalls(o.Sandbox, record))
	server := &drained{sealed{o.Process, o.Sandbox}, make(chan struct{})}
	go server.drainOutput() // ends with the process
	o.Conn = &listener{&dialed{h, transport}, server}
	return nil
}

// InsideTransport returns a transport that reaches only the server in a sandbox.
func InsideTransport(box *sandbox.Sandbox) *http.Transport {
	t := wire.NewTransport()
	t.DialContext = box.Dial
	return t
}

// drained is a server whose stdout only we read.
type drained struct {
	sealed
	read chan struct{} // closed when the output has ended
}

// drainOutput reads a server's stdout beside its HTTP answers, so that it never blocks.
func (d *drained) drainOutput() {
	defer close(d.read)
	for {
		_, err := d.Process.Receive(context.Background()) // the process's end ends it
		var long *wire.LineTooLongError
		if err != nil && !errors.As(err, &long) {
			return
		}
	}
}

func (d *drained) Close() error {
	defer func() { <-d.read }()
	return d.sealed.Close()
}

func (d *drained) Kill() error {
	defer func() { <-d.read }()
	return d.sealed.Kill()
}

// listener is a connection to a server that listens in a sandbox, which ends with it.
type listener struct {
	*dialed
	server *drained
}

func (l *listener) Close() error { return errors.Join(l.dialed.Close(), l.server.Close()) }

func (l *listener) Kill() error { return errors.Join(l.dialed.Kill(), l.server.Kill()) }

// hostOf returns the host by which a listening socket is reached from its own machine.
func hostOf(at netip.AddrPort) string {
	host := at.Addr().String()
	switch {
	case at.Addr() == netip.IPv6Unspecified(), at.Addr() == netip.IPv4Unspecified():
		host = "127.0.0.1" // an unspecified IPv6 address usually accepts IPv4 too
	}
	return net.JoinHostPort(host, strconv.Itoa(int(at.Port())))
}
