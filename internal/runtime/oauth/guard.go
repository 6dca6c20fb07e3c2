package oauth

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"syscall"
	"time"

	"gauntlet/internal/leaf/excerpt"
	"gauntlet/internal/leaf/hostscope"
)

const (
	maxBody = 1 << 20
	maxHead = 64 << 10
	// maxRedirects bounds the redirects of one request, all within one origin.
	maxRedirects = 3
	requestTime  = 20 * time.Second
)

// A RefusedError says that an address was not requested or opened, and why.
type RefusedError struct {
	What string // kind of address: "token_endpoint", "a redirect"
	URL  string // shortened, without control characters
	Why  string
}

func (e *RefusedError) Error() string {
	return fmt.Sprintf("%s %s was refused: %s", e.What, e.URL, e.Why)
}

func refuse(what, address, why string) *RefusedError {
	return &RefusedError{What: what, URL: fmt.Sprintf("%q", excerpt.Clip(address, 120)), Why: why}
}

// scope says from where an address is reachable, from everywhere to nowhere.
type scope int

const (
	public scope = iota
	private
	loopback
	forbidden // link-local (cloud metadata services), unspecified, multicast
)

// A Guard decides which addresses are requested. It is safe for concurrent use.
type Guard struct {
	own       string // origin of the server that the user named
	narrowest scope  // the narrowest scope allowed

	mu      sync.Mutex
	origins map[string]bool // named by the user or verified metadata

	direct, checked *http.Transport
}

// NewGuard returns the guard of one login at the user's server. more lists further origins named by the user. The server's name is
// resolved to learn whether it is private; a name that does not resolve counts as public.
func NewGuard(ctx context.Context, server string, more []string) (*Guard, error) {
	u, err := parseAddress("the server's URL", server)
	if err != nil {
		return nil, err
	}
	g := &Guard{own: originOf(u), narrowest: scopeOf(ctx, u.Hostname()), origins: map[string]bool{}}
	g.origins[g.own] = true
	for _, m := range more {
		o, err := parseAddress("the origin", m)
		if err != nil {
			return nil, err
		}
		g.origins[originOf(o)] = true
	}
	g.direct = newTransport(nil)
	g.checked = newTransport(g.checkDial)
	return g, nil
}

// Near returns the scope of the server's address: "public", "private" or "loopback".
func (g *Guard) Near() string {
	return map[scope]string{public: "public", private: "private", loopback: "loopback", forbidden: "private"}[g.narrowest]
}

// AssumePublic treats the server as public whatever its address: its metadata must not name private addresses. Tests of clients on
// one machine need it.
func (g *Guard) AssumePublic() { g.narrowest = public }

// ConnectThrough makes all connections through dial, never a proxy: for a server in its own network namespace, where this machine's
// addresses lead elsewhere. Call it before the first request.
func (g *Guard) ConnectThrough(dial func(ctx context.Context, network, address string) (net.Conn, error)) {
	for _, t := range []*http.Transport{g.direct, g.checked} {
		t.DialContext, t.Proxy = dial, nil
	}
}

// newTransport uses the environment's proxy. A proxy connects for us, so control, which sees the addresses we connect to, does not
// apply there.
func newTransport(control func(network, address string, _ syscall.RawConn) error) *http.Transport {
	t := &http.Transport{
		DialContext:            (&net.Dialer{Timeout: 10 * time.Second, Control: control}).DialContext,
		TLSHandshakeTimeout:    10 * time.Second,
		ResponseHeaderTimeout:  requestTime,
		MaxResponseHeaderBytes: maxHead,
		DisableCompression:     true, // a decompression bomb would go off before we count
		ForceAttemptHTTP2:      true,
		DisableKeepAlives:      true, // a handful of requests
	}
	if control == nil {
		t.Proxy = http.ProxyFromEnvironment
	}
	return t
}

// Allow adds the origin of an address named by verified metadata, after checking it.
func (g *Guard) Allow(what, address string) error {
	u, err := g.Check(what, address)
	if err != nil {
		return err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.origins[originOf(u)] = true
	return nil
}

// Check parses an address and refuses one that must be neither requested nor opened, whoever named it. It resolves no names: the
// address of a name is checked on connecting.
func (g *Guard) Check(what, address string) (*url.URL, error) {
	u, err := parseAddress(what, address)
	if err != nil {
		return nil, err
	}
	at := literalScope(u.Hostname())
	if originOf(u) == g.own {
		at = min(at, g.narrowest)
	}
	switch {
	case u.Scheme == "http" && at != loopback && literalScope(u.Hostname()) != loopback:
		return nil, refuse(what, address, "tokens and codes are sent over HTTPS only, except on this machine")
	case at == forbidden || at > g.narrowest:
		return nil, refuse(what, address, "it is a private address, and the server's is not")
	}
	return u, nil
}

// checkDial refuses to connect to an address of narrower scope than the server's.
func (g *Guard) checkDial(_, address string, _ syscall.RawConn) error {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		host = address
	}
	if at := literalScope(host); at == forbidden || at > g.narrowest {
		return refuse("the address", host, "a name resolves to a private address, and the server's is not")
	}
	return nil
}

