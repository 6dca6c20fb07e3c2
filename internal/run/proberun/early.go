package proberun

import (
	"slices"

	"gauntlet/internal/leaf/probe"
)

// tellFindings reports what is proved so far. The final report judges again.
func (r *run) tellFindings() {
	if r.Found == nil {
		return
	}
	so := *r.out
	so.watched, so.recorded = nil, nil // the sandbox's observations are judged at the end
	so.Evidence.Trials = slices.Clone(so.Evidence.Trials)
	if r.opened != nil {
		so.Secrets = r.opened.SecretsByNow()
	}
	if r.OtherToken != "" {
		so.Secrets = append(slices.Clip(so.Secrets), "other-bearer="+r.OtherToken)
	}
	for _, t := range r.targets {
		if t.proof != nil {
			so.Evidence.Trials = append(so.Evidence.Trials, t.trial())
		}
	}
	if early, err := so.Report(r.Version, r.Limits); err == nil {
		r.Found(early.Findings)
	}
}

// trial returns how a trial ended, or its current state.
func (t *target) trial() probe.Trial {
	return probe.Trial{Tool: t.tool.Name, Parameter: t.Parameter.Path, Class: t.Class, Basis: t.Basis, Planned: t.Planned, Outcome: t.outcome()}
}
