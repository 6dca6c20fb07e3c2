package sandbox

import (
	"bufio"
	"cmp"
	"context"
	"crypto/tls"
	"encoding/base64"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/http/httpproxy"
)

// An allowList are the hosts that may really be reached.
type allowList map[allowed]bool

type allowed struct {
	name string
	port uint16 // 0 for every port
}

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
		list[allowed{cleanName(name), uint16(n)}] = true
	}
	return list, nil
}

func (l allowList) allows(host string, port uint16) bool {
	host = cleanName(host)
	return l[allowed{host, port}] || l[allowed{host, 0}]
}

// newDialer returns how allowed hosts are reached: by the proxy that an environment names, or without one.
func newDialer(environ []string) func(ctx context.Context, address string) (net.Conn, error) {
	d := &net.Dialer{Timeout: 30 * time.Second}
	set := func(name string) string {
		return cmp.Or(valueOf(environ, name), valueOf(environ, strings.ToLower(name)))
	}
	proxy := (&httpproxy.Config{HTTPProxy: set("HTTP_PROXY"), HTTPSProxy: set("HTTPS_PROXY"), NoProxy: set("NO_PROXY")}).ProxyFunc()
	return func(ctx context.Context, address string) (net.Conn, error) {
		scheme := "https"
		if strings.HasSuffix(address, ":80") {
			scheme = "http"
		}
		if by, err := proxy(&url.URL{Scheme: scheme, Host: address}); err == nil && by != nil && by.Scheme == "http" {
			return dialThrough(ctx, d, by, address)
		}
		return d.DialContext(ctx, "tcp", address)
	}
}

func dialThrough(ctx context.Context, d *net.Dialer, by *url.URL, address string) (net.Conn, error) {
	c, err := d.DialContext(ctx, "tcp", net.JoinHostPort(by.Hostname(), cmp.Or(by.Port(), "80")))
	if err != nil {
		return nil, err
	}
	_ = c.SetDeadline(time.Now().Add(d.Timeout))
	q := &http.Request{Method: http.MethodConnect, URL: &url.URL{Opaque: address}, Host: address, Header: http.Header{}}
	if by.User != nil {
		password, _ := by.User.Password()
		q.Header.Set("Proxy-Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(by.User.Username()+":"+password)))
	}
	err = q.Write(c)
	var a *http.Response
	if err == nil {
		a, err = http.ReadResponse(bufio.NewReaderSize(oneByte{c}, 16), q) // nothing behind the head is for us
	}
	if err == nil && a.StatusCode != http.StatusOK {
		err = fmt.Errorf("the proxy %s: %s", by.Host, a.Status)
	}
	if err != nil {
		_ = c.Close()
		return nil, err
	}
	_ = c.SetDeadline(time.Time{})
	return c, nil
}

// oneByte reads a byte at a time, so that no buffer takes more than it needs.
type oneByte struct{ io.Reader }

func (r oneByte) Read(b []byte) (int, error) { return r.Reader.Read(b[:min(len(b), 1)]) }

// inside are those of the hosts that a server would look for on its own machine.
func (l allowList) inside() (out []netip.AddrPort) {
	for one := range l {
		if a, err := netip.ParseAddr(one.name); err == nil && one.port != 0 && a.IsLoopback() {
			out = append(out, netip.AddrPortFrom(a, one.port))
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
		_ = s.Close() // as an address would at which nobody listens
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
	secure := k.endTLS(c, &name, "http/1.1")
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
