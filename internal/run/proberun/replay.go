package proberun

import (
	"context"
	"fmt"

	"gauntlet/finding"
	"gauntlet/internal/engine/check/probing"
	"gauntlet/internal/leaf/excerpt"
	"gauntlet/internal/leaf/probe"
	"gauntlet/internal/runtime/mcpclient"
)

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
