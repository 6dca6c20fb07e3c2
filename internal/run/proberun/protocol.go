package proberun

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"gauntlet/finding"
	"gauntlet/internal/engine/check/probing"
	"gauntlet/internal/engine/schemafill"
	"gauntlet/internal/leaf/excerpt"
	"gauntlet/internal/leaf/mcp"
	"gauntlet/internal/leaf/probe"
	"gauntlet/internal/run/launch"
	"gauntlet/internal/runtime/mcpclient"
	"gauntlet/internal/runtime/wire"
)

// protocolTime bounds all protocol probes; leastProtocolTime is kept for them if calls use up the budget.
const (
	protocolTime      = 60 * time.Second
	leastProtocolTime = 15 * time.Second
)

// probeProtocol sends the protocol probes, to a URL over its own connections, to a stdio server in its own session.
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
	e.Planted = r.testbed != nil && r.testbed.service != nil && len(r.testbed.service.since(0)) > 0
	e.PassedOn = r.passedOn(to.Token)
	r.out.Evidence.Protocol = e
	if r.OtherToken != "" {
		r.out.Secrets = append(r.out.Secrets, "other-bearer="+r.OtherToken)
	}
}

// refresh restarts a server that listens in a sandbox, since earlier messages may have changed it.
func (r *run) refresh(ctx context.Context) error {
	if r.Server.URL != "" {
		return nil
	}
	if r.opened != nil {
		_ = r.opened.Conn.Kill() // it is no longer needed
	}
	r.opened = nil
	return r.startOnce(ctx)
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
	if r.opened != nil {
		_ = r.opened.Conn.Kill() // it is no longer needed
	}
	opened, err := r.open()
	if err != nil {
		return nil, err // it started before; its present behaviour is unknown
	}
	r.opened = opened
	if opened.Sandbox != nil {
		r.out.Sealed, r.out.Protections = true, opened.SandboxReport
	}
	return opened.Conn, nil
}

// mostProtocolCalls bounds the tools called in each session of the protocol probes.
const mostProtocolCalls = 8

// protocolCalls returns ordinary calls of permitted tools that answer quickly.
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
	r.out.Text = `{"tools":[]}`
	r.out.Gaps = append(r.out.Gaps, mcpclient.Gap{Method: "initialize", Message: refusal.Error()})
	r.probeProtocol(ctx)
	r.recordEvidence()
	return r.out, nil
}

// A Replay is the basis of a recorded finding, to be sent again.
type Replay struct {
	Server string // name in the recording
	Text   string // snapshot of the recorded run

	trial *probe.Trial // of a tool; nil for a protocol probe
	proof *probe.Proof

	rule      finding.Rule // of a protocol probe
	recorded  *probe.Protocol
	exchanges []probe.Exchange // nil to repeat all protocol probes
}

// Recorded finds the basis of a finding in a recorded run.
func (r *Result) Recorded(fingerprint string) (*Replay, error) {
	e := &r.Evidence
	out := &Replay{Server: e.Server, Text: r.Text}
	for i := range e.Trials {
		t := &e.Trials[i]
		o, proved := t.Outcome.(probe.Proved)
		if proved && probing.Fingerprint(e.Server, t) == fingerprint {
			out.trial, out.proof = t, &o.Proof
			return out, nil
		}
	}
	if e.Protocol != nil {
		if out.rule, out.exchanges = probing.Recorded(fingerprint, e.Server, e.Protocol); out.rule != "" {
			out.recorded = e.Protocol
			return out, nil
		}
	}
	return nil, fmt.Errorf("nothing in the recording has the fingerprint %q", fingerprint)
}

// trialAgain reports whether a trial is the recorded one.
func (p *Replay) trialAgain(_ string, t *probe.Trial) bool {
	return p.trial != nil && t.Tool == p.trial.Tool && t.Parameter == p.trial.Parameter && t.Class == p.trial.Class
}

