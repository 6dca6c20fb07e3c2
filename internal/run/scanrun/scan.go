// Package scanrun runs one scan: it reads what a user named, runs the checks, asks models, and applies the user's decisions.
package scanrun

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"gauntlet/capability"
	"gauntlet/catalog"
	"gauntlet/classify"
	"gauntlet/finding"
	"gauntlet/internal/engine/advice"
	"gauntlet/internal/engine/check"
	"gauntlet/internal/engine/check/config"
	"gauntlet/internal/engine/scanner"
	"gauntlet/internal/run/advise"
	"gauntlet/internal/run/clientplan"
	"gauntlet/internal/run/interrupt"
	"gauntlet/internal/run/modelset"
	"gauntlet/internal/run/redaction"
	"gauntlet/internal/run/runstate"
	"gauntlet/internal/run/sourcecode"
	"gauntlet/internal/run/target"
	"gauntlet/policy"
	"gauntlet/report"
	"gauntlet/result"
	"gauntlet/trust"
)

// Options are the user's choices.
type Options struct {
	Targets []target.Target  // named by the user; Plan's are added
	Plan    *clientplan.Plan // of configurations; may be nil

	BaselineFile string // approved state, a snapshot or lockfile; or ""
	ChangedOnly  bool   // leave out what is unchanged from the baseline
	TraceFile    string // recorded messages, "-" for Stdin; or ""
	Declared     trust.Boundary
	SourceDir    string   // may be ""
	Imports      []string // other programs' reports
	GateImported bool     // imported findings affect the exit code
	PolicyFile   string   // decisions about findings; or ""

	Checks       []*check.Check
	ConfigChecks []*config.Check
	GateStable   bool // findings of experimental checks do not affect the exit code

	Advisers *modelset.Set // models that judge beside the checks; may be nil
	Layer3   string        // which tools they label too: "", "low" or "all"
	Parallel int           // concurrent calls per model
}

// A Scan is one scan: Read, then Run.
type Scan struct {
	Options
	Reader    *target.Reader
	Stdin     io.Reader
	ReadText  func(name string, limit int) (string, error) // of a file that is no snapshot
	Say, Note func(format string, args ...any)             // messages always shown, and those that --quiet silences
	Progress  *runstate.Progress
	Unread    []finding.Problem // what of the named folders was not read

	Gathered     target.Gathered
	conversation check.Recording  // zero if none
	source       check.SourceTree // zero if none
	extracted    *extracted       // definitions read from the source; may be nil
	baseline     *catalog.Catalog // may be nil
	imports      []*importedFile  // the readable ones
	policy       *policy.Policy   // may be nil
	policyFaults []finding.Problem
	failures     []finding.Problem // unreadable inputs, including the baseline
	undo         func()            // undoes what reading the trace changed; may be nil
}

// Close undoes what the scan changed in this process.
func (s *Scan) Close() {
	if s.undo != nil {
		s.undo()
	}
}

// Read reads everything that was named. Unreadable inputs are reported and recorded without stopping the scan; an error means that
// it cannot go on.
func (s *Scan) Read(ctx context.Context) error {
	if s.Progress.Watcher() != nil && !s.ChangedOnly {
		s.Reader.Captured = s.scanAlone
	}
	for _, read := range []func(context.Context) error{s.readTrace, s.readTargets, s.readSource, s.readImports} {
		if err := read(ctx); err != nil {
			return err
		}
	}
	s.tellUnmatched()
	return nil
}

// ReadNothing reports whether nothing was read.
func (s *Scan) ReadNothing() bool {
	return len(s.Gathered.Catalog.Documents) == 0 && (s.Plan == nil || len(s.Plan.Files) == 0) && s.conversation.Trace == nil && s.source.Sources == nil
}

