// Package protocolprobe sends messages that break the rules of MCP or come from where they should
// not, and records what the server answered. It judges nothing.
package protocolprobe

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"gauntlet/internal/leaf/mcp"
	"gauntlet/internal/leaf/probe"
)

// foreign is an origin and a host that no server of anybody has.
const foreign = "evil.example"

// maxBody is how much of an answer is kept.
const maxBody = 8 << 10

// sessionsBegun is how many sessions are begun to compare their ids.
const sessionsBegun = 20

// A Target is a server behind a URL.
type Target struct {
	URL    string
	Header []string // NAME=VALUE, sent with every request
	Token  string   // "" for none
	// Register has the authorization server asked for a client that it should not register.
	Register bool
}

const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"` + mcp.Revision2025Nov + `","capabilities":{},"clientInfo":{"name":"gauntlet","version":"1"}}}`

// prober holds one run over HTTP.
type prober struct {
	Target
	client  *http.Client
	out     *probe.Protocol
	session string
}

// HTTP probes a server behind a URL. Each request waits ten seconds at most; ctx bounds all.
func HTTP(ctx context.Context, t Target, transport http.RoundTripper) *probe.Protocol {
	p := &prober{Target: t, out: &probe.Protocol{Transport: "http", Token: t.Token != "", Unsent: map[string]string{}, Exchanges: []probe.Exchange{}}}
	p.client = &http.Client{Transport: transport, Timeout: 10 * time.Second, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	u, err := url.Parse(t.URL)
	if err != nil {
		p.out.Unsent["all"] = "the URL cannot be read"
		return p.out
	}
	p.out.Scheme, p.out.Loopback = u.Scheme, isLoopback(u.Hostname())
	first := p.post(ctx, probe.Exchange{ID: "P03", Step: "no origin", Effect: probe.Writes, Sent: initialize})
	p.session = first.Answer["Mcp-Session-Id"]
	if !first.HasResult() {
		p.out.Unsent["others"] = fmt.Sprintf("initialize was not answered (HTTP %d)", first.Status)
		p.probeAuthorization(ctx, u)
		return p.out
	}
	p.probeOrigins(ctx, u)
	p.probeMessages(ctx)
	p.probeAuthorization(ctx, u)
	p.probeSessions(ctx)
	p.out.Unsent["P23"] = "a burst is load: it was not asked for"
	p.out.Unsent["P12"] = "it needs tokens of a tester's authorization server"
	return p.out
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

// messages are requests within a session that a careful server refuses without ending.
var messages = []struct {
	id, step, body string
	header         map[string]string
}{
	{"P06", "", `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`, map[string]string{"MCP-Protocol-Version": "1900-01-01"}},
	{"P16", "forged cursor", `{"jsonrpc":"2.0","id":3,"method":"tools/list","params":{"cursor":"gauntlet-forged"}}`, nil},
	{"P17", "unknown method", `{"jsonrpc":"2.0","id":4,"method":"gauntlet/unknown"}`, nil},
	{"P17", "unknown tool", `{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"gauntlet-unknown","arguments":{}}}`, nil},
	{"P18", "malformed", `{"jsonrpc":"2.0","id":6,"method":"tools/list"`, nil},
	{"P18", "wrong version", `{"jsonrpc":"1.0","id":7,"method":"ping"}`, nil},
	{"P19", "", `[{"jsonrpc":"2.0","id":8,"method":"ping"},{"jsonrpc":"2.0","id":9,"method":"ping"}]`, nil},
	{"P30", "first", `{"jsonrpc":"2.0","id":10,"method":"tools/list"}`, nil},
	{"P30", "second", `{"jsonrpc":"2.0","id":10,"method":"tools/list"}`, nil},
}

func (p *prober) probeMessages(ctx context.Context) {
	p.send(ctx, http.MethodPost, p.URL, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, p.inSession(nil))
	for _, m := range messages {
		p.post(ctx, probe.Exchange{ID: m.id, Step: m.step, Effect: probe.Reads, Sent: m.body, Header: p.inSession(m.header)})
	}
}

func (p *prober) inSession(more map[string]string) map[string]string {
	h := map[string]string{"MCP-Protocol-Version": mcp.Revision2025Nov}
	if p.session != "" {
		h["Mcp-Session-Id"] = p.session
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

func (p *prober) post(ctx context.Context, e probe.Exchange) *probe.Exchange {
	return p.record(ctx, e, http.MethodPost, p.URL, e.Sent)
}

// record sends one probe and keeps what came back, and whether the server still answers.
func (p *prober) record(ctx context.Context, e probe.Exchange, method, at, body string) *probe.Exchange {
	got := p.send(ctx, method, at, body, e.Header)
	e.Status, e.Answer, e.Body, e.Problem, e.Answered = got.Status, got.Answer, got.Body, got.Problem, got.Status != 0
	delete(e.Header, "Authorization")
	e.Alive = got.Status != 0 || p.send(ctx, http.MethodPost, p.URL, initialize, nil).Status != 0
	p.out.Exchanges = append(p.out.Exchanges, e)
	return &p.out.Exchanges[len(p.out.Exchanges)-1]
}

// keptHeader are the fields of answers that probes are judged by.
var keptHeader = []string{"Mcp-Session-Id", "Www-Authenticate", "Access-Control-Allow-Origin", "Access-Control-Allow-Credentials", "Content-Type", "Retry-After", "Strict-Transport-Security"}

// send makes one request. The body of an answer is read until the first message of an event stream
// or maxBody.
func (p *prober) send(ctx context.Context, method, at, body string, header map[string]string) probe.Exchange {
	e := probe.Exchange{Answer: map[string]string{}}
	req, err := http.NewRequestWithContext(ctx, method, at, strings.NewReader(body))
	if err != nil {
		e.Problem = "the request cannot be made"
		return e
	}
	req.Header.Set("Accept", "application/json, text/event-stream")
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for _, h := range p.Header {
		name, v, _ := strings.Cut(h, "=")
		req.Header.Set(name, v)
	}
	if p.Token != "" {
		req.Header.Set("Authorization", "Bearer "+p.Token)
	}
	for name, v := range header {
		if name == "Host" {
			req.Host = v
			continue
		}
		req.Header.Set(name, v)
	}
	res, err := p.client.Do(req)
	if err != nil {
		e.Problem = "no answer"
		return e
	}
	defer res.Body.Close()
	e.Status = res.StatusCode
	for _, name := range keptHeader {
		if v := res.Header.Get(name); v != "" {
			e.Answer[name] = v[:min(len(v), 1024)]
		}
	}
	e.Body = readFirst(res)
	return e
}

// readFirst reads an answer: of an event stream the first event with data alone, since a server may
// leave it open.
func readFirst(res *http.Response) string {
	stream := strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream")
	var b strings.Builder
	buffer := make([]byte, 1024)
	for b.Len() < maxBody {
		n, err := io.LimitReader(res.Body, int64(maxBody-b.Len())).Read(buffer)
		b.Write(buffer[:n])
		text := b.String()
		if at := strings.Index(text, "data:"); err != nil || stream && at >= 0 && strings.Contains(text[at:], "\n\n") {
			break
		}
	}
	return strings.ToValidUTF8(b.String(), "\uFFFD")
}
