package attackrun

import (
	"context"
	"fmt"
	"strings"
	"time"

	"gauntlet/internal/leaf/mcp"
	"gauntlet/internal/leaf/probe"
	"gauntlet/internal/run/proberun"
	"gauntlet/internal/runtime/attack"
	"gauntlet/oatf"
	"gauntlet/trace"
	"gauntlet/verdict"
)

// probeKey is the extension of an attack that lists weakness classes. They are tried on the tools selected by labels and roles,
// with arguments made from their schemas, and judged by observation. Other programs play the document's fixed actions.
const probeKey = "x-gauntlet-probe"

// classesOf returns the classes that a document tries on a server, nil for an ordinary document.
func classesOf(doc *oatf.Document) []probe.Class {
	var out []probe.Class
	for _, name := range doc.Attack.Extension(probeKey).Texts() {
		out = append(out, probe.Class(name))
	}
	return out
}

// playProbes tries a document's classes on the server under attack.
func (p *play) playProbes(ctx context.Context) (*attack.Summary, error) {
	began := time.Now()
	inTime, cancel := context.WithTimeout(ctx, p.Limit)
	defer cancel()
	opt := *p.Probing
	opt.Server, opt.Dialer, opt.Classes, opt.Trace = *p.Target, p.Dialer, classesOf(p.doc), p.file
	if _, err := proberun.Run(inTime, opt); err != nil {
		return nil, err
	}
	sum := &attack.Summary{Duration: time.Since(began), Ended: "everything that could be tried was tried"}
	for i := range p.doc.Attack.Execution.Actors {
		a := &p.doc.Attack.Execution.Actors[i]
		sum.Actors = append(sum.Actors, attack.ActorSummary{Name: a.Name, Mode: a.Mode})
	}
	return sum, nil
}

// probed is what a trace says about one document's trials.
type probed struct {
	classes []probe.Class
	trials  []probe.Trial
	seqs    []int // messages that report them
	whole   bool  // the run was completed
	unread  int
}

// add handles a trace message about a trial.
func (p *probed) add(m *trace.Message) {
	if p.classes == nil || !m.IsProtocol(probe.RecordProtocol) {
		return
	}
	if m.Method == probe.EvidenceEvent {
		p.whole = true
		return
	}
	t, err := probe.ParseTrial(m.Raw)
	if err != nil {
		p.unread++
		return
	}
	for _, c := range p.classes {
		if t.Class == c {
			p.trials, p.seqs = append(p.trials, t), append(p.seqs, m.Seq)
		}
	}
}

// settle writes the trials' verdict: only what was observed is exploited, only what was delivered is resisted.
func (p *probed) settle(v *verdict.Attack, doc *oatf.Document) {
	tally := p.tally(doc)
	v.Exposure, v.Reason, v.MaxTier, v.Summary = tally.exposure, "", "", verdict.Summary{}
	state := verdict.NotMatched
	switch {
	case len(tally.proofs) > 0:
		v.Outcome, state = verdict.Exploited, verdict.Matched
	case !p.whole || p.unread > 0:
		v.Outcome, state, v.Reason = verdict.Failed, verdict.Error, "the trace does not hold the whole run"
	case tally.delivered == 0:
		v.Outcome, state, v.Reason = verdict.NotExposed, verdict.Skipped, tally.whyNot()
	default:
		v.Outcome = verdict.NotExploited
	}
	for i := range v.Indicators {
		one := verdict.Indicator{ID: v.Indicators[i].ID, Tier: v.Indicators[i].Tier, Result: state, Evidence: strings.Join(tally.proofs, "; ")}
		if i > 0 && state != verdict.Error { // the first speaks for the observations; the others' patterns were not needed
			one.Result, one.Evidence = verdict.Skipped, "the trials were judged by what was observed"
		}
		if one.Result == verdict.Matched {
			v.MaxTier = one.Tier
		}
		v.Indicators[i] = one
		v.Summary.Add(one.Result)
	}
}

// tally counts trials by outcome.
type tally struct {
	exposure  *verdict.Exposure
	proofs    []string
	reasons   []string
	delivered int
}

// mostProofs bounds the proofs quoted in a verdict.
const mostProofs = 5

func (p *probed) tally(doc *oatf.Document) *tally {
	t := &tally{exposure: &verdict.Exposure{Basis: "the tools and parameters that labels and roles ask to try", Parts: []verdict.Part{}}}
	actor, phase := "", ""
	if a := doc.Attack.Execution.Actors; len(a) > 0 {
		actor = a[0].Name
		if len(a[0].Phases) > 0 {
			phase = a[0].Phases[0].Name
		}
	}
	for i := range p.trials {
		one := &p.trials[i]
		at := one.Tool + "." + one.Parameter
		part := verdict.Part{Actor: actor, Phase: phase, Method: mcp.ToolsCall, Name: at + ", " + string(one.Class)}
		switch one.Ending {
		case probe.Proved:
			part.Delivered = 1
			if len(t.proofs) < mostProofs {
				t.proofs = append(t.proofs, fmt.Sprintf("%s: %s in %s: %s", one.Class, one.Proof.Observed, at, one.Proof.Arguments))
			}
		case probe.Resisted:
			part.Delivered = one.Delivered
		case probe.ByDesign:
			part.Delivered = 1
		case probe.Inconclusive: // a refusal came, though one as any value gets: probe notes what that leaves open
			if part.Delivered = 1; one.Why == probe.SameResult {
				part.Delivered = 0
				t.reasons = append(t.reasons, at+": "+one.Why)
			}
		case probe.NotDelivered:
			t.reasons = append(t.reasons, at+": "+one.Why)
		}
		if !one.Planned && one.Proof == nil {
			continue // nothing asked for it, so its resistance means nothing
		}
		if t.delivered += part.Delivered; part.Delivered > 0 {
			part.Message = p.seqs[i]
		}
		t.exposure.Parts = append(t.exposure.Parts, part)
	}
	return t
}

func (t *tally) whyNot() string {
	if len(t.exposure.Parts) == 0 {
		return "no tool that may be called has a parameter that this could be tried on"
	}
	return "nothing reached a tool's code: " + strings.Join(t.reasons[:min(len(t.reasons), named)], "; ")
}

const named = 3