// Run runs the checks, asks the models, and returns the redacted report.
func (s *Scan) Run(ctx context.Context) (*result.Report, error) {
	s.Progress.Step("scanning %d definitions", s.countDefinitions())
	r, err := s.runChecks(ctx)
	if err != nil {
		return nil, err
	}
	if s.extracted != nil {
		s.extracted.settle(r)
	}
	if s.Plan != nil {
		r.Clients = s.Plan.Report()
		s.Plan.PlaceFiles(r.Findings)
		r.Problems = append(r.Problems, s.Plan.Problems...)
	}
	r.Sandboxes = s.Reader.Dialer.Sandboxes.Reports()
	r.Problems = slices.Concat(r.Problems, s.failures, s.Unread)
	if s.GateStable {
		r.Gate = result.GateStable
	}
	s.applyPolicy(r)
	if len(s.Imports) > 0 {
		reconcile(r, &s.Gathered.Catalog, s.SourceDir, s.imports)
		r.Imported.Gates = s.GateImported
	}
	if s.Advisers != nil { // slow
		s.tellFindings(r, s.Gathered.Secrets)
	}
	if err := s.askAdvisers(ctx, r); err != nil {
		return nil, err
	}
	if given := s.Gathered.Secrets; len(given) > 0 {
		redaction.New(given).Report(r)
	}
	return r, nil
}

func (s *Scan) countDefinitions() (n int) {
	for _, server := range s.Gathered.Catalog.Servers {
		for _, l := range server.Lists {
			n += len(l.Items)
		}
	}
	return n
}

func (s *Scan) runChecks(ctx context.Context) (*result.Report, error) {
	if s.conversation.Trace == nil {
		s.conversation.Trace, s.conversation.Live = s.Reader.Dialer.Sandboxes.Observed(), true
	}
	opt := scanner.Options{
		Checks: s.Checks, ConfigChecks: s.ConfigChecks, Baseline: s.baseline, ChangedOnly: s.ChangedOnly, Askings: s.Gathered.Askings,
		Trace: s.conversation, Source: s.source, Contacts: s.Gathered.Contacts, Version: s.Reader.Version,
		Unasked: "another choice with --only or --skip",
	}
	if s.Plan != nil {
		opt.Configs = append([]config.File{}, s.Plan.Files...)
		opt.Together = s.Plan.Together(s.namedServers())
	}
	return interrupt.Do(ctx, func() *result.Report { return scanner.Run(&s.Gathered.Catalog, opt) })
}

// namedServers returns the servers named by the user, without those of configurations.
func (s *Scan) namedServers() []*catalog.Server {
	var out []*catalog.Server
	for i := range s.Targets {
		if !s.Targets[i].Configured {
			out = append(out, s.Gathered.Outcomes[i].Servers...)
		}
	}
	return out
}

// applyPolicy removes accepted findings from the gate, keeping them in the report.
func (s *Scan) applyPolicy(r *result.Report) {
	r.Problems = append(r.Problems, s.policyFaults...)
	if s.policy != nil {
		s.policy.Apply(r, policy.DateOf(time.Now()))
	}
	r.MergeCauses()
	r.Count()
}

// AddPageData adds what a page shows beyond the report: what tools can do, and the trace.
func (s *Scan) AddPageData(looks *report.Options) {
	looks.Capabilities = classify.Catalog(&s.Gathered.Catalog)
	if given := s.Gathered.Secrets; len(given) > 0 {
		redaction.New(given).Labels(looks.Capabilities)
	}
	if t := s.conversation.Trace; t != nil {
		looks.Traces = []report.Conversation{{File: s.TraceFile, Trace: t}}
	}
}

// scanAlone reports to viewers what the checks find in one server while others are still asked. It is safe for concurrent use.
func (s *Scan) scanAlone(g *target.Gathered) {
	s.tellFindings(scanner.Run(&g.Catalog, scanner.Options{Checks: s.Checks, Version: s.Reader.Version}), g.Secrets)
}

// tellFindings reports a partial report's findings to viewers, without what servers were given.
func (s *Scan) tellFindings(r *result.Report, given []string) {
	tell := s.Progress.Watcher()
	if tell == nil {
		return
	}
	early := &result.Report{Findings: slices.Clone(r.Findings)}
	if len(given) > 0 {
		redaction.New(given).Report(early)
	}
	tell(early.Findings)
}

