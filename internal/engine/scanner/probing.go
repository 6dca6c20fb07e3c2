package scanner

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"gauntlet/catalog"
	"gauntlet/finding"
	"gauntlet/internal/engine/check/probing"
	"gauntlet/internal/leaf/excerpt"
	"gauntlet/internal/leaf/probe"
	"gauntlet/result"
)

// addProbing records the outcome of each trial. A planned trial that never reached a tool's code is a problem: it must
// not look like resistance; nor must a run in which nothing was sent to a server without definitions.
func addProbing(r *result.Report, e *probe.Evidence, c *catalog.Catalog) {
	if e == nil {
		return
	}
	out := &result.Probing{Server: e.Server, Ground: e.Ground, Supplied: e.Supplied, Notes: slices.Clone(e.Notes), Calls: e.Calls, Cut: e.Cut, Trials: []result.ProbeTrial{}, NotApplicable: []string{}}
	for _, c := range e.None {
		out.NotApplicable = append(out.NotApplicable, string(c))
	}
	for i := range e.Trials {
		out.Trials = append(out.Trials, trialOf(&e.Trials[i], e.Server))
	}
	out.Notes = append(out.Notes, inconclusive(out)...)
	r.Probing = out
	probing.FillPosture(r.Posture, e.Protocol)
	r.Problems = append(r.Problems, undelivered(out)...)
	listed := slices.ContainsFunc(c.Servers, func(s *catalog.Server) bool {
		return slices.ContainsFunc(s.Lists[:], func(l catalog.List) bool { return len(l.Items) > 0 })
	})
	if len(e.Trials) == 0 && (e.Protocol == nil || len(e.Protocol.Exchanges) == 0) && !listed {
		r.Problems = append(r.Problems, finding.Problem{Kind: finding.Unread, Message: "nothing was probed: the server lists nothing that can be called, and no protocol probe was sent", Location: finding.Location{Server: e.Server}, Input: -1})
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

// inconclusive counts, tool by tool, the planned trials that ended as with any other value. They are a note and no problem: a
// server whose backend is out of reach answers everything so.
func inconclusive(p *result.Probing) (notes []string) {
	counts := map[string]int{}
	for i := range p.Trials {
		if t := &p.Trials[i]; t.Outcome == result.InconclusiveTrial && t.Planned {
			counts[t.Tool]++
		}
	}
	for _, tool := range slices.Sorted(maps.Keys(counts)) {
		notes = append(notes, fmt.Sprintf("not conclusive: %s of %s: ordinary values get the same answer, so its code may not have been reached", excerpt.Count(counts[tool], "trial"), excerpt.Clip(tool, 80)))
	}
	return notes
}

// undelivered reports planned trials without delivery, one problem per tool and reason, and all trials of a tool that never
// answered: one that ends the server at every call has resisted nothing.
func undelivered(p *result.Probing) []finding.Problem {
	reached := map[string]bool{}
	for i := range p.Trials {
		t := &p.Trials[i]
		reached[t.Tool] = reached[t.Tool] || t.Outcome != result.NotDelivered || strings.HasPrefix(t.Reason, probe.Refused)
	}
	type key struct{ tool, why string }
	var order []key
	what := map[key][]string{}
	for i := range p.Trials {
		t := &p.Trials[i]
		if t.Outcome != result.NotDelivered || !t.Planned && reached[t.Tool] {
			continue
		}
		k := key{t.Tool, t.Reason}
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
			Kind: finding.Unread, Message: fmt.Sprintf("not delivered: %s: %s", excerpt.List(what[k], 4), k.why),
			Location: finding.Location{Server: p.Server, Kind: finding.Tool, Item: k.tool}, Input: -1,
		})
	}
	return out
}
