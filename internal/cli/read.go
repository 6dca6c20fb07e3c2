package cli

import (
	"context"
	"errors"

	"gauntlet/catalog"
	"gauntlet/finding"
)

// read reads every input into the catalog. One that cannot be read is remembered and
// does not keep the others from being scanned; the error is that of the last when none
// could, each having been said.
func (s *scanRun) read(ctx context.Context) error {
	if s.baselineFile != "" {
		if err := s.readBaseline(ctx); err != nil {
			return err
		}
	}
	for _, name := range s.files {
		s.progress.say("reading %s", name)
		failure, err := interruptible(ctx, func() error { return s.readSnapshot(name) })
		if err != nil {
			return err
		}
		if failure != nil {
			s.failed(name, failure)
		}
	}
	if !s.target.none() {
		if err := s.readServer(ctx); errors.Is(err, errInterrupted) {
			return err
		} else if err != nil {
			s.failed("", err)
		}
	}
	tell := s.note
	if len(s.catalog.Documents) == 0 {
		tell = s.say // no report on the terminal will say it
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
	failure, err := interruptible(ctx, func() error {
		text, err := s.readFile(s.baselineFile, s.limits.Bytes)
		if err != nil {
			return err
		}
		baseline, err := catalog.Parse(s.baselineFile, text, s.limits.Limits)
		if err == nil {
			s.baseline = baseline
		}
		return err
	})
	if failure != nil {
		s.failed(s.baselineFile, failure)
		p := &s.failures[len(s.failures)-1]
		p.Message = "the baseline could not be read: " + p.Message
	}
	return err
}

func (s *scanRun) readSnapshot(name string) error {
	text, err := s.readFile(name, s.limits.Bytes)
	if err != nil {
		return err
	}
	return s.catalog.Add(name, text, s.limits.Limits)
}

func (s *scanRun) readServer(ctx context.Context) error {
	got, err := s.capture(ctx, &s.live, s.target, s.limits.Limits)
	if err != nil {
		return err
	}
	s.redact, s.env = got.redact, got.env
	// The capture had its limits; its text has a few bytes of our own on top.
	limits := s.limits.Limits
	limits.Bytes = len(got.text)
	return s.catalog.Add("", got.text, limits)
}

// failed records an input of which nothing was read.
func (s *scanRun) failed(name string, err error) {
	p := finding.Problem{Kind: finding.Failed, Message: err.Error(), Location: finding.Location{File: name}}
	var e *catalog.Error
	if errors.As(err, &e) {
		p.Message, p.Location.Line, p.Location.Column = e.Msg, e.Line, e.Column
	}
	s.failures = append(s.failures, p)
}

func failureText(p finding.Problem) string {
	e := catalog.Error{File: p.Location.File, Line: p.Location.Line, Column: p.Location.Column, Msg: p.Message}
	return e.Error()
}
