package scanner

import (
	"slices"

	"gauntlet/finding"
	"gauntlet/internal/engine/check/config"
	"gauntlet/internal/leaf/taxonomy"
	"gauntlet/result"
)

// judgeConfigs runs the checks of configurations and adds their findings after those of servers, with documents numbered from first.
func judgeConfigs(r *result.Report, opt Options, first int) {
	if opt.Configs == nil {
		return
	}
	checks := opt.ConfigChecks
	if checks == nil {
		checks = config.Checks()
	}
	entries := 0
	for i := range opt.Configs {
		f := &opt.Configs[i]
		entries += len(f.Entries)
		for _, p := range f.Problems {
			p.Input = first + i
			r.Problems = append(r.Problems, p)
		}
	}
	var found []finding.Finding
	for _, k := range checks {
		ledger := result.CheckCoverage{Rule: k.ID, Name: k.Name, State: "ran", Items: entries, Of: result.OfConfigurations}
		// One at a time, so that the ledger has a line for each.
		fs, problems := config.Run(opt.Configs, []*config.Check{k})
		if problems != nil {
			ledger.State, ledger.Reason = "failed", "panicked; see the problems"
		}
		for _, p := range problems {
			p.Input = -1
			r.Problems = append(r.Problems, p)
		}
		ledger.Findings = len(fs)
		r.Coverage.Checks = append(r.Coverage.Checks, ledger)
		found = append(found, fs...)
	}
	slices.SortStableFunc(found, finding.Compare)
	for i := range found {
		found[i].Input += first
	}
	r.Findings = append(r.Findings, found...)
	r.Rules = append(r.Rules, ConfigRules(checks)...)
	for _, k := range config.Checks() {
		if !slices.ContainsFunc(checks, func(c *config.Check) bool { return c.ID == k.ID }) {
			r.Skipped = append(r.Skipped, result.Skip{Rule: k.ID, Name: k.Name, Needs: opt.unasked()})
		}
	}
}

// ConfigRules is Rules for checks of configurations.
func ConfigRules(checks []*config.Check) []result.Rule {
	out := make([]result.Rule, 0, len(checks))
	for _, k := range checks {
		out = append(out, result.Rule{
			ID: k.ID, Name: k.Name, Severity: k.Severity, Maturity: string(k.Maturity), Axis: k.Axis,
			Doc: k.Doc, Advice: k.Advice, Source: k.Source, Taxonomy: taxonomy.Of(k.Taxonomy),
		})
	}
	return out
}
