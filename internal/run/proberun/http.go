package proberun

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"time"

	"gauntlet/internal/engine/check/probing"
	"gauntlet/internal/leaf/mcp"
	"gauntlet/internal/leaf/probe"
	"gauntlet/internal/runtime/wire"
	"gauntlet/rawjson"
)

// foreign is an origin and host that belongs to no server.
const foreign = "evil.example"

// maxBody bounds the kept part of an answer, and maxAnswer what is read, in bytes.
const (
	maxBody   = 64 << 10
	maxAnswer = 4 << 20
)

// sessionsBegun is how many session ids are compared.
const sessionsBegun = 20

// A protocolTarget is a server behind a URL.
type protocolTarget struct {
	URL    string
	Place  string   // name in messages: the URL without secrets
	Header []string // NAME=VALUE, sent with every request
	Token  string   // "" for none
	// OtherToken is a token of another user or with fewer rights; "" for none.
	OtherToken string
	// Register tries a registration that the authorization server should refuse.
	Register bool
	// SSE says that the server speaks HTTP+SSE of 2024-11-05.
	SSE bool
	// Inside is set for a server in its own network namespace.
	Inside *Inside
	Plan
}

// An Inside is a sandboxed server's own network.
type Inside struct {
	// Sockets are the addresses it listens at.
	Sockets []netip.AddrPort
	// Dial connects to an address inside.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// listening returns the addresses at which the server's machine listens on a URL's port.
func (t *protocolTarget) listening(u *url.URL) []string {
	if t.Inside != nil {
		return addressesAt(t.Inside.Sockets, u)
	}
	return addressesAt(ownSockets(), u)
}

// A Plan is what is sent beside the table's messages.
type Plan struct {
	Calls []Call // permitted calls of tools
	Burst int    // requests sent at once for P23; 0 for none
}

const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"` + mcp.Revision2025Nov + `","capabilities":{},"clientInfo":{"name":"gauntlet","version":"1"}}}`

const initialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}`

type prober struct {
	protocolTarget
	client  *http.Client
	out     *probe.Protocol
	session string
	mayAsk  bool // the session's client has capabilities
	ended   bool // the server no longer answers
}