// callAgain makes the recorded call, and shows the answer. Its random values are the recorded ones, so an answer alone proves
// nothing: the trial is repeated afterwards.
func (r *run) callAgain(ctx context.Context) {
	p := r.Replay
	for _, t := range r.tools {
		if t.Name != p.trial.Tool {
			continue
		}
		a := r.call(ctx, t, p.proof.Arguments)
		said := "no answer"
		if a.Came {
			said = excerpt.Quote(a.Text, 400)
		}
		r.tell("sent again: %s %s %s", p.proof.Method, excerpt.Clip(t.Name, 80), excerpt.Quote(p.proof.Arguments, 400))
		r.tell("recorded:   %s: %s", p.proof.Observed, excerpt.Quote(p.proof.Answer, 400))
		r.tell("answered:   %s", said)
		return
	}
	r.tell("the server has no tool %s any more", excerpt.Quote(p.trial.Tool, 80))
}

func (r *run) tell(format string, args ...any) {
	if r.Tell != nil {
		r.Tell(fmt.Sprintf(format, args...))
	}
}

// replayProtocol repeats the recorded messages; the rules judge the answers.
func (r *run) replayProtocol(ctx context.Context) (*Result, error) {
	p := r.Replay
	if why := probing.Wanting(p.rule, r.OtherToken != "", r.Burst > 0); why != "" {
		return nil, cannotSend(why)
	}
	r.out.Text, r.out.Evidence.Server = p.Text, p.Server
	r.out.Place = p.recorded.Place
	inTime, cancel := context.WithTimeout(ctx, protocolTime)
	defer cancel()
	if p.recorded.Transport == "http" && r.Server.URL == "" {
		if err := r.start(inTime); err != nil { // reports where it listens
			return nil, err
		}
	}
	if p.exchanges == nil {
		r.Protocol = true
		r.tell("%s rests on more than messages that can be sent again as they are: all protocol probes are sent", p.rule)
		r.probeProtocol(ctx)
	} else if r.Server.URL != "" || r.inside.URL != "" {
		to, transport := r.target(inTime)
		defer transport.CloseIdleConnections()
		to.Place = p.recorded.Place
		r.out.Evidence.Protocol = againHTTP(inTime, to, transport, p.recorded, p.exchanges)
	} else {
		r.out.Evidence.Protocol = againStdio(inTime, r.openAnew, p.recorded, p.exchanges, defaultWaits)
	}
	r.tellExchanges()
	if err := r.judgeReplay(); err != nil {
		return nil, err
	}
	r.out.only = p.rule
	r.recordEvidence()
	return r.out, nil
}

func cannotSend(why string) error {
	return fmt.Errorf("this finding cannot be sent again this way: %s", why)
}

// judgeReplay turns missing answers into a gap, so that silence is no clean result. An error says that the answers have no bearing
// on the rule.
func (r *run) judgeReplay() error {
	p, e := r.Replay, r.out.Evidence.Protocol
	why := e.Unsent[Again]
	if others := e.Unsent["others"]; p.exchanges == nil && others != p.recorded.Unsent["others"] {
		why = others
	}
	if why != "" {
		r.out.Gaps = append(r.out.Gaps, mcpclient.Gap{Method: "replay", Message: why})
		return nil
	}
	if why := probing.Unjudged(p.rule, e); why != "" {
		return cannotSend(why)
	}
	return nil
}

// tellExchanges shows what was repeated and the answers, at most twelve.
func (r *run) tellExchanges() {
	e := r.out.Evidence.Protocol
	if e == nil || r.Replay.exchanges == nil {
		return
	}
	for i := range e.Exchanges[:min(len(e.Exchanges), 12)] {
		x := &e.Exchanges[i]
		r.tell("sent again: %s %s: %s", x.ID, excerpt.Clip(x.Step, 80), excerpt.Quote(x.Sent, 200))
		answer := x.Problem
		switch {
		case x.Gone:
			answer = "the server has ended"
		case x.Answered && x.Status != 0:
			answer = fmt.Sprintf("HTTP %d, %s", x.Status, excerpt.Quote(x.Body, 200))
		case x.Answered:
			answer = excerpt.Quote(x.Body, 200)
		}
		r.tell("answered:   %s", answer)
	}
}
