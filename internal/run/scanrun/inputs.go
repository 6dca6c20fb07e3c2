package scanrun

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"

	"gauntlet/catalog"
	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/internal/leaf/excerpt"
	"gauntlet/internal/run/interrupt"
	"gauntlet/internal/run/lockstate"
	"gauntlet/internal/run/sourcecode"
	"gauntlet/internal/run/target"
	"gauntlet/internal/run/tracefile"
	"gauntlet/internal/run/userfile"
	"gauntlet/policy"
	"gauntlet/trace"
)

func (s *Scan) readTargets(ctx context.Context) error {
	if s.BaselineFile != "" {
		if err := s.readBaseline(ctx); err != nil {
			return err
		}
	}
	if s.BaselineFile != "" {
		s.Targets = append(s.Targets, s.Plan.FileTargets()...)
	}
	s.Targets = append(s.Targets, s.Plan.Targets()...)
	got, err := s.Reader.Gather(ctx, s.Targets)
	if err != nil {
		return err
	}
	s.Gathered = *got
	if s.Plan != nil {
		s.Plan.Settle(got.Outcomes[len(s.Targets)-len(s.Plan.Launches):])
	}
	s.failures = append(s.failures, got.Failures...)
	tell := s.Note
	if s.ReadNothing() {
		tell = s.Say // the terminal's report will not say it
		if s.Plan != nil {
			for _, p := range s.Plan.Problems {
				tell("%s", target.FailureText(p))
			}
		}
	}
	for _, p := range s.failures {
		tell("%s", target.FailureText(p))
	}
	return nil
}

// readBaseline reads what the user approved. Without it the rest is scanned all the same, as with any unreadable input.
func (s *Scan) readBaseline(ctx context.Context) error {
	s.Progress.Step("reading %s", s.BaselineFile)
	baseline := new(catalog.Catalog)
	failed, err := interrupt.Do(ctx, func() error { return s.Reader.ReadInto(baseline, s.BaselineFile) })
	if failed != nil {
		p := target.Failure(&target.Target{File: s.BaselineFile}, failed)
		p.Message = "the baseline could not be read: " + p.Message
		s.failures = append(s.failures, p)
	} else if err == nil {
		s.baseline = baseline
	}
	return err
}

// tellUnmatched reports servers that are only in the baseline or only in the scan: what was not compared is not unchanged. If
// nothing matches at all, the report says so.
func (s *Scan) tellUnmatched() {
	if s.baseline == nil {
		return
	}
	pairs := catalog.Pairs(s.baseline, &s.Gathered.Catalog)
	if len(pairs) == 0 {
		return
	}
	paired, present := map[*catalog.Server]bool{}, map[string]bool{}
	for _, p := range pairs {
		paired[p.Was], paired[p.Is] = true, true
	}
	for _, server := range s.Gathered.Catalog.Servers {
		for _, e := range server.Entries {
			present[e] = true
		}
	}
	tell := func(what string, c *catalog.Catalog, but func(*catalog.Server) bool) {
		var names []string
		for _, server := range c.Servers {
			if !paired[server] && !but(server) {
				names = append(names, lockstate.AddressOf(server))
			}
		}
		if names != nil {
			s.Note("%s: %s", what, excerpt.List(names, 10))
		}
	}
	tell("in "+s.BaselineFile+" and not in this scan", s.baseline, func(server *catalog.Server) bool {
		// A server with several entries is compared with one of them.
		return slices.ContainsFunc(server.Entries, func(e string) bool { return present[e] })
	})
	tell("not in "+s.BaselineFile+", so not compared", &s.Gathered.Catalog, func(*catalog.Server) bool { return false })
}

// growth is how much memory may grow, in percent, before garbage is collected. A trace is held whole, and half as much again is
// more than enough.
const growth = 25

