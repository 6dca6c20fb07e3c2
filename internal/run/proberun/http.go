package proberun

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"slices"
	"strconv"
	"time"

	"gauntlet/internal/engine/check/probing"
	"gauntlet/internal/leaf/hostscope"
	"gauntlet/internal/leaf/mcp"
	"gauntlet/internal/leaf/probe"
	"gauntlet/internal/leaf/sockettable"
	"gauntlet/internal/runtime/wire"
	"gauntlet/rawjson"
)

// foreign is an origin and host that belongs to no server.
const foreign = "evil.example"

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
	Plan   Plan
}

// An Inside is a sandboxed server's own network.
type Inside struct {
	// Sockets are the addresses it listens at.
	Sockets []netip.AddrPort
	// Dial connects to an address inside.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// An httpProber is the channel to a server behind a URL, and sends the probes that only HTTP has.
type httpProber struct {
	*prober
	protocolTarget
	at      *url.URL
	client  *http.Client
	session string
	mayAsk  bool // the session's client has capabilities
	ended   bool // the server no longer answers
}

// sockets returns the addresses at which the server's machine listens.
func (i *Inside) sockets() []netip.AddrPort {
	if i != nil {
		return i.Sockets
	}
	return ownSockets()
}

// probeHTTP probes a server behind a URL. Each request may take ten seconds; ctx bounds the whole.
func probeHTTP(ctx context.Context, t protocolTarget, transport http.RoundTripper) *probe.Protocol {
	out := &probe.Protocol{Transport: "http", Place: t.Place, Token: t.Token != "", Unsent: map[string]string{}, Exchanges: []probe.Exchange{}}
	at, err := url.Parse(t.URL)
	if err != nil {
		out.Unsent["all"] = "the URL cannot be read"
		return out
	}
	p := &httpProber{protocolTarget: t, at: at}
	p.prober = &prober{channel: p, Plan: t.Plan, out: out}
	p.client = &http.Client{Transport: transport, Timeout: 10 * time.Second, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	if out.Scheme, out.Loopback = at.Scheme, hostscope.Of(at.Hostname()) == hostscope.Loopback; out.Loopback {
		out.Listening = addressesAt(t.Inside.sockets(), at)
	}
	if p.SSE {
		p.probeOldTransport(ctx)
		return out
	}
	first := *p.record(ctx, probe.Exchange{ID: "P03", Step: "no origin", Effect: probe.Writes, Sent: initialize}, p.URL)
	p.session = first.Answer["Mcp-Session-Id"]
	if probing.IsResult(&first) {
		out.Revision = agreedOn(first.Body)
		for _, x := range p.origins() {
			p.opensAs(ctx, x.ID, x.Step, x.Header)
		}
		p.send(ctx, http.MethodPost, p.URL, initialized, p.inSession())
		p.sendTable(ctx, probe.Handshake)
	} else {
		out.Unsent["others"] = fmt.Sprintf("initialize was not answered (HTTP %d)", first.Status)
	}
	p.probeStateless(ctx)
	p.probeAuthorization(ctx)
	if probing.IsResult(&first) {
		p.probeOtherUser(ctx)
		p.probeSessions(ctx)
		p.probeWithQuestions(ctx)
	}
	p.probeBurst(ctx)
	return out
}

func (p *httpProber) reaches(q *probing.Probe) bool { return q.HTTP }

func (p *httpProber) anew() bool { return !p.ended }

func (p *httpProber) begin(ctx context.Context, opening string) probe.Exchange {
	got := p.send(ctx, http.MethodPost, p.URL, opening, nil)
	p.session, p.mayAsk = got.Answer["Mcp-Session-Id"], opening == declared
	p.send(ctx, http.MethodPost, p.URL, initialized, p.inSession())
	return got
}

func (p *httpProber) end(ctx context.Context) {
	if p.session != "" {
		p.send(ctx, http.MethodDelete, p.URL, "", p.inSession())
	}
}

// post adds the header of the message's era, which that of its step overrides. No session is named in an initialize.
func (p *httpProber) post(ctx context.Context, e probe.Exchange, _ bool) (*probe.Exchange, bool) {
	header := p.inSession()
	m := wire.Decode(e.Sent)
	switch {
	case e.Era == probe.Stateless:
		header = statelessHeader(cmp.Or(m.Method, mcp.ToolsList), rawjson.LastText(m.Params, "name"))
	case m.Method == mcp.Initialize:
		header = nil
	}
	if header != nil {
		maps.Copy(header, e.Header)
	}
	e.Header = header
	return p.record(ctx, e, p.URL), !p.ended
}

// as has further requests carry another token, until the returned function is called.
func (p *httpProber) as(token string) (back func()) {
	own := p.Token
	p.Token = token
	return func() { p.Token = own }
}

func (p *httpProber) inSession() map[string]string {
	h := map[string]string{mcp.HeaderProtocolVersion: cmp.Or(p.out.Revision, mcp.Revision2025Nov)}
	if p.session != "" {
		h[mcp.HeaderSessionID] = p.session
	}
	return h
}

// statelessHeader returns the headers of a request of revision 2026-07-28. A name that is not valid in a header is omitted.
func statelessHeader(method, name string) map[string]string {
	h := map[string]string{mcp.HeaderProtocolVersion: mcp.Revision2026Jul, mcp.HeaderMethod: method}
	for _, r := range name {
		if r < '!' || r > '~' {
			return h
		}
	}
	if name != "" {
		h[mcp.HeaderName] = name
	}
	return h
}

// opensAs records an initialize that a probe sends with further headers.
func (p *httpProber) opensAs(ctx context.Context, id, step string, header map[string]string) *probe.Exchange {
	return p.record(ctx, probe.Exchange{ID: id, Step: step, Effect: probe.Writes, Sent: initialize, Header: header}, p.URL)
}

// origins are the headers that another site's web page would send, or one of the server's own.
func (p *httpProber) origins() []probe.Exchange {
	return []probe.Exchange{
		{ID: "P01", Header: map[string]string{"Origin": "https://" + foreign}},
		{ID: "P02", Header: map[string]string{"Host": foreign}},
		{ID: "P03", Step: "own origin", Header: map[string]string{"Origin": p.at.Scheme + "://" + p.at.Host}},
	}
}

// probeSessions opens sessions to compare their ids, and uses one after its end.
func (p *httpProber) probeSessions(ctx context.Context) {
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
	p.record(ctx, probe.Exchange{ID: "P09", Step: "end", Effect: probe.Writes, Verb: http.MethodDelete, Header: p.inSession()}, p.URL)
	p.record(ctx, probe.Exchange{ID: "P09", Step: "after the end", Effect: probe.Reads, Sent: `{"jsonrpc":"2.0","id":11,"method":"tools/list"}`, Header: p.inSession()}, p.URL)
}

// probeOtherUser uses another user's token: in the first user's session, for the list, and for each call.
func (p *httpProber) probeOtherUser(ctx context.Context) {
	if p.OtherToken == "" || p.ended {
		return
	}
	defer p.as(p.OtherToken)()
	if p.session != "" {
		p.post(ctx, probe.Exchange{ID: "P09", Step: probing.OtherSession, Effect: probe.Reads, Sent: `{"jsonrpc":"2.0","id":"other","method":"tools/list"}`, Era: probe.Handshake}, false)
	}
	if p.out.Stateless {
		list := probing.ByID("P31")
		e := stepOf(list, &list.Steps[0])
		e.Step = probing.OtherUser
		p.post(ctx, e, false)
	}
	session := p.session
	p.begin(ctx, initialize)
	for i := range p.Calls {
		p.post(ctx, probe.Exchange{ID: "P14", Step: "a call of " + p.Calls[i].Tool, Effect: probe.Writes, Sent: p.Calls[i].request("other", p.Calls[i].Arguments, ""), Era: probe.Handshake}, false)
	}
	p.session = session
}

func addressesAt(sockets []netip.AddrPort, u *url.URL) []string {
	port, err := strconv.ParseUint(portOf(u), 10, 16)
	if err != nil {
		return nil
	}
	var out []string
	for _, s := range sockets {
		if s.Port() == uint16(port) {
			out = append(out, s.Addr().String())
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// ownSockets returns this machine's listening sockets on Linux; nil if they cannot be read.
func ownSockets() (out []netip.AddrPort) {
	for _, file := range sockettable.Files {
		f, err := os.Open("/proc/self/" + file)
		if err != nil {
			continue
		}
		out = append(out, sockettable.ReadListening(f)...)
		_ = f.Close() // opened for reading only
	}
	return out
}

// portOf returns a URL's port, or its scheme's default.
func portOf(u *url.URL) string {
	return cmp.Or(u.Port(), map[string]string{"http": "80", "https": "443"}[u.Scheme])
}

// probeOldTransport tests who may connect to a server that speaks HTTP+SSE of 2024-11-05. The other probes are for Streamable HTTP,
// where each message has its own response.
func (p *httpProber) probeOldTransport(ctx context.Context) {
	p.out.Unsent["others"] = "the server speaks HTTP+SSE, for which only connecting is probed"
	first := p.connect(ctx, probe.Exchange{ID: "P03", Step: "no origin"}, nil)
	if !probing.IsResult(first) {
		p.out.Unsent["others"] = "initialize was not answered over HTTP+SSE"
		return
	}
	p.out.Revision = agreedOn(first.Body)
	for _, x := range p.origins() {
		p.connect(ctx, x, x.Header)
	}
	p.connect(ctx, probe.Exchange{ID: "P11", Step: "no token"}, nil)
}

// connect opens a stream, posts initialize to the endpoint in its first event, and keeps the response from the stream. A refusal of
// either request is the answer.
func (p *httpProber) connect(ctx context.Context, e probe.Exchange, header map[string]string) *probe.Exchange {
	if e.ID == "P11" {
		defer p.as("")()
	}
	e.Effect, e.Sent, e.Header, e.Answer, e.Problem = probe.Writes, initialize, header, map[string]string{}, silent
	ctx, cancel := context.WithTimeout(ctx, p.client.Timeout)
	defer cancel()
	streams := map[string]string{"Accept": "text/event-stream"}
	maps.Copy(streams, header)
	if res, _ := p.ask(ctx, http.MethodGet, p.URL, "", streams); res != nil {
		defer res.Body.Close()
		e.Status, e.Problem = res.StatusCode, ""
		keepHeader(&e, res)
		if isEventStream(res) && res.StatusCode == http.StatusOK {
			p.shakeHands(ctx, &e, wire.ReadEvents(io.LimitReader(res.Body, maxAnswer), maxAnswer))
		}
	}
	e.Answered = e.Status != 0
	e.Alive = e.Answered
	return p.keep(e)
}

// shakeHands posts initialize and reads the stream to its response.
func (p *httpProber) shakeHands(ctx context.Context, e *probe.Exchange, next func() (string, error)) {
	place, err := next()
	if err != nil {
		return
	}
	at, err := p.at.Parse(place)
	if err != nil || at.Host != p.at.Host {
		return // a client does not go there either
	}
	res, _ := p.ask(ctx, http.MethodPost, at.String(), initialize, e.Header)
	if res == nil {
		e.Status, e.Problem = 0, silent
		return
	}
	_ = res.Body.Close() // the response arrives on the stream
	if res.StatusCode/100 != 2 {
		e.Status = res.StatusCode
		return
	}
	for {
		data, err := next()
		if err != nil {
			return
		}
		if k := wire.Decode(data).Kind; k == wire.Response || k == wire.Error {
			takeResponse(e, data)
			return
		}
	}
}
