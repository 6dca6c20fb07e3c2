package cli

import (
	"context"

	"gauntlet/catalog"
	"gauntlet/internal/run/interrupt"
	"gauntlet/internal/run/target"
)

// readInputs reads the baseline and every target. What cannot be read is remembered and does not
// keep the rest from being scanned.
func (s *scanCommand) readInputs(ctx context.Context) error {
	if s.baselineFile != "" {
		if err := s.readBaseline(ctx); err != nil {
			return err
		}
	}
	s.targets = append(s.targets, s.plan.Targets()...)
	got, err := s.gatherTargets(ctx, &s.how, s.targets)
	if err != nil {
		return err
	}
	s.gathered = *got
	if s.plan != nil {
		s.plan.Settle(got.Outcomes[len(s.targets)-len(s.plan.Launches):])
	}
	s.failures = append(s.failures, got.Failures...)
	tell := s.note
	if s.nothingRead() {
		tell = s.say // no report on the terminal will say it
		if s.plan != nil {
			for _, p := range s.plan.Problems {
				tell("%s", target.FailureText(p))
			}
		}
	}
	for _, p := range s.failures {
		tell("%s", target.FailureText(p))
	}
	return nil
}

// readBaseline reads what the user approved. Without it the rest is scanned all the same,
// as with any input that cannot be read.
func (s *scanCommand) readBaseline(ctx context.Context) error {
	s.progress.Step("reading %s", s.baselineFile)
	baseline := new(catalog.Catalog)
	failed, err := interrupt.Do(ctx, func() error { return s.readInto(baseline, s.baselineFile, s.how.limits.Limits) })
	if failed != nil {
		p := target.Failure(&target.Target{File: s.baselineFile}, failed)
		p.Message = "the baseline could not be read: " + p.Message
		s.failures = append(s.failures, p)
	} else if err == nil {
		s.baseline = baseline
	}
	return err
}
