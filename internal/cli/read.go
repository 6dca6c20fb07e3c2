package cli

import (
	"context"

	"gauntlet/catalog"
)

// read reads the baseline and every target. What cannot be read is remembered and does not
// keep the rest from being scanned.
func (s *scanRun) read(ctx context.Context) error {
	if s.baselineFile != "" {
		if err := s.readBaseline(ctx); err != nil {
			return err
		}
	}
	s.targets = append(s.targets, s.plan.targets()...)
	got, err := s.gather(ctx, &s.how, s.targets)
	if err != nil {
		return err
	}
	s.gathered = *got
	if s.plan != nil {
		s.plan.settle(got.outcomes[len(s.targets)-len(s.plan.launches):])
	}
	s.failures = append(s.failures, got.failures...)
	tell := s.note
	if s.nothing() {
		tell = s.say // no report on the terminal will say it
		if s.plan != nil {
			for _, p := range s.plan.problems {
				tell("%s", failureText(p))
			}
		}
	}
	for _, p := range s.failures {
		tell("%s", failureText(p))
	}
	return nil
}

// readBaseline reads what the user approved. Without it the rest is scanned all the same,
// as with any input that cannot be read.
func (s *scanRun) readBaseline(ctx context.Context) error {
	s.progress.say("reading %s", s.baselineFile)
	baseline := new(catalog.Catalog)
	failed, err := interruptible(ctx, func() error { return s.readInto(baseline, s.baselineFile, s.how.limits.Limits) })
	if failed != nil {
		p := failure(&target{file: s.baselineFile}, failed)
		p.Message = "the baseline could not be read: " + p.Message
		s.failures = append(s.failures, p)
	} else if err == nil {
		s.baseline = baseline
	}
	return err
}
