package sandbox

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"sync"
	"time"
)

// An allowList are the hosts that may really be reached.
type allowList map[string]uint16 // by name; 0 for every port

// parseAllow reads HOST and HOST:PORT.
func parseAllow(hosts []string) (allowList, error) {
	list := allowList{}
	for _, h := range hosts {
		name, port, err := net.SplitHostPort(h)
		if err != nil {
			name, port = h, "0"
		}
		n, err := strconv.ParseUint(port, 10, 16)
		if err != nil || name == "" || strings.ContainsAny(name, "/*@ ") {
			return nil, fmt.Errorf("%q is neither HOST nor HOST:PORT", h)
		}
		list[cleanName(name)] = uint16(n)
	}
	return list, nil
}

func (l allowList) allows(host string, port uint16) bool {
	p, ok := l[cleanName(host)]
	return ok && (p == 0 || p == port)
}

// inside are those of the hosts that a server would look for on its own machine.
func (l allowList) inside() (out []netip.AddrPort) {
	for name, port := range l {
		if a, err := netip.ParseAddr(name); err == nil && port != 0 && a.IsLoopback() {
			out = append(out, netip.AddrPortFrom(a, port))
		}
	}
	return out
}

// passOn carries a connection to the host that it is for. What the server sends is looked at on
// its way: an allowed host is no reason to look away. TLS is ended here and begun again, and the
// host's certificate checked in place of the server's doing so.
func (k *sinkhole) passOn(ctx context.Context, s *stream) {
	out, err := k.dial(ctx, net.JoinHostPort(s.host, strconv.Itoa(int(s.addr.Port()))))
	if err != nil {
		k.record(Event{Kind: Limit, Host: s.host, Addr: s.addr.String(), Text: "the allowed host could not be reached: " + err.Error(), Allowed: true})
		k.speak(s)
		return
	}
	defer out.Close()
	_ = s.SetReadDeadline(time.Now().Add(firstBytesTime))
	first, err := s.in.Peek(1) // whoever waits for the other end says nothing yet
	_ = s.SetReadDeadline(time.Time{})
	if err != nil || first[0] != 0x16 {
		relay(s, out)
		return
	}
	inner, outer, name, err := k.splitTLS(ctx, s, out, s.host)
	if err != nil {
		e := s.event(Data)
		e.Host, e.Network, e.Text, e.Canaries = name, "tls", "the TLS handshake failed: "+err.Error(), s.search()
		s.say(e)
		return
	}
	s.secured(func() {
		sent := k.stream(inner, s.host, s.addr, "tls")
		sent.allowed = true
		relay(sent, outer)
		sent.finish()
	})
}

// splitTLS ends the server's TLS and begins one with the host.
func (k *sinkhole) splitTLS(ctx context.Context, c, out net.Conn, host string) (inner, outer net.Conn, name string, err error) {
	name = host
	secure := k.endTLS(c, &name)
	if err := secure.HandshakeContext(ctx); err != nil {
		return nil, nil, name, err
	}
	client := tls.Client(out, &tls.Config{ServerName: name, RootCAs: k.roots, NextProtos: []string{"http/1.1"}})
	return secure, client, name, client.HandshakeContext(ctx)
}

// relay carries bytes both ways until both ends are through.
func relay(s *stream, out net.Conn) {
	var both sync.WaitGroup
	both.Go(func() { // ends when either end closes
		_, _ = io.Copy(s.Conn, out)
		closeWrite(s.Conn)
		_ = s.SetReadDeadline(time.Now()) // ends the other direction
	})
	_, _ = io.Copy(out, s)
	closeWrite(out)
	both.Wait()
}

func closeWrite(c net.Conn) {
	if w, ok := c.(interface{ CloseWrite() error }); ok {
		_ = w.CloseWrite()
	}
}