// probeHTTP probes a server behind a URL. Each request may take ten seconds; ctx bounds the whole.
func probeHTTP(ctx context.Context, t protocolTarget, transport http.RoundTripper) *probe.Protocol {
	p := &prober{protocolTarget: t, out: &probe.Protocol{Transport: "http", Place: t.Place, Token: t.Token != "", Unsent: map[string]string{}, Exchanges: []probe.Exchange{}}}
	p.client = &http.Client{Transport: transport, Timeout: 10 * time.Second, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	u, err := url.Parse(t.URL)
	if err != nil {
		p.out.Unsent["all"] = "the URL cannot be read"
		return p.out
	}
	p.out.Scheme, p.out.Loopback = u.Scheme, isLoopback(u.Hostname())
	if p.out.Loopback {
		p.out.Listening = p.listening(u)
	}
	if p.SSE {
		p.probeOldTransport(ctx, u)
		return p.out
	}
	first := *p.post(ctx, probe.Exchange{ID: "P03", Step: "no origin", Effect: probe.Writes, Sent: initialize})
	p.session = first.Answer["Mcp-Session-Id"]
	if first.HasResult() {
		p.out.Revision = agreedOn(first.Body)
		p.probeOrigins(ctx, u)
		p.probeHandshake(ctx)
	} else {
		p.out.Unsent["others"] = fmt.Sprintf("initialize was not answered (HTTP %d)", first.Status)
	}
	p.probeStateless(ctx)
	p.probeAuthorization(ctx, u)
	if first.HasResult() {
		p.probeOtherUser(ctx)
		p.probeSessions(ctx)
		p.probeWithQuestions(ctx)
	}
	p.probeBurst(ctx)
	return p.out
}

// portOf returns a URL's port, or its scheme's default.
func portOf(u *url.URL) string {
	switch {
	case u.Port() != "":
		return u.Port()
	case u.Scheme == "https":
		return "443"
	}
	return "80"
}

// agreedOn returns the revision in the answer to initialize.
func agreedOn(body string) string {
	m := wire.Decode(body)
	return rawjson.Unquote(cmp.Or(rawjson.LastMember(m.Result, "protocolVersion"), `""`))
}

func isLoopback(host string) bool {
	if host == "localhost" {
		return true
	}
	a, err := netip.ParseAddr(host)
	return err == nil && a.IsLoopback()
}

// probeOrigins sends requests as another site's web page would.
func (p *prober) probeOrigins(ctx context.Context, u *url.URL) {
	p.post(ctx, probe.Exchange{ID: "P01", Effect: probe.Writes, Sent: initialize, Header: map[string]string{"Origin": "https://" + foreign}})
	p.post(ctx, probe.Exchange{ID: "P02", Effect: probe.Writes, Sent: initialize, Header: map[string]string{"Host": foreign}})
	p.post(ctx, probe.Exchange{ID: "P03", Step: "own origin", Effect: probe.Writes, Sent: initialize, Header: map[string]string{"Origin": u.Scheme + "://" + u.Host}})
}

// probeHandshake sends the table's messages in a session.
func (p *prober) probeHandshake(ctx context.Context) {
	p.send(ctx, http.MethodPost, p.URL, initialized, p.inSession(nil))
	for _, q := range probing.Probes() {
		if !q.HTTP || q.Era != probe.Handshake {
			continue
		}
		for _, step := range q.Steps {
			header := p.inSession(step.Header)
			if wire.Decode(step.Body).Method == mcp.Initialize {
				header = nil
			}
			p.post(ctx, probe.Exchange{ID: q.ID, Step: step.Name, Effect: q.Effect, Sent: step.Body, Header: header, Era: probe.Handshake})
		}
	}
	p.makeCalls(ctx, probe.Handshake)
}

func (p *prober) inSession(more map[string]string) map[string]string {
	h := map[string]string{mcp.HeaderProtocolVersion: cmp.Or(p.out.Revision, mcp.Revision2025Nov)}
	if p.session != "" {
		h[mcp.HeaderSessionID] = p.session
	}
	maps.Copy(h, more)
	return h
}

// probeAuthorization sends a request without a token, and fetches the metadata that leads to one.
func (p *prober) probeAuthorization(ctx context.Context, u *url.URL) {
	token := p.Token
	p.Token = ""
	p.post(ctx, probe.Exchange{ID: "P11", Step: "no token", Effect: probe.Writes, Sent: initialize})
	p.Token = "gauntlet-not-issued"
	p.post(ctx, probe.Exchange{ID: "P11", Step: "made-up token", Effect: probe.Writes, Sent: initialize})
	p.Token = token
	at := u.Scheme + "://" + u.Host + "/.well-known/oauth-protected-resource"
	p.probeTokens(ctx)
	p.record(ctx, probe.Exchange{ID: "P11", Step: "metadata", Effect: probe.Reads, Sent: "GET " + at}, http.MethodGet, at, "")
	p.discoverAuthorization(ctx)
}

// probeSessions opens sessions to compare their ids, and uses one after its end.
func (p *prober) probeSessions(ctx context.Context) {
	if p.session == "" {
		p.out.Unsent["P09"] = "the server gives no session id"
		return
	}
	p.out.Sessions = append(p.out.Sessions, p.session)
	for range sessionsBegun - 1 {
		got := p.send(ctx, http.MethodPost, p.URL, initialize, nil)
		id := got.Answer["Mcp-Session-Id"]
		if id == "" {
			break
		}
		p.out.Sessions = append(p.out.Sessions, id)
		p.send(ctx, http.MethodDelete, p.URL, "", map[string]string{"Mcp-Session-Id": id})
	}
	p.record(ctx, probe.Exchange{ID: "P09", Step: "end", Effect: probe.Writes, Sent: "DELETE", Header: p.inSession(nil)}, http.MethodDelete, p.URL, "")
	p.post(ctx, probe.Exchange{ID: "P09", Step: "after the end", Effect: probe.Reads, Sent: `{"jsonrpc":"2.0","id":11,"method":"tools/list"}`, Header: p.inSession(nil)})
}