// readTrace reads the trace, if there is one.
func (s *Scan) readTrace(ctx context.Context) error {
	if s.TraceFile == "" {
		return nil
	}
	s.Progress.Step("reading %s", s.TraceFile)
	before := debug.SetGCPercent(growth)
	s.undo = func() { debug.SetGCPercent(before) }
	type read struct {
		trace  *trace.Trace
		floods []string
		err    error
	}
	got, interrupted := interrupt.Do(ctx, func() read {
		t, floods, err := tracefile.ReadConversation(s.TraceFile, s.Stdin)
		return read{t, floods, err}
	})
	if interrupted != nil {
		return interrupted
	}
	if got.err != nil {
		s.failures = append(s.failures, finding.Problem{
			Kind: finding.Failed, Message: "the trace could not be read: " + userfile.Reason(got.err).Error(),
			Location: finding.Location{Kind: finding.Message, File: s.TraceFile}, Input: -1,
		})
	}
	if got.trace != nil {
		s.conversation = check.Recording{Trace: got.trace, File: s.TraceFile, Boundary: s.Declared, Floods: got.floods}
		s.tellRedacted(got.trace)
		for _, flood := range got.floods {
			s.Say("%s: %s", s.TraceFile, flood)
		}
	}
	return nil
}

// tellRedacted warns about a trace that differs from what was on the wire.
func (s *Scan) tellRedacted(t *trace.Trace) {
	for _, caveat := range t.Header.Caveats() {
		s.Note("%s: %s", s.TraceFile, caveat)
	}
	n := 0
	for i := range t.Messages {
		if t.Messages[i].Redacted {
			n++
		}
	}
	if n > 0 {
		s.Note("%s: %d messages are redacted: what was removed from them cannot be followed", s.TraceFile, n)
	}
}

// readSource reads the server's source, if named. A tree that shows nothing about any tool is a problem: it must not look like one
// without findings. What the server does apart from its tools is reported all the same.
func (s *Scan) readSource(ctx context.Context) error {
	if s.SourceDir == "" {
		return nil
	}
	s.Progress.Step("reading sources")
	found, err := sourcecode.Analyse(ctx, s.SourceDir, nil)
	if err != nil {
		return err
	}
	s.failures = append(s.failures, found.Problems...)
	if found.Err != nil {
		p := sourcecode.Failed(s.SourceDir, found.Err)
		s.failures = append(s.failures, p)
		s.Say("%s", target.FailureText(p))
		if found.Sources == nil || found.Sources.Files == 0 { // else how the server listens is seen without a handler
			return nil
		}
	}
	s.source = check.SourceTree{Sources: found.Sources, Dir: s.SourceDir, Text: found.Text}
	if s.Plan == nil && len(s.Gathered.Catalog.Documents) == 0 && len(s.Targets) == 0 {
		s.addExtracted()
	}
	s.Note("%s: %d handlers in %d source files", s.SourceDir, len(found.Sources.Handlers), found.Sources.Files)
	return nil
}

// readImports reads other programs' reports. An unreadable one makes the scan incomplete and does not affect the others.
func (s *Scan) readImports(ctx context.Context) error {
	for _, name := range s.Imports {
		var f *importedFile
		failed, err := interrupt.Do(ctx, func() error {
			text, err := s.ReadText(name, s.Reader.Limits.Bytes)
			if err == nil {
				f, err = parseImported(name, text)
			}
			return err
		})
		if err != nil {
			return err
		}
		p := finding.Problem{Kind: finding.Failed, Location: finding.Location{File: name}, Input: -1}
		switch {
		case failed != nil:
			p.Message = "the report to import could not be read: " + userfile.Reason(failed).Error()
		case f.Cut:
			p.Kind, p.Message = finding.Limit, fmt.Sprintf("more than %d findings or as many runs to import: the rest is left out", maxImported)
		case f.Undone != "" && s.GateImported:
			p.Message = "the report to import is incomplete: " + f.Undone
		}
		if failed == nil {
			s.imports = append(s.imports, f)
		}
		if p.Message != "" {
			s.failures = append(s.failures, p)
			s.Note("%s", target.FailureText(p))
		}
	}
	return nil
}

// ReadPolicy reads the decisions about findings. An unreadable file accepts nothing and makes the run incomplete.
func (s *Scan) ReadPolicy() {
	if s.PolicyFile == "" {
		return
	}
	text, err := s.ReadText(s.PolicyFile, s.Reader.Limits.Bytes)
	if err != nil {
		s.policyFaults = []finding.Problem{{
			Kind: finding.Failed, Input: -1, Location: finding.Location{File: s.PolicyFile},
			Message: "suppressions: " + userfile.Reason(err).Error(),
		}}
		return
	}
	s.policy, s.policyFaults = policy.Parse(s.PolicyFile, text)
}
