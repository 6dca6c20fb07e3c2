package proberun

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"gauntlet/internal/engine/schemafill"
	"gauntlet/internal/leaf/mcp"
	"gauntlet/internal/run/launch"
	"gauntlet/internal/runtime/mcpclient"
	"gauntlet/internal/runtime/wire"
)

// protocolTime bounds all protocol probes, and leastProtocolTime is what they have where calls took
// their whole budget.
const (
	protocolTime      = 60 * time.Second
	leastProtocolTime = 15 * time.Second
)

// probeProtocol sends the protocol probes: to a server behind a URL over connections of its own, to
// one on stdio in a conversation of its own.
func (r *run) probeProtocol(ctx context.Context) {
	if !r.Protocol {
		return
	}
	r.Progress("%s: protocol probes", r.out.Place)
	left := min(protocolTime, max(leastProtocolTime, time.Until(r.ends)+leastProtocolTime))
	inTime, cancel := context.WithTimeout(ctx, left)
	defer cancel()
	plan := Plan{Calls: r.protocolCalls(), Burst: r.Burst}
	if r.Server.URL == "" && r.inside.URL == "" {
		r.probeLines(inTime, plan)
		return
	}
	if err := r.refresh(inTime); err != nil {
		r.out.Gaps = append(r.out.Gaps, mcpclient.Gap{Method: "protocol probes", Message: err.Error()})
		return
	}
	to, transport := r.target(inTime)
	defer transport.CloseIdleConnections()
	to.Plan, to.Register = plan, r.Register
	e := probeHTTP(inTime, to, transport)
	e.Command = r.Server.Command
	e.Planted = r.ground != nil && r.ground.service != nil && len(r.ground.service.seen()) > 0
	e.PassedOn = r.passedOn(to.Token)
	r.out.Evidence.Protocol = e
	if r.OtherToken != "" {
		r.out.Secrets = append(r.out.Secrets, "other-bearer="+r.OtherToken)
	}
}

// refresh starts a server that listens in a sandbox anew, since what it was sent may have changed it.
func (r *run) refresh(ctx context.Context) error {
	if r.Server.URL != "" {
		return nil
	}
	if r.opened != nil {
		_ = r.opened.Conn.Kill() // its part is over
	}
	r.opened = nil
	return r.startOnce(ctx)
}

// target is the server over HTTP, and what makes requests to it.
func (r *run) target(ctx context.Context) (protocolTarget, *http.Transport) {
	to := protocolTarget{URL: r.Server.URL, Place: r.out.Place, Header: r.Server.Header, Token: r.token(ctx), OtherToken: r.OtherToken, SSE: r.Server.SSE}
	if r.inside.URL == "" {
		transport := wire.NewTransport()
		transport.Proxy = http.ProxyFromEnvironment
		return to, transport
	}
	box := r.opened.Sandbox
	sockets, _ := box.Listening() // none where it cannot be read: where it listens is then not judged
	to.URL, to.SSE, to.Inside = r.inside.URL, r.inside.SSE, &Inside{Sockets: sockets, Dial: box.Dial}
	return to, launch.InsideTransport(box)
}

// probeLines probes a server over stdio; each conversation starts it anew.
func (r *run) probeLines(ctx context.Context, plan Plan) {
	e := probeStdio(ctx, r.openAnew, plan)
	e.Place, e.Command = r.out.Place, r.Server.Command
	r.out.Evidence.Protocol = e
}

// openAnew ends the server and starts it anew.
func (r *run) openAnew() (wire.Conn, error) {
	if r.opened != nil {
		_ = r.opened.Conn.Kill() // its part is over
	}
	opened, err := r.open()
	if err != nil {
		return nil, err // it started before; what it does now is not known
	}
	r.opened = opened
	if opened.Sandbox != nil {
		r.out.Sealed, r.out.Protections = true, opened.SandboxReport
	}
	return opened.Conn, nil
}

// mostProtocolCalls bounds the tools that are called in each conversation of the protocol probes.
const mostProtocolCalls = 8

// protocolCalls are ordinary calls of the tools that may be called and answer quickly.
func (r *run) protocolCalls() (out []Call) {
	for _, t := range r.tools {
		if len(out) == mostProtocolCalls {
			break
		}
		if method, _ := t.request("{}"); method != mcp.ToolsCall || t.slowness() > 0 || !r.allows(&t.Tool) {
			continue
		}
		c := Call{Tool: t.Name, Arguments: schemafill.Encode(t.filler.Arguments(nil)), OutputSchema: t.output}
		if path := freeText(t.Schema); path != "" {
			c.RightValue, c.WrongValue = "gauntlet"+randomWord(8), "gauntlet"+randomWord(8)
			c.Right = schemafill.Encode(t.filler.Arguments(map[string]any{path: c.RightValue}))
			c.Wrong = schemafill.Encode(t.filler.Arguments(map[string]any{path: []any{c.WrongValue}}))
		}
		out = append(out, c)
	}
	return out
}

// freeText is the first parameter of a tool that wants a text of any kind, "" for none.
func freeText(s *schemafill.Schema) string {
	for _, p := range s.Parameters() {
		if p.Type == "string" && p.Free() && !strings.ContainsAny(p.Path, ".[") && p.Schema["pattern"] == nil && p.Schema["format"] == nil {
			return p.Path
		}
	}
	return ""
}

// passedOn is the request to the planted service that carried the token of the client, "" for none.
func (r *run) passedOn(token string) string {
	if token == "" || r.ground == nil || r.ground.service == nil {
		return ""
	}
	for _, c := range r.ground.service.seen() {
		if strings.Contains(c.Head, token) {
			return c.Method + " " + c.URL
		}
	}
	return ""
}

// token is what the protocol probes are sent with: the one that the user named, or that of a login.
func (r *run) token(ctx context.Context) string {
	if _, token, ok := strings.Cut(r.Server.Bearer, "="); ok {
		return token
	}
	login := r.Dialer.LoginFor(&r.Server)
	if login == nil {
		return ""
	}
	token, err := login.Token(ctx)
	if err != nil {
		return "" // connecting said so
	}
	return token
}

// refusedToken reports whether an error says that the server wants a token.
func refusedToken(err error) bool {
	var e *wire.RequestError
	return errors.As(err, &e) && e.HTTP != nil && e.HTTP.Status == http.StatusUnauthorized
}

// probeRefusal is the run over a server that lets nobody in: the protocol probes alone.
func (r *run) probeRefusal(ctx context.Context, refusal error) (*Result, error) {
	r.out.Evidence.Server = r.out.Place
	r.out.Text = `{"tools":[]}`
	r.out.Gaps = append(r.out.Gaps, mcpclient.Gap{Method: "initialize", Message: refusal.Error()})
	r.probeProtocol(ctx)
	r.recordEvidence()
	return r.out, nil
}
