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

// foreign is an origin and a host that no server of anybody has.
const foreign = "evil.example"

// maxBody is how much of an answer is kept, and maxAnswer how much is read, in bytes.
const (
	maxBody   = 64 << 10
	maxAnswer = 4 << 20
)

// sessionsBegun is how many sessions are begun to compare their ids.
const sessionsBegun = 20

// A protocolTarget is a server behind a URL.
type protocolTarget struct {
	URL    string
	Place  string   // how messages call it: without what is secret in the URL
	Header []string // NAME=VALUE, sent with every request
	Token  string   // "" for none
	// OtherToken is that of another user or of fewer rights; "" for none.
	OtherToken string
	// Register has the authorization server asked for a client that it should not register.
	Register bool
	// SSE says that the server speaks probeHTTP+SSE of 2024-11-05.
	SSE bool
	// Inside is set for a server in a network of its own.
	Inside *Inside
	Plan
}

// An Inside is the network that a server has to itself, as a sandbox gives it.
type Inside struct {
	// Sockets are where it listens.
	Sockets []netip.AddrPort
	// Dial connects to an address in it.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// listening returns the addresses at which the server's machine listens at the port of a URL.
func (t *protocolTarget) listening(u *url.URL) []string {
	if t.Inside != nil {
		return addressesAt(t.Inside.Sockets, u)
	}
	return addressesAt(ownSockets(), u)
}

// A Plan says what is sent beside the messages of the table.
type Plan struct {
	Calls []Call // the calls of tools that may be made
	Burst int    // how many requests are sent at once for P23; 0 for none
}

const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"` + mcp.Revision2025Nov + `","capabilities":{},"clientInfo":{"name":"gauntlet","version":"1"}}}`

const initialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}`

// prober holds one run over probeHTTP.
type prober struct {
	protocolTarget
	client  *http.Client
	out     *probe.Protocol
	session string
	mayAsk  bool // the client of the conversation declared that its user can be asked
	ended   bool // nothing is answered any more
}

// probeHTTP probes a server behind a URL. Each request waits ten seconds at most; ctx bounds all.
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
		p.out.Unsent["others"] = fmt.Sprintf("initialize was not answered (probeHTTP %d)", first.Status)
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

// portOf is the port of a URL, named or of its scheme.
func portOf(u *url.URL) string {
	switch {
	case u.Port() != "":
		return u.Port()
	case u.Scheme == "https":
		return "443"
	}
	return "80"
}

// agreedOn is the revision in the answer to initialize.
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

// probeOrigins sends requests as a web page of somebody else would.
func (p *prober) probeOrigins(ctx context.Context, u *url.URL) {
	p.post(ctx, probe.Exchange{ID: "P01", Effect: probe.Writes, Sent: initialize, Header: map[string]string{"Origin": "https://" + foreign}})
	p.post(ctx, probe.Exchange{ID: "P02", Effect: probe.Writes, Sent: initialize, Header: map[string]string{"Host": foreign}})
	p.post(ctx, probe.Exchange{ID: "P03", Step: "own origin", Effect: probe.Writes, Sent: initialize, Header: map[string]string{"Origin": u.Scheme + "://" + u.Host}})
}

// probeHandshake sends the messages of the table in a session.
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

// probeAuthorization asks without a token, and for the metadata that leads to one.
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

// probeSessions begins sessions to compare their ids, and uses one after its end.
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
