package proberun

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"gauntlet/internal/engine/check/probing"
	"gauntlet/internal/engine/schemafill"
	"gauntlet/internal/leaf/mcp"
	"gauntlet/internal/run/launch"
	"gauntlet/internal/runtime/mcpclient"
	"gauntlet/internal/runtime/wire"
)

// protocolTime bounds all protocol probes, which are a fixed number of messages.
const protocolTime = 3 * time.Minute

// probeProtocol sends the protocol probes, to a URL over its own connections, to a stdio server in its own session.
func (r *run) probeProtocol(ctx context.Context) {
	if !r.Protocol {
		return
	}
	r.Progress.Step("%s: protocol probes", r.out.Place)
	inTime, cancel := context.WithTimeout(ctx, protocolTime)
	defer cancel()
	defer func() {
		if inTime.Err() != nil && ctx.Err() == nil {
			r.out.Gaps = append(r.out.Gaps, mcpclient.Gap{Method: "protocol probes", Message: "not all were sent within " + protocolTime.String()})
		}
	}()
	plan := Plan{Calls: r.protocolCalls(), Burst: r.Burst}
	if r.Server.URL == "" && r.inside.URL == "" {
		r.probeLines(inTime, plan)
		return
	}
	if r.Server.URL == "" { // it listens in a sandbox, and earlier messages may have changed it
		if err := r.startOnce(inTime); err != nil {
			r.out.Gaps = append(r.out.Gaps, mcpclient.Gap{Method: "protocol probes", Message: err.Error()})
			return
		}
	}
	to, transport := r.target(inTime)
	defer transport.CloseIdleConnections()
	to.Plan, to.Register = plan, r.Register
	e := probeHTTP(inTime, to, transport)
	e.Command = r.Server.Command
	e.Planted = r.testbed != nil && r.testbed.service != nil && len(r.testbed.service.since(0)) > 0
	e.PassedOn = r.passedOn(to.Token)
	r.out.Evidence.Protocol = e
	if r.OtherToken != "" {
		r.out.Secrets = append(r.out.Secrets, "other-bearer="+r.OtherToken)
	}
}

// target returns the server over HTTP, and the transport for it.
func (r *run) target(ctx context.Context) (protocolTarget, *http.Transport) {
	to := protocolTarget{URL: r.Server.URL, Place: r.out.Place, Header: r.Server.Header, Token: r.token(ctx), OtherToken: r.OtherToken, SSE: r.Server.SSE}
	if r.inside.URL == "" {
		transport := wire.NewTransport()
		transport.Proxy = http.ProxyFromEnvironment
		return to, transport
	}
	box := r.opened.Sandbox
	sockets, _ := box.Listening() // none if unreadable: its listening address is then not judged
	to.URL, to.SSE, to.Inside = r.inside.URL, r.inside.SSE, &Inside{Sockets: sockets, Dial: box.Dial}
	return to, launch.InsideTransport(box)
}

// probeLines probes a server over stdio; each session restarts it.
func (r *run) probeLines(ctx context.Context, plan Plan) {
	e := probeStdio(ctx, r.openAnew, plan, defaultWaits)
	e.Place, e.Command = r.out.Place, r.Server.Command
	r.out.Evidence.Protocol = e
}

func (r *run) openAnew() (wire.Conn, error) {
	if err := r.open(); err != nil {
		return nil, err // it started before; its present behaviour is unknown
	}
	if r.opened.Sandbox != nil {
		r.out.Sealed, r.out.Protections = true, r.opened.SandboxReport
	}
	return r.opened.Conn, nil
}

// mostProtocolCalls bounds the tools called in each session of the protocol probes.
const mostProtocolCalls = 8

// protocolCalls returns ordinary calls of permitted tools that answer quickly.
func (r *run) protocolCalls() (out []Call) {
	for _, t := range r.tools {
		if len(out) == mostProtocolCalls {
			break
		}
		if method, _ := t.request("{}"); method != mcp.ToolsCall || t.slowness() > 0 || !r.allows(t) {
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

// freeText returns a tool's first free text parameter, or "".
func freeText(s *schemafill.Schema) string {
	for _, p := range s.Parameters() {
		if p.Type == "string" && p.Free() && !strings.ContainsAny(p.Path, ".[") && p.Schema["pattern"] == nil && p.Schema["format"] == nil {
			return p.Path
		}
	}
	return ""
}

// passedOn returns the request to the planted service that carried the client's token, or "".
func (r *run) passedOn(token string) string {
	if token == "" || r.testbed == nil || r.testbed.service == nil {
		return ""
	}
	for _, c := range r.testbed.service.since(0) {
		if strings.Contains(c.Head, token) {
			return c.Method + " " + c.URL
		}
	}
	return ""
}

// token returns the token for the protocol probes: the user's, or a login's.
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
		return "" // connecting reported it
	}
	return token
}

// refusedToken reports whether an error says that the server requires a token.
func refusedToken(err error) bool {
	var e *wire.RequestError
	return errors.As(err, &e) && e.HTTP != nil && e.HTTP.Status == http.StatusUnauthorized
}

// probeRefusal probes a server that lets nobody in, with the protocol probes alone.
func (r *run) probeRefusal(ctx context.Context, refusal error) (*Result, error) {
	r.out.Evidence.Server = r.out.Place
	r.out.Evidence.Snapshot = `{"tools":[]}`
	r.out.Gaps = append(r.out.Gaps, mcpclient.Gap{Method: "initialize", Message: refusal.Error()})
	return r.finish(ctx)
}

// finish sends the protocol probes and records the evidence. A run for the fingerprint of a finding that no trial is behind sends
// them as well, and reports their rule alone; evidence without bearing on that rule is an error or a gap, so that silence is no clean
// result.
func (r *run) finish(ctx context.Context) (*Result, error) {
	if r.Fingerprint != "" {
		r.out.only = probing.RuleOf(r.Fingerprint, r.out.Evidence.Server)
		if r.Protocol = r.out.only != ""; !r.Protocol && len(r.out.Evidence.Trials) == 0 {
			return nil, fmt.Errorf("nothing that is tried on this server has the fingerprint %q", r.Fingerprint)
		}
	}
	r.probeProtocol(ctx)
	if e := r.out.Evidence.Protocol; r.out.only != "" && e != nil {
		switch v := probing.Judge(r.out.only, e); {
		case v.State == probing.Unprobed && v.Text != "":
			return nil, fmt.Errorf("this finding cannot be tried again this way: %s", v.Text)
		case v.State != probing.Broken && e.Unsent["others"] != "":
			r.out.Gaps = append(r.out.Gaps, mcpclient.Gap{Method: "replay", Message: e.Unsent["others"]})
		}
	}
	r.recordEvidence()
	return r.out, nil
}
