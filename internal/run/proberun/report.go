package proberun

import (
	"slices"

	"gauntlet/catalog"
	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/internal/engine/check/behaviour"
	"gauntlet/internal/engine/check/probing"
	"gauntlet/internal/engine/scanner"
	"gauntlet/internal/run/redaction"
	"gauntlet/result"
)

// Report judges what a run observed. version is this program's.
func (r *Result) Report(version string, limits catalog.Limits) (*result.Report, error) {
	c := new(catalog.Catalog)
	limits.Bytes = max(len(r.Text), 1)
	if err := c.Add("", r.Text, limits); err != nil {
		return nil, err
	}
	c.Documents[0].Origin = r.Place
	r.Evidence.Ground = groundName(r.Sealed)
	opt := scanner.Options{Checks: probing.Checks(), Probes: &r.Evidence, Version: version}
	if seen := r.observed(); seen != nil {
		opt.Checks = slices.Concat(opt.Checks, behaviour.Checks())
		opt.Trace = check.Recording{Trace: seen, Live: true}
	}
	rep := scanner.Run(c, opt)
	rep.Findings = slices.DeleteFunc(rep.Findings, func(f finding.Finding) bool { return isChoice(f) || r.only != "" && f.Rule != r.only })
	for _, p := range r.Protections.Protections {
		rep.Probing.Protections = append(rep.Probing.Protections, result.Protection{Name: p.Name, Held: p.Held, Detail: p.Detail})
	}
	for _, g := range r.Gaps {
		rep.Problems = append(rep.Problems, finding.Problem{Kind: finding.Unread, Message: g.Method + ": " + g.Message, Location: finding.Location{Server: r.Evidence.Server}, Input: -1})
	}
	rep.Count()
	if len(r.Secrets) > 0 {
		redaction.New(r.Secrets).Report(rep)
	}
	return rep, nil
}

// isChoice reports whether a finding says that two calls of a tool went to two domains. Probes try every value that chooses what a
// tool does, such as where it searches, so this means nothing here.
func isChoice(f finding.Finding) bool { return f.Rule == "GNT-502" && len(f.Related) == 0 }
