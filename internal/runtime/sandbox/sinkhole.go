package sandbox

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net"
	"net/netip"
	"time"
)

// A sinkhole answers every connection of the server, as far as it is DNS, HTTP or SMTP, in the clear or inside TLS. What
// was sent is for the outlet.
type sinkhole struct {
	*outlet
	authority *authority
	services  []Service
	canaries  []Canary
	allow     allowList
	roots     *x509.CertPool                                              // for hosts that are allowed; nil for those of this machine
	dial      func(ctx context.Context, address string) (net.Conn, error) // to hosts that are allowed
	slots     chan struct{}                                               // connections at a time
}

const (
	maxConnections = 64
	maxTunnels     = 3 // one in another
	idleTimeout    = 20 * time.Second
	connectionTime = 2 * time.Minute
	allowedTime    = 10 * time.Minute // of a connection to an allowed host
	firstBytesTime = 3 * time.Second
	silence        = time.Second // behind which whoever says nothing is greeted
)

func newSinkhole(o *outlet, canaries []Canary, a *authority, c *Config, allow allowList) *sinkhole {
	return &sinkhole{
		outlet: o, authority: a, services: c.Services, canaries: canaries, allow: allow,
		dial: newDialer(c.Environ), slots: make(chan struct{}, maxConnections),
	}
}

// serve takes a connection to an address, which was begun in some turn, and ends it when all was said. It returns when the
// connection is closed, which closing it from elsewhere brings about.
func (k *sinkhole) serve(ctx context.Context, c net.Conn, to netip.AddrPort, turn int64) {
	defer c.Close()
	host := k.names.nameOf(to.Addr())
	s := k.stream(c, host, to, "tcp")
	s.turn = turn
	s.allowed = k.allow.allows(host, to.Port())
	if to.Port() != 53 { // lookups are events of their own
		s.say(s.event(Connection))
	}
	select {
	case k.slots <- struct{}{}:
		defer func() { <-k.slots }()
	default:
		k.limit("more connections were open at a time than are listened to")
		return
	}
	longest := connectionTime
	if s.allowed {
		longest = allowedTime
	}
	over := time.AfterFunc(longest, func() { _ = c.Close() }) // all that came was seen
	defer over.Stop()
	k.searchPart(host, string(to.Addr().AsSlice())) // addresses can be pieces, too
	if s.allowed {
		k.passOn(ctx, s)
	} else {
		k.speak(s)
	}
	s.left = maxStream
	s.finish()
}

// speak finds out what is spoken, and answers it.
func (k *sinkhole) speak(s *stream) {
	if s.addr.Port() == 53 && s.network == "tcp" {
		k.serveResolver(s)
		return
	}
	_ = s.SetReadDeadline(time.Now().Add(silence))
	head, err := s.in.Peek(1)
	switch {
	case isTimeout(err): // a client of SMTP, FTP and the like waits for the other end
		k.serveMail(s, true)
	case err != nil:
	case head[0] == 0x16 && s.network == "tcp":
		k.serveTLS(s, k.speak)
	case head[0] == http2Preface[0] && startsWith(s.in, http2Preface):
		k.serveHTTP2(s)
	case isUpper(head[0]) && looksLikeHTTP(s.in):
		k.serveHTTP(s)
	}
}

func startsWith(in *bufio.Reader, text string) bool {
	for n := 1; n <= len(text); n++ { // what does not begin so is not waited for
		if head, err := in.Peek(n); err != nil || head[n-1] != text[n-1] {
			return false
		}
	}
	return true
}

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

// serveTLS ends TLS with a certificate that the sandbox trusts, and has do answer what is inside.
func (k *sinkhole) serveTLS(s *stream, do func(*stream)) {
	name := s.host
	secure := k.endTLS(s, &name, "h2", "http/1.1")
	if err := secure.HandshakeContext(context.Background()); err != nil { // bounded by the deadline of the connection
		e := s.event(Data)
		e.Host, e.Network, e.Text, e.Canaries = name, "tls", "the TLS handshake failed: "+err.Error(), s.search()
		s.say(e)
		return
	}
	s.secured(func() {
		inner := k.stream(secure, cleanName(name), s.addr, "tls")
		inner.depth = s.depth
		do(inner)
		inner.left = maxStream
		inner.finish()
		_ = secure.Close()
	})
}

// secured has something read that comes encrypted, behind a handshake that was understood.
func (s *stream) secured(do func()) {
	s.understood()
	s.sealed = true
	do()
	s.tell(s.search())
	s.understood()
}

// endTLS is the server's end of TLS, with a certificate for the name that the client asks for.
func (k *sinkhole) endTLS(c net.Conn, name *string, speaks ...string) *tls.Conn {
	return tls.Server(c, &tls.Config{NextProtos: speaks, GetCertificate: func(h *tls.ClientHelloInfo) (*tls.Certificate, error) {
		if h.ServerName != "" {
			*name = h.ServerName
		}
		return k.authority.certificateFor(*name)
	}})
}

// serveResolver answers queries over TCP, each behind its length.
func (k *sinkhole) serveResolver(s *stream) {
	for range 1000 {
		_ = s.SetReadDeadline(time.Now().Add(idleTimeout))
		size, err := s.in.Peek(2)
		if err != nil {
			return
		}
		n := int(size[0])<<8 | int(size[1])
		query := make([]byte, 2+n)
		if _, err := io.ReadFull(s.in, query); err != nil {
			return
		}
		answer, whole := k.resolve(query[2:], "tcp")
		if answer == nil {
			return
		}
		if whole {
			s.understood()
		}
		if _, err := s.Write(append([]byte{byte(len(answer) >> 8), byte(len(answer))}, answer...)); err != nil {
			return
		}
	}
}
