package sandbox

import (
	"bufio"
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

// passOn carries a connection to the host that it is for. What the server sends is looked at on
// its way: an allowed host is no reason to look away. TLS is ended here and begun again, and the
// host's certificate checked in place of the server's doing so.
func (k *sinkhole) passOn(ctx context.Context, c net.Conn, host string, to netip.AddrPort) {
	s := stream{host: host, addr: to, network: "tcp"}
	out, err := k.dial(ctx, net.JoinHostPort(host, strconv.Itoa(int(to.Port()))))
	if err != nil {
		k.record(Event{Kind: Limit, Host: host, Addr: to.String(), Text: "the allowed host could not be reached: " + err.Error(), Allowed: true})
		k.serveStream(c, s)
		return
	}
	defer out.Close()
	in := bufio.NewReaderSize(c, 4096)
	_ = c.SetReadDeadline(time.Now().Add(firstBytesTime))
	first, err := in.Peek(1) // whoever waits for the other end says nothing yet
	_ = c.SetReadDeadline(time.Now().Add(connectionTime))
	c = &peeked{Conn: c, in: in}
	if err == nil && first[0] == 0x16 {
		inner, outer, name, err := k.splitTLS(ctx, c, out, host)
		if err != nil {
			k.record(Event{Kind: Data, Host: name, Addr: to.String(), Network: "tls", Text: "the TLS handshake failed: " + err.Error(), Allowed: true})
			return
		}
		c, out, s.network = inner, outer, "tls"
	}
	seen := relay(c, out)
	if found := k.finder.find(string(seen)); found != nil {
		k.record(Event{Kind: Data, Host: host, Addr: to.String(), Network: s.network, Text: string(seen), Canaries: found, Allowed: true})
	}
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

// relay carries bytes both ways until both ends are through, and returns the first of those that
// went out.
func relay(c, out net.Conn) []byte {
	var seen head
	var both sync.WaitGroup
	both.Go(func() { // ends when either end closes
		_, _ = io.Copy(out, io.TeeReader(c, &seen))
		closeWrite(out)
	})
	_, _ = io.Copy(c, out)
	closeWrite(c)
	_ = c.Close() // ends the other direction
	both.Wait()
	return seen
}

func closeWrite(c net.Conn) {
	if w, ok := c.(interface{ CloseWrite() error }); ok {
		_ = w.CloseWrite()
	}
}

// head keeps the beginning of what is written to it.
type head []byte

func (h *head) Write(b []byte) (int, error) {
	*h = append(*h, b[:min(len(b), MaxText-min(MaxText, len(*h)))]...)
	return len(b), nil
}
