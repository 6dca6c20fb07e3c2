package sandbox

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net"
	"net/netip"
	"strings"
	"sync"
	"time"
)

// A sinkhole is where every connection of the server ends. What arrives is recorded and
// answered as far as it is HTTP or SMTP, in the clear or inside TLS.
type sinkhole struct {
	record    func(Event)
	finder    canaryFinder
	names     *nameTable
	authority *authority
	services  []Service
	canaries  []Canary
	allow     allowList
	roots     *x509.CertPool                                              // for hosts that are allowed; nil for those of this machine
	dial      func(ctx context.Context, address string) (net.Conn, error) // to hosts that are allowed

	watchMu sync.Mutex
	watch   *nameWatch
	slots   chan struct{} // connections at a time
}

const (
	maxConnections = 512
	idleTimeout    = 20 * time.Second
	connectionTime = 2 * time.Minute
	firstBytesTime = 3 * time.Second
)

func newSinkhole(record func(Event), canaries []Canary, names *nameTable, a *authority, services []Service, allow allowList) *sinkhole {
	f := newCanaryFinder(canaries)
	d := &net.Dialer{Timeout: 30 * time.Second}
	return &sinkhole{
		record: record, finder: f, names: names, authority: a, services: services, canaries: canaries, allow: allow,
		dial:  func(ctx context.Context, address string) (net.Conn, error) { return d.DialContext(ctx, "tcp", address) },
		watch: newNameWatch(f), slots: make(chan struct{}, maxConnections),
	}
}

// resolve answers a query for a name.
func (k *sinkhole) resolve(query []byte, network string) []byte {
	return answerQuery(query, k.names, func(name, kind string) {
		k.watchMu.Lock()
		found := k.watch.look(name)
		k.watchMu.Unlock()
		k.record(Event{Kind: Lookup, Host: strings.TrimSuffix(name, "."), Method: kind, Network: network, Canaries: found})
	})
}

// serve takes a connection to an address and ends it when all was said. It returns when the
// connection is closed, which closing it from elsewhere brings about.
func (k *sinkhole) serve(ctx context.Context, c net.Conn, to netip.AddrPort) {
	defer c.Close()
	select {
	case k.slots <- struct{}{}:
		defer func() { <-k.slots }()
	default:
		return // a server that opens more at a time learns nothing by it
	}
	_ = c.SetDeadline(time.Now().Add(connectionTime))
	host := k.names.nameOf(to.Addr())
	if to.Port() == 53 {
		k.serveResolver(c)
		return
	}
	if k.allow.allows(host, to.Port()) {
		k.record(Event{Kind: Connection, Host: host, Addr: to.String(), Network: "tcp", Allowed: true})
		k.passOn(ctx, c, host, to)
		return
	}
	k.record(Event{Kind: Connection, Host: host, Addr: to.String(), Network: "tcp"})
	k.serveStream(c, stream{host: host, addr: to, network: "tcp"})
}

// stream is what is known of the bytes of a connection.
type stream struct {
	host    string
	addr    netip.AddrPort
	network string
}

// serveStream finds out what is spoken.
func (k *sinkhole) serveStream(c net.Conn, s stream) {
	if s.network == "tcp" && speaksFirst(s.addr.Port()) {
		k.serveMail(c, s)
		return
	}
	in := bufio.NewReaderSize(c, 4096)
	_ = c.SetReadDeadline(time.Now().Add(idleTimeout))
	head, err := in.Peek(1)
	if err != nil {
		return // whoever says nothing has only connected
	}
	c = &peeked{Conn: c, in: in}
	switch {
	case head[0] == 0x16 && s.network == "tcp":
		k.serveTLS(c, s)
	case isUpper(head[0]) && looksLikeHTTP(in):
		k.serveHTTP(c, s)
	default:
		k.recordBytes(c, s)
	}
}

// speaksFirst tells the ports on which a client waits for the other end.
func speaksFirst(port uint16) bool { return port == 25 || port == 587 || port == 2525 }

func isUpper(c byte) bool { return c >= 'A' && c <= 'Z' }

// looksLikeHTTP reports whether what comes begins with a word in capitals, a space and a target.
func looksLikeHTTP(in *bufio.Reader) bool {
	for n := 2; n <= 20; n++ {
		head, err := in.Peek(n)
		if err != nil {
			return false
		}
		if c := head[n-1]; c == ' ' {
			return true
		} else if !isUpper(c) {
			return false
		}
	}
	return false
}

// peeked is a connection of which something was read ahead.
type peeked struct {
	net.Conn
	in *bufio.Reader
}

func (p *peeked) Read(b []byte) (int, error) { return p.in.Read(b) }

// serveTLS ends TLS with a certificate that the sandbox trusts.
func (k *sinkhole) serveTLS(c net.Conn, s stream) {
	name := s.host
	secure := k.endTLS(c, &name)
	err := secure.HandshakeContext(context.Background()) // bounded by the deadline of the connection
	if err != nil {
		k.record(Event{Kind: Data, Host: name, Addr: s.addr.String(), Network: "tls", Text: "the TLS handshake failed: " + err.Error(), Canaries: k.finder.find(name)})
		return
	}
	k.serveStream(secure, stream{host: cleanName(name), addr: s.addr, network: "tls"})
	_ = secure.Close()
}

// endTLS is the server's end of TLS, with a certificate for the name that the client asks for.
func (k *sinkhole) endTLS(c net.Conn, name *string) *tls.Conn {
	return tls.Server(c, &tls.Config{NextProtos: []string{"http/1.1"}, GetCertificate: func(h *tls.ClientHelloInfo) (*tls.Certificate, error) {
		if h.ServerName != "" {
			*name = h.ServerName
		}
		return k.authority.certificateFor(*name)
	}})
}

// recordBytes keeps the beginning of what is sent in a protocol that is not known here, and says
// nothing to it.
func (k *sinkhole) recordBytes(c net.Conn, s stream) {
	var kept bytes.Buffer
	buffer := make([]byte, 16<<10)
	for kept.Len() < MaxText {
		_ = c.SetReadDeadline(time.Now().Add(firstBytesTime))
		n, err := c.Read(buffer[:min(len(buffer), MaxText-kept.Len())])
		kept.Write(buffer[:n])
		if err != nil {
			break
		}
	}
	if kept.Len() > 0 {
		text := kept.String()
		k.record(Event{Kind: Data, Host: s.host, Addr: s.addr.String(), Network: s.network, Text: text, Canaries: k.finder.find(text)})
	}
}

// serveResolver answers queries over TCP, each behind its length.
func (k *sinkhole) serveResolver(c net.Conn) {
	in := bufio.NewReader(c)
	for range 1000 {
		_ = c.SetReadDeadline(time.Now().Add(idleTimeout))
		var size [2]byte
		if _, err := io.ReadFull(in, size[:]); err != nil {
			return
		}
		query := make([]byte, int(size[0])<<8|int(size[1]))
		if _, err := io.ReadFull(in, query); err != nil {
			return
		}
		answer := k.resolve(query, "tcp")
		if answer == nil {
			return
		}
		if _, err := c.Write(append([]byte{byte(len(answer) >> 8), byte(len(answer))}, answer...)); err != nil {
			return
		}
	}
}

// datagram records a datagram that went to an address.
func (k *sinkhole) datagram(network string, to netip.AddrPort, payload []byte) {
	text := string(payload[:min(len(payload), MaxText)])
	k.record(Event{Kind: Data, Host: k.names.nameOf(to.Addr()), Addr: to.String(), Network: network, Text: text, Canaries: k.finder.find(text)})
}
