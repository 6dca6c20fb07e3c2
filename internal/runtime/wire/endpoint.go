package wire

import (
	"cmp"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"gauntlet/internal/leaf/mcp"
	"gauntlet/internal/leaf/redact"
)

// An Endpoint is a server reached over HTTP, with its credentials.
type Endpoint struct {
	URL string // http or https; user and password in it are sent as Basic authorization
	// Header is sent, as NAME=VALUE, with every request to the origin of URL and to no other. Bearer is a token for Authorization,
	// as NAME=TOKEN; messages show NAME in place of the token.
	Header []string
	Bearer string
	// Login, if not nil, supplies the token instead of Bearer, and another one if it is refused.
	Login Login
	// Secret holds further values that messages must hide, as NAME=VALUE.
	Secret []string
	// Agent is the User-Agent; default "gauntlet".
	Agent string
	// SSE says that the server speaks HTTP+SSE of 2024-11-05. Otherwise that is detected by the specification's rule when
	// initialize is refused.
	SSE bool
	// Transport makes the requests; nil means one from NewTransport, which is closed with the connection. It must not follow
	// redirects or keep cookies.
	Transport http.RoundTripper
	Limits    Limits
	// Grace bounds a notification and the wait for the first event of HTTP+SSE; default DefaultHTTPGrace.
	Grace time.Duration
}

// DefaultHTTPGrace gives a sleeping server time to wake up.
const DefaultHTTPGrace = 5 * time.Second

// maxHeader bounds the head of a response, in bytes.
const maxHeader = 64 << 10

// NewTransport returns a transport that verifies TLS, bounds the response head and ignores proxies from the environment. The caller
// may change it before its first use.
func NewTransport() *http.Transport {
	return &http.Transport{
		DialContext:            (&net.Dialer{Timeout: 30 * time.Second}).DialContext,
		TLSHandshakeTimeout:    10 * time.Second,
		MaxResponseHeaderBytes: maxHeader,
		DisableCompression:     true, // a decompression bomb would go off before we count
		ForceAttemptHTTP2:      true,
		IdleConnTimeout:        30 * time.Second,
	}
}

// reservedHeaders are the header fields that this package sets or that frame the message.
var reservedHeaders = []string{
	"Accept", "Accept-Encoding", "Connection", "Content-Encoding", "Content-Length", "Content-Type", "Host",
	mcp.HeaderLastEventID, mcp.HeaderMethod, mcp.HeaderName, mcp.HeaderProtocolVersion, mcp.HeaderSessionID, "Te", "Trailer",
	"Transfer-Encoding", "Upgrade",
}

// Reserved reports whether a header is set by this package or frames the message, and is therefore not allowed in Endpoint.Header.
func Reserved(name string) bool {
	return slices.Contains(reservedHeaders, http.CanonicalHeaderKey(strings.TrimSpace(name)))
}

// target parses the URL and removes user name and password. Its errors quote nothing of a URL that may hold a secret.
func (e *Endpoint) target() (*url.URL, *url.Userinfo, error) {
	u, err := url.Parse(e.URL)
	switch {
	case err != nil:
		return nil, nil, errors.New("the URL of the server cannot be read")
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, nil, errors.New("the URL of the server does not begin with http:// or https://")
	case u.Hostname() == "":
		return nil, nil, errors.New("the URL of the server names no host")
	}
	user := u.User
	u.User, u.Fragment = nil, ""
	return u, user, nil
}

// header returns the header fields to send, and the secrets among them as NAME=VALUE.
func (e *Endpoint) header(u *url.URL, user *url.Userinfo) (http.Header, []string, error) {
	h := http.Header{"User-Agent": {cmp.Or(e.Agent, "gauntlet")}}
	secrets := slices.Clone(e.Secret)
	for i, entry := range e.Header {
		name, value, ok := strings.Cut(entry, "=")
		name = http.CanonicalHeaderKey(strings.TrimSpace(name))
		switch {
		case !ok || !token(name):
			// Not quoted: it may be a secret whose name was forgotten.
			return nil, nil, fmt.Errorf("header %d is not of the form NAME=VALUE", i+1)
		case Reserved(name):
			return nil, nil, fmt.Errorf("header %d: %s is set by gauntlet itself", i+1, name)
		case !printable(value):
			return nil, nil, fmt.Errorf("header %d: the value of %s has a control character", i+1, name)
		}
		h.Add(name, value)
		secrets = append(secrets, name+"="+value)
	}
	if user != nil {
		password, _ := user.Password()
		basic := base64.StdEncoding.EncodeToString([]byte(user.Username() + ":" + password))
		h.Set("Authorization", "Basic "+basic)
		secrets = append(secrets, "password="+password, "password="+basic)
	}
	if e.Bearer != "" {
		name, value, ok := strings.Cut(e.Bearer, "=")
		if !ok || value == "" || !printable(value) {
			return nil, nil, errors.New("the bearer token is empty or has a control character")
		}
		h.Set("Authorization", "Bearer "+value)
		secrets = append(secrets, name+"="+value)
	}
	return h, append(append(secrets, redact.QuerySecrets(u)...), redact.PathSecrets(u)...), nil
}

// token reports whether s is valid as a header name.
func token(s string) bool {
	return s != "" && strings.IndexFunc(s, func(r rune) bool {
		return r <= ' ' || r >= 0x7f || strings.ContainsRune(`"(),/:;<=>?@[\]{}`, r)
	}) < 0
}

// printable reports whether s is valid as a header value.
func printable(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }) < 0
}

// visible reports whether s is short, visible ASCII, as a session id that is sent back must be.
func visible(s string) bool {
	const longest = 4 << 10
	return s != "" && len(s) <= longest && strings.IndexFunc(s, func(r rune) bool { return r < '!' || r > '~' }) < 0
}

// redactURL returns u without the parts that may be secret.
func redactURL(u *url.URL) string {
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path, RawPath: u.RawPath}).String()
}

func sameOrigin(a, b *url.URL) bool {
	port := func(u *url.URL) string {
		if p := u.Port(); p != "" {
			return p
		}
		return map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return a.Scheme == b.Scheme && strings.EqualFold(a.Hostname(), b.Hostname()) && port(a) == port(b)
}