// ModelPlans estimates the questions to models, after Read.
func (s *Scan) ModelPlans() []modelset.Plan {
	plans := advise.Plan(s.Advisers, s.adviceQuestions())
	if s.Layer3 != "" {
		l, servers := s.beginLayer3()
		plans = slices.Concat(plans, l.Plan(servers, s.Gathered.Catalog.Servers))
	}
	return plans
}

// adviceQuestions returns the questions about all definitions, without what servers were given.
func (s *Scan) adviceQuestions() []*advice.Question {
	opt := advice.Options{Mask: redaction.New(s.Gathered.Secrets).Replace}
	if s.source.Sources != nil {
		opt.Source = s.handlerText
	}
	return advice.Questions(&s.Gathered.Catalog, opt)
}

// handlerText returns the source from the beginning of a tool's handler.
func (s *Scan) handlerText(tool string) string {
	return sourcecode.HandlerText(s.source.Sources, s.source.Text, tool)
}

// askAdvisers adds models' opinions to the report, if requested.
func (s *Scan) askAdvisers(ctx context.Context, r *result.Report) error {
	if s.Advisers == nil {
		return nil
	}
	questions := s.adviceQuestions()
	s.Advisers.TellPlans(advise.Plan(s.Advisers, questions), s.Note)
	s.Progress.ResetCount()
	s.Progress.CountOf("questions")
	opinions, err := advise.Judge(ctx, s.Advisers, questions, s.Parallel, s.Progress)
	if err != nil {
		return err
	}
	r.Advisory = opinions
	if err := s.labelByModels(ctx, r); err != nil {
		return err
	}
	s.Note("models: %s", s.Advisers.Spent())
	for i := range opinions {
		if n := len(opinions[i].Unjudged); n > 0 {
			s.Note("%s: %d definitions were not judged, the first: %s", opinions[i].Model, n, opinions[i].Unjudged[0].Reason)
		}
	}
	return nil
}

// beginLayer3 labels all tools anew, so that models can be asked about those in doubt.
func (s *Scan) beginLayer3() (*advise.Layer3, []capability.Server) {
	servers := classify.Catalog(&s.Gathered.Catalog)
	l := &advise.Layer3{Set: s.Advisers, All: s.Layer3 == "all", Parallel: s.Parallel, Mask: redaction.New(s.Gathered.Secrets).Replace, Progress: s.Progress}
	l.Begin(servers)
	if s.source.Sources != nil && len(servers) == 1 {
		classify.WithSources(&servers[0], s.source.Sources)
		l.Source = s.handlerText
	}
	return l, servers
}

// labelByModels adds the labels models assign, if requested. The labels that checks use do not change.
func (s *Scan) labelByModels(ctx context.Context, r *result.Report) error {
	if s.Layer3 == "" {
		return nil
	}
	l, servers := s.beginLayer3()
	if _, _, err := l.Label(ctx, servers, s.Gathered.Catalog.Servers); err != nil {
		return err
	}
	for i := range r.Advisory {
		r.Advisory[i].Labels = advise.Inferred(servers, r.Advisory[i].Model)
	}
	return nil
}

// A Labelling determines what servers' tools can do: by their definitions, a server's source, and models for what is in doubt.
type Labelling struct {
	SourceDir string                // source of the only server; "" for none
	Floor     capability.Confidence // lower labels are left out
	Models    *modelset.Set         // asked about tools in doubt; may be nil
	All       bool                  // also about tools without a label
	Parallel  int
	Plan      func([]modelset.Plan) error // if not nil, receives the planned questions, and no model is asked
	Progress  *runstate.Progress
	Note      func(format string, args ...any)
}

