package proberun

import (
	"context"
	"maps"
	"net/http"
	"net/url"

	"gauntlet/internal/engine/check/probing"
	"gauntlet/internal/leaf/mcp"
	"gauntlet/internal/leaf/probe"
	"gauntlet/internal/runtime/wire"
	"gauntlet/rawjson"
)

// statelessHeader returns the headers of a request of revision 2026-07-28.
func statelessHeader(method, name string) map[string]string {
	h := map[string]string{mcp.HeaderProtocolVersion: mcp.Revision2026Jul, mcp.HeaderMethod: method}
	if name != "" {
		h[mcp.HeaderName] = wireName(name)
	}
	return h
}

// wireName omits a name that is not valid in a header.
func wireName(name string) string {
	for _, r := range name {
		if r < '!' || r > '~' {
			return ""
		}
	}
	return name
}

// probeStateless sends the messages of revision 2026-07-28 if the server answers the first one.
func (p *prober) probeStateless(ctx context.Context) {
	steps := probing.Probes()
	for _, q := range steps { // the honest list first: it shows whether there is anything to test
		if q.ID == "P31" {
			first := p.post(ctx, p.stateless(&q, q.Steps[0]))
			p.out.Stateless = first.Status/100 == 2 && isStateless(first)
		}
	}
	if !p.out.Stateless {
		return
	}
	for _, q := range steps {
		if !q.HTTP || q.Era != probe.Stateless || q.ID == "P31" {
			continue
		}
		for _, step := range q.Steps {
			e := p.stateless(&q, step)
			if step.Verb != "" {
				p.record(ctx, e, step.Verb, p.URL, "")
				continue
			}
			p.post(ctx, e)
		}
	}
	p.makeCalls(ctx, probe.Stateless)
}

// isStateless reports whether a result belongs to revision 2026-07-28: it states its type. Servers of earlier revisions answer too
// if they do not wait for initialize.
func isStateless(e *probe.Exchange) bool {
	return e.Result && rawjson.LastMember(wire.Decode(e.Body).Result, "resultType") != ""
}

func (p *prober) stateless(q *probing.Probe, step probing.Step) probe.Exchange {
	header := statelessHeader(mcp.ToolsList, "")
	maps.Copy(header, step.Header)
	return probe.Exchange{ID: q.ID, Step: step.Name, Effect: q.Effect, Sent: step.Body, Header: header, Era: probe.Stateless, Verb: step.Verb}
}

// probeOtherUser uses another user's token: in the first user's session, for the list, and for each call.
func (p *prober) probeOtherUser(ctx context.Context) {
	if p.OtherToken == "" || p.ended {
		return
	}
	own := p.Token
	p.Token = p.OtherToken
	defer func() { p.Token = own }()
	const list = `{"jsonrpc":"2.0","id":"other","method":"tools/list"}`
	if p.session != "" {
		p.post(ctx, probe.Exchange{ID: "P09", Step: probing.OtherSession, Effect: probe.Reads, Sent: list, Header: p.inSession(nil), Era: probe.Handshake})
	}
	if p.out.Stateless {
		for _, q := range probing.Probes() {
			if q.ID == "P31" {
				e := p.stateless(&q, q.Steps[0])
				e.Step = probing.OtherUser
				p.post(ctx, e)
			}
		}
	}
	session := p.session
	p.session = p.send(ctx, http.MethodPost, p.URL, initialize, nil).Answer["Mcp-Session-Id"]
	p.send(ctx, http.MethodPost, p.URL, initialized, p.inSession(nil))
	for i := range p.Calls {
		p.post(ctx, probe.Exchange{ID: "P14", Step: "a call of " + p.Calls[i].Tool, Effect: probe.Writes, Sent: p.Calls[i].request("other", p.Calls[i].Arguments, ""), Header: p.inSession(nil), Era: probe.Handshake})
	}
	p.session = session
}

// withQuery returns a URL with a value added to its query.
func withQuery(at, name, value string) string {
	u, err := url.Parse(at)
	if err != nil {
		return at
	}
	q := u.Query()
	q.Set(name, value)
	u.RawQuery = q.Encode()
	return u.String()
}