// named reports whether an origin may be requested.
func (g *Guard) named(u *url.URL) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.origins[originOf(u)]
}

// RoundTrip makes one request if its address is allowed.
func (g *Guard) RoundTrip(r *http.Request) (*http.Response, error) {
	u, err := g.Check("the address", r.URL.String())
	if err != nil {
		return nil, err
	}
	if !g.named(u) {
		return nil, refuse("the address", u.Scheme+"://"+u.Host, "neither the user nor verified metadata named this origin")
	}
	res, err := g.transportFor(r, u).RoundTrip(r)
	if err != nil {
		return nil, err
	}
	res.Body = http.MaxBytesReader(nil, res.Body, maxBody)
	return res, nil
}

// transportFor chooses how to connect: to the server as the user named it, elsewhere with a check of the address unless a proxy
// connects for us.
func (g *Guard) transportFor(r *http.Request, u *url.URL) http.RoundTripper {
	if originOf(u) == g.own {
		return g.direct
	}
	if proxy, err := http.ProxyFromEnvironment(r); err == nil && proxy != nil {
		return g.direct
	}
	return g.checked
}

// client returns the HTTP client for all requests: limited in time, following redirects only within one origin, and none for
// requests that carry a secret.
func (g *Guard) client() *http.Client {
	return &http.Client{Transport: g, Timeout: requestTime, CheckRedirect: func(next *http.Request, via []*http.Request) error {
		switch from := via[0]; {
		case from.Method != http.MethodGet:
			return http.ErrUseLastResponse
		case originOf(next.URL) != originOf(from.URL):
			return refuse("a redirect to", next.URL.Scheme+"://"+next.URL.Host, "it leads to another origin")
		case len(via) > maxRedirects:
			return refuse("a redirect to", next.URL.Scheme+"://"+next.URL.Host, fmt.Sprintf("there were more than %d", maxRedirects))
		}
		return nil
	}}
}

// parseAddress parses a stranger's address. Only absolute http and https addresses with a host and without a user pass:
// javascript:, file:, data: and others are never requested or opened.
func parseAddress(what, address string) (*url.URL, error) {
	if len(address) > 4096 || strings.IndexFunc(address, func(r rune) bool { return r <= ' ' || r == 0x7f || strings.ContainsRune("\"<>`\\^{|}", r) }) >= 0 {
		return nil, refuse(what, address, "it is too long, or has invalid characters")
	}
	u, err := url.Parse(address)
	switch {
	case err != nil:
		return nil, refuse(what, address, "it cannot be read")
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, refuse(what, address, "it does not begin with https://")
	case u.Hostname() == "" || u.Opaque != "":
		return nil, refuse(what, address, "it names no host")
	case u.User != nil:
		return nil, refuse(what, u.Scheme+"://"+u.Host, "it has a user or a password in it")
	case !plainHost(u.Hostname()):
		return nil, refuse(what, address, "its host has invalid characters")
	}
	return u, nil
}

// plainHost reports whether a host is a name or an address without characters special to a shell.
func plainHost(host string) bool {
	return strings.IndexFunc(host, func(r rune) bool {
		return r != '.' && r != '-' && r != ':' && r != '_' && r != '%' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && r < 0x80
	}) < 0
}

// originOf returns scheme, host and port in canonical spelling.
func originOf(u *url.URL) string {
	port := cmp.Or(u.Port(), map[string]string{"http": "80", "https": "443"}[u.Scheme])
	return u.Scheme + "://" + net.JoinHostPort(strings.TrimSuffix(strings.ToLower(u.Hostname()), "."), port)
}

// scopeOf resolves a host and returns the widest scope of its addresses.
func scopeOf(ctx context.Context, host string) scope {
	if at := literalScope(host); at != public {
		return at
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	found, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	if err != nil || len(found) == 0 {
		return public
	}
	at := loopback
	for _, a := range found {
		at = min(at, literalScope(a.String()))
	}
	return at
}

// literalScope returns a host's scope without resolving it.
func literalScope(host string) scope {
	return map[hostscope.Scope]scope{hostscope.Private: private, hostscope.Loopback: loopback, hostscope.LinkLocal: forbidden}[hostscope.Of(host)]
}

// wasRefused returns the refusal in err, or nil.
func wasRefused(err error) *RefusedError {
	r, _ := errors.AsType[*RefusedError](err)
	return r
}
