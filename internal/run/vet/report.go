package vet

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"gauntlet/catalog"
	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/internal/engine/scanner"
	"gauntlet/internal/run/interrupt"
	"gauntlet/internal/run/redaction"
	"gauntlet/result"
)

func (v *vetting) report(ctx context.Context, older *vetting) (*result.Report, error) {
	opt := scanner.Options{Version: v.Version, Configs: v.read.agents}
	if seen := v.read.boxes.Observed(); seen != nil {
		opt.Trace = check.Recording{Trace: seen, Live: true}
	}
	if s := v.read.source; s != nil && s.Sources != nil {
		opt.Source = check.SourceTree{Sources: s.Sources, Dir: v.sourceLabel(), Text: func(file string) []byte { return s.Files[file] }}
	}
	if v.fetched != nil {
		opt.Package = &check.PackageFacts{Label: v.label(), Facts: &v.fetched.Facts}
	}
	if older != nil && len(older.read.catalog.Servers) > 0 {
		opt.Baseline = &older.read.catalog
	}
	if p := v.read.probed; p != nil && p.After != "" && len(v.read.catalog.Servers) > 0 {
		changed, err := catalog.Parse("", p.Changed, catalog.Limits{Bytes: len(p.Changed), Items: v.Limits.Items})
		if err != nil {
			return nil, err
		}
		opt.Askings = []check.Asking{{Of: v.read.catalog.Servers[0], Catalog: changed, As: "gauntlet", Self: true, After: p.After}}
	}
	r, err := interrupt.Do(ctx, func() *result.Report { return scanner.Run(&v.read.catalog, opt) })
	if err != nil {
		return nil, err
	}
	r.Sandboxes = v.read.boxes.Reports()
	r.Problems = append(slices.DeleteFunc(r.Problems, isEmptyCatalog), v.problems...)
	if v.read.probed != nil {
		if err := v.addProbing(r); err != nil {
			return nil, err
		}
	}
	v.judge(r)
	if hidden := slices.Concat(v.read.secrets, v.target.Guard); len(hidden) > 0 {
		redaction.New(hidden).Report(r)
	}
	r.Count()
	return r, nil
}

// nothingExamined keeps a vetting that examined nothing from looking clean.
func (v *vetting) nothingExamined() finding.Problem {
	return finding.Problem{Kind: finding.Unread, Message: "nothing of it was examined: neither its definitions nor its source nor its behaviour", Location: finding.Location{File: v.label()}, Input: -1}
}

// isEmptyCatalog recognises the problem of an empty scan: the vetting's steps say it better.
func isEmptyCatalog(p finding.Problem) bool {
	return p.Kind == finding.Unread && p.Message == scanner.NothingRead
}

// sourceLabel is the source root's name in findings.
func (v *vetting) sourceLabel() string {
	if v.target.Spec.Kind == "directory" {
		return v.target.Spec.Name
	}
	return v.label()
}

// addProbing adds the probes' findings. A run that was cut, or a tool no trial reached, makes the vetting incomplete; other
// undelivered trials are counted in the step, and do so only if the user asked for behaviour by name.
func (v *vetting) addProbing(r *result.Report) error {
	probed, err := v.read.probed.Report(v.Version, v.Limits)
	if err != nil {
		return err
	}
	known := map[string]bool{}
	for i := range r.Findings {
		known[r.Findings[i].Fingerprint] = true
	}
	for _, f := range probed.Findings {
		if !known[f.Fingerprint] {
			r.Findings = append(r.Findings, f)
		}
	}
	for _, p := range probed.Problems {
		undelivered := p.Location.Kind == finding.Tool
		if v.Depth == Behaviour || p.Kind == finding.Limit || undelivered && !reachedTool(probed.Probing, p.Location.Item) {
			r.Problems = append(r.Problems, p)
		}
	}
	r.Probing = probed.Probing
	takeChecks(r, probed)
	p := probed.Probing
	text := fmt.Sprintf("%d calls; %d trials planned: %d proved, %d resisted, %d by design, %d not delivered", p.Calls, plannedTrials(p),
		p.Count(result.Proved, false), p.Count(result.ResistedIt, false), p.Count(result.ByDesign, false), p.Count(result.NotDelivered, false))
	if n := p.Count(result.InconclusiveTrial, false); n > 0 {
		text += fmt.Sprintf(", %d not conclusive", n)
	}
	if p.Cut != "" {
		text += "; ended early: " + p.Cut
	}
	v.done(stepBehaviour, "%s", text)
	return nil
}

// reachedTool reports whether a planned trial of a parameter reached its tool's code; trials of a tool as a whole only examine its
// answers.
func reachedTool(p *result.Probing, tool string) bool {
	return slices.ContainsFunc(p.Trials, func(t result.ProbeTrial) bool {
		return t.Planned && t.Tool == tool && t.Parameter != "" && t.Outcome != result.NotDelivered
	})
}

func plannedTrials(p *result.Probing) (n int) {
	for i := range p.Trials {
		if p.Trials[i].Planned {
			n++
		}
	}
	return n
}

// takeChecks copies from another report the lines of checks that ran only there.
func takeChecks(r, from *result.Report) {
	ran := map[finding.Rule]result.CheckCoverage{}
	for _, c := range from.Coverage.Checks {
		if c.State == "ran" {
			ran[c.Rule] = c
		}
	}
	for i, c := range r.Coverage.Checks {
		if better, ok := ran[c.Rule]; ok && c.State == "skipped" {
			r.Coverage.Checks[i] = better
		}
	}
	r.Skipped = slices.DeleteFunc(r.Skipped, func(s result.Skip) bool { _, ok := ran[s.Rule]; return ok })
}

// join adds a further target's report.
func join(all, r *result.Report) {
	behind := 0
	for i := range all.Findings {
		behind = max(behind, all.Findings[i].Input+1)
	}
	for i := range r.Findings {
		r.Findings[i].Input += behind
	}
	all.Findings = append(all.Findings, r.Findings...)
	all.Problems = append(all.Problems, r.Problems...)
	all.Sandboxes = append(all.Sandboxes, r.Sandboxes...)
	all.Vetted = append(all.Vetted, r.Vetted...)
	all.Coverage.Servers = append(all.Coverage.Servers, r.Coverage.Servers...)
	for _, f := range r.Coverage.Fields {
		i := slices.IndexFunc(all.Coverage.Fields, func(o result.FieldCoverage) bool { return o.Field == f.Field })
		if i < 0 {
			all.Coverage.Fields = append(all.Coverage.Fields, f)
			continue
		}
		all.Coverage.Fields[i].Strings += f.Strings
		all.Coverage.Fields[i].Bytes += f.Bytes
	}
	joinChecks(all, r)
	all.Summary.Servers += r.Summary.Servers
	all.Summary.Items += r.Summary.Items
	all.Summary.Strings += r.Summary.Strings
	if all.Probing == nil {
		all.Probing = r.Probing
	}
}

// joinChecks adds up what each check did.
func joinChecks(all, r *result.Report) {
	takeChecks(all, r)
	for _, c := range r.Coverage.Checks {
		for i := range all.Coverage.Checks {
			if a := &all.Coverage.Checks[i]; a.Rule == c.Rule && a.State == "ran" && c.State == "ran" {
				a.Items += c.Items
				a.Findings += c.Findings
				a.Withheld += c.Withheld
				a.Reason = cmp.Or(a.Reason, c.Reason)
			}
		}
	}
}
