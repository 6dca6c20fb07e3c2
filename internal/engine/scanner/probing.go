package scanner

import (
	"fmt"
	"slices"
	"strings"

	"gauntlet/catalog"
	"gauntlet/finding"
	"gauntlet/internal/engine/check/probing"
	"gauntlet/internal/leaf/excerpt"
	"gauntlet/internal/leaf/probe"
	"gauntlet/result"
)

// addProbing records the outcome of each trial. A planned trial of which nothing shows that it reached a tool's code is a problem: it
// must not look like resistance; nor must a run in which nothing was sent to a server without definitions.
func addProbing(r *result.Report, e *probe.Evidence, c *catalog.Catalog) {
	if e == nil {
		return
	}
	out := &result.Probing{Server: e.Server, Ground: e.Ground, Supplied: e.Supplied, Notes: slices.Clone(e.Notes), Calls: e.Calls, Most: e.Most, Cut: e.Cut, Trials: []result.ProbeTrial{}, NotApplicable: []string{}}
	for _, c := range e.None {
		out.NotApplicable = append(out.NotApplicable, string(c))
	}
	for i := range e.Trials {
		out.Trials = append(out.Trials, trialOf(&e.Trials[i], e.Server))
	}
	r.Probing = out
	probing.FillPosture(r.Posture, e.Protocol)
	r.Problems = append(r.Problems, undelivered(out)...)
	listed := slices.ContainsFunc(c.Servers, func(s *catalog.Server) bool {
		return slices.ContainsFunc(s.Lists[:], func(l catalog.List) bool { return len(l.Items) > 0 })
	})
	if len(e.Trials) == 0 && (e.Protocol == nil || len(e.Protocol.Exchanges) == 0) && !listed {
		r.Problems = append(r.Problems, finding.Problem{Kind: finding.Unread, Message: "nothing was probed: the server lists nothing that can be called, and no protocol probe was sent", Location: finding.Location{Server: e.Server}, Input: -1})
	}
	for _, what := range e.Untried {
		r.Problems = append(r.Problems, finding.Problem{Kind: finding.Unread, Message: what, Location: finding.Location{Server: e.Server}, Input: -1})
	}
	if e.Cut != "" {
		r.Problems = append(r.Problems, finding.Problem{Kind: finding.Limit, Message: e.Cut, Location: finding.Location{Server: e.Server}, Input: -1})
	}
}

func trialOf(t *probe.Trial, server string) result.ProbeTrial {
	out := result.ProbeTrial{
		Tool: t.Tool, Parameter: t.Parameter, Class: string(t.Class), Basis: t.Basis, Planned: t.Planned,
		Outcome: result.ProbeOutcome(t.Ending), Delivered: t.Delivered, Answered: t.Answered, Reason: t.Why,
	}
	if t.Proof != nil {
		out.Finding = probing.Fingerprint(server, t)
	}
	return out
}

// undecided are the outcomes that decide nothing.
var undecided = map[result.ProbeOutcome]string{result.NotDelivered: "not delivered", result.InconclusiveTrial: "not conclusive"}

// undelivered reports planned trials without delivery or with answers that any value gets, one problem per tool and reason, and all
// trials of a tool that never answered: one that ends the server at every call has resisted nothing.
func undelivered(p *result.Probing) []finding.Problem {
	reached := map[string]bool{}
	for i := range p.Trials {
		t := &p.Trials[i]
		reached[t.Tool] = reached[t.Tool] || t.Outcome != result.NotDelivered || strings.HasPrefix(t.Reason, probe.Refused)
	}
	type key struct{ tool, ending, why string }
	var order []key
	what := map[key][]string{}
	for i := range p.Trials {
		t := &p.Trials[i]
		ending := undecided[t.Outcome]
		if ending == "" || !t.Planned && reached[t.Tool] {
			continue
		}
		k := key{t.Tool, ending, t.Reason}
		if what[k] == nil {
			order = append(order, k)
		}
		one := t.Class
		if t.Parameter != "" { // some are about the whole tool
			one += " in " + t.Parameter
		}
		what[k] = append(what[k], one)
	}
	out := make([]finding.Problem, 0, len(order))
	for _, k := range order {
		out = append(out, finding.Problem{
			Kind: finding.Unread, Message: fmt.Sprintf("%s: %s: %s", k.ending, excerpt.List(what[k], 4), k.why),
			Location: finding.Location{Server: p.Server, Kind: finding.Tool, Item: k.tool}, Input: -1,
		})
	}
	return out
}