// Label labels every server, drops labels below the floor, and hides what live servers were given. Unreadable parts of the source
// are added to got's failures.
func (l *Labelling) Label(ctx context.Context, got *target.Gathered) ([]capability.Server, error) {
	l.Progress.Step("classifying")
	servers, err := interrupt.Do(ctx, func() []capability.Server { return classify.Catalog(&got.Catalog) })
	if err != nil {
		return nil, err
	}
	var layer3 *advise.Layer3
	if l.Models != nil {
		layer3 = &advise.Layer3{Set: l.Models, All: l.All, Parallel: l.Parallel, Mask: redaction.New(got.Secrets).Replace, Progress: l.Progress}
		layer3.Begin(servers)
	}
	if l.SourceDir != "" {
		found, problems, err := l.addSource(ctx, servers)
		if err != nil {
			return nil, err
		}
		got.Failures = append(got.Failures, problems...)
		if found != nil && layer3 != nil {
			layer3.Source = func(tool string) string { return sourcecode.HandlerText(found.Sources, found.Text, tool) }
		}
	}
	if layer3 != nil {
		if err := l.askModels(ctx, layer3, servers, got); err != nil {
			return nil, err
		}
	}
	got.Failures = append(got.Failures, unread(servers)...)
	for i := range servers {
		classify.AtLeast(&servers[i], l.Floor)
	}
	if len(got.Secrets) > 0 {
		redaction.New(got.Secrets).Labels(servers)
	}
	return servers, nil
}

// unread returns the problems of tools cut off by a limit: the first few, and how many more there are.
func unread(servers []capability.Server) (out []finding.Problem) {
	const most = 20
	total := 0
	for i := range servers {
		for j := range servers[i].Tools {
			t := &servers[i].Tools[j]
			why := classify.Unread(t)
			if why == "" {
				continue
			}
			if total++; total <= most {
				out = append(out, finding.Problem{Kind: finding.Limit, Input: -1, Message: fmt.Sprintf("tool %q was not classified whole: %s", t.Name, why), Location: finding.Location{Server: servers[i].Name, Kind: finding.Tool, Item: t.Name}})
			}
		}
	}
	if total > most {
		out = append(out, finding.Problem{Kind: finding.Limit, Input: -1, Message: fmt.Sprintf("%d more tools were not classified completely", total-most)})
	}
	return out
}

// addSource reads the source and adds its evidence to the labels of the only server. It returns the source, nil if it shows
// nothing; the labels then stay as they are.
func (l *Labelling) addSource(ctx context.Context, servers []capability.Server) (*sourcecode.Analysed, []finding.Problem, error) {
	if len(servers) != 1 {
		return nil, []finding.Problem{sourcecode.Failed(l.SourceDir, errors.New("--source belongs to one server, and this is not one: classify it by itself"))}, nil
	}
	l.Progress.Step("reading sources")
	s := &servers[0]
	var names []string
	for i := range s.Tools {
		names = append(names, s.Tools[i].Name)
	}
	found, err := sourcecode.Analyse(ctx, l.SourceDir, names)
	if err != nil {
		return nil, nil, err
	}
	for _, p := range found.Problems {
		s.Warnings = append(s.Warnings, "source_unread: "+target.FailureText(p))
	}
	if found.Err != nil {
		p := sourcecode.Failed(l.SourceDir, found.Err)
		s.Warnings = append(s.Warnings, "no_source: "+target.FailureText(p))
		return nil, append(found.Problems, p), nil
	}
	classify.WithSources(s, found.Sources)
	l.Note("%s: handlers of %d of %d tools in %d source files", l.SourceDir, found.Tied, len(s.Tools), found.Sources.Files)
	if 2*found.Tied < len(s.Tools) {
		few := fmt.Errorf("handlers of %d of %d tools were found; the labels of the others come from their definitions alone", found.Tied, len(s.Tools))
		return found, append(found.Problems, sourcecode.Failed(l.SourceDir, few)), nil
	}
	return found, found.Problems, nil
}

// askModels has models label what is in doubt, or passes on the planned questions.
func (l *Labelling) askModels(ctx context.Context, layer3 *advise.Layer3, servers []capability.Server, got *target.Gathered) error {
	plans := layer3.Plan(servers, got.Catalog.Servers)
	if l.Plan != nil {
		return l.Plan(plans)
	}
	l.Models.TellPlans(plans, l.Note)
	l.Progress.CountOf("questions")
	asked, _, err := layer3.Label(ctx, servers, got.Catalog.Servers)
	if err != nil {
		return err
	}
	l.Note("layer 3: %d tools in doubt; models: %s", asked, l.Models.Spent())
	return nil
}
