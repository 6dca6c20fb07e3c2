package vet

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"gauntlet/catalog"
	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/internal/engine/scanner"
	"gauntlet/internal/run/interrupt"
	"gauntlet/internal/run/redaction"
	"gauntlet/result"
)

const maxReasons = 3

// judge sets the verdict: by the most severe finding, otherwise by what was not done.
func (v *vetting) judge(r *result.Report) {
	w := &v.what
	w.Depth = v.reached()
	for i := range r.Findings {
		w.Findings = append(w.Findings, r.Findings[i].Fingerprint)
	}
	r.Vetted = []result.Vetting{*w}
	undone := r.Undone()
	some := atLeast(r.Findings, finding.Medium)
	// What tools can do together is for the user to weigh, and says nothing against the author.
	grave := slices.DeleteFunc(atLeast(r.Findings, finding.High), func(f finding.Finding) bool { return f.Rule == "SEC-035" })
	switch {
	case len(grave) > 0:
		w.Verdict, w.Reasons = result.Refuse, findingReasons(grave)
	case w.Depth == "" && len(some) == 0 && v.read.agents == nil:
		w.Verdict, w.Reasons = result.Unknown, firstReasons(undone)
		if len(undone) == 0 { // what examined nothing must not look clean
			r.Problems = append(r.Problems, finding.Problem{Kind: finding.Unread, Message: "nothing of it was examined: neither its definitions nor its source nor its behaviour", Location: finding.Location{File: v.label()}, Input: -1})
		}
	case len(some) > 0:
		w.Verdict, w.Reasons = result.Review, findingReasons(some)
	case len(undone) > 0:
		w.Verdict, w.Reasons = result.Review, firstReasons(undone)
	default:
		w.Verdict, w.Reasons = result.Accept, []string{"nothing of severity medium or above was found in its " + v.lookedAt()}
		for _, s := range w.Steps {
			if s.State == result.StepSkipped && slices.Contains(Depths(), s.Name) {
				w.Reasons = append(w.Reasons, s.Name+" not looked at: "+s.Detail)
			}
		}
	}
	r.Vetted[0] = *w
}

func firstReasons(all []string) []string {
	out := slices.Clone(all[:min(len(all), maxReasons)])
	if n := len(all) - len(out); n > 0 {
		out = append(out, fmt.Sprintf("%d more", n))
	}
	return out
}

// atLeast returns the findings of at least a severity, most severe first.
func atLeast(fs []finding.Finding, floor finding.Severity) []finding.Finding {
	out := slices.DeleteFunc(slices.Clone(fs), func(f finding.Finding) bool { return f.Severity < floor })
	slices.SortStableFunc(out, func(a, b finding.Finding) int { return int(b.Severity) - int(a.Severity) })
	return out
}

func findingReasons(fs []finding.Finding) []string {
	var out []string
	for i := range fs {
		f := &fs[i]
		place := f.Location.Item
		if place != "" {
			place = " (" + place + ")"
		}
		out = append(out, fmt.Sprintf("%s, %s%s: %s", f.Severity, f.Name, place, f.Message))
	}
	return firstReasons(out)
}

// reached returns the deepest level at which something was done.
func (v *vetting) reached() string {
	for _, d := range []Depth{Behaviour, Source, Definitions} {
		if v.stepState(string(d)) == result.StepDone {
			return string(d)
		}
	}
	return ""
}

func (v *vetting) stepState(step string) string {
	for _, s := range v.what.Steps {
		if s.Name == step {
			return s.State
		}
	}
	return ""
}

// lookedAt names what was read.
func (v *vetting) lookedAt() string {
	var parts []string
	for _, d := range []Depth{Definitions, Source, Behaviour} {
		if v.stepState(string(d)) == result.StepDone {
			parts = append(parts, string(d))
		}
	}
	if v.read.agents != nil {
		parts = append(parts, stepAgents)
	}
	if v.fetched != nil {
		parts = append(parts, "package")
	}
	if len(parts) < 2 {
		return strings.Join(parts, "")
	}
	return strings.Join(parts[:len(parts)-1], ", ") + " and " + parts[len(parts)-1]
}

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
		before, err := catalog.Parse("", p.Evidence.Snapshot, catalog.Limits{Bytes: len(p.Evidence.Snapshot), Items: v.Limits.Items})
		if err != nil {
			return nil, err
		}
		opt.Askings = []check.Asking{{Of: v.read.catalog.Servers[0], Catalog: changed, As: "gauntlet", Self: true, After: p.After, Before: before}}
	}
	r, err := interrupt.Do(ctx, func() *result.Report { return scanner.Run(&v.read.catalog, opt) })
	if err != nil {
		return nil, err
	}
	r.Sandboxes = v.read.boxes.Reports()
	r.Problems = append(slices.DeleteFunc(r.Problems, func(p finding.Problem) bool {
		return p.Kind == finding.Unread && p.Message == scanner.NothingRead // the vetting's steps say it better
	}), v.problems...)
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

// sourceLabel is the source root's name in findings.
func (v *vetting) sourceLabel() string {
	if v.target.Spec.Kind == "directory" {
		return v.target.Spec.Name
	}
	return v.label()
}

// addProbing adds the probes' findings and problems: what probe calls undone is undone here, too.
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
		if !slices.ContainsFunc(r.Problems, func(read finding.Problem) bool {
			return read.Kind == p.Kind && read.Message == p.Message && read.Location.Item == p.Location.Item
		}) {
			r.Problems = append(r.Problems, p) // else the server did not give it to the reading either
		}
	}
	r.Probing = probed.Probing
	takeChecks(r, probed)
	p := probed.Probing
	text := fmt.Sprintf("%d of %d calls; %d trials planned: %d proved, %d resisted, %d by design, %d not delivered", p.Calls, p.Most, plannedTrials(p),
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
