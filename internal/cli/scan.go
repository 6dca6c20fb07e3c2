package cli

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"gauntlet/internal/run/checkdoc"
	"gauntlet/internal/run/scanrun"
	"gauntlet/internal/run/target"
	"gauntlet/internal/run/userfile"
	"gauntlet/result"
	"gauntlet/suite"
	"gauntlet/trust"
)

type scanCommand struct {
	*app
	scan     scanrun.Scan
	only     []string // checks
	skip     []string
	outputs  outputFlags
	how      targetFlags
	configs  configFlags
	noPolicy bool
	boundary string
	models   modelFlags
}

func (a *app) newScanCommand() *cobra.Command {
	s := &scanCommand{app: a}
	cmd := newCommand("scan [flags] [FILE | - | URL]... [-- COMMAND [ARG]...]", "Scan snapshots and live servers", s.scanTargets)
	f, o := cmd.Flags(), &s.scan.Options
	s.outputs.gate.addGateFlags(cmd)
	f.StringVar(&o.BaselineFile, "baseline", "", "compare with this snapshot or lockfile, which was approved: a `FILE`, or - (default none)")
	f.BoolVar(&s.how.live.reading.Differential, "differential", false, "ask each live server again as another client and report what differs (default off)")
	f.StringVar(&o.TraceFile, "trace", "", "the recorded conversation to judge: a `FILE`, or - for standard input (default none)")
	f.StringVar(&s.boundary, "boundary", "", "the suite `FILE` that declares what may pass between servers; with --trace (default nothing may)")
	f.StringVar(&o.SourceDir, "source", "", "read the server's source as well: all below this `DIR` (default none)")
	f.StringArrayVar(&o.Imports, "import", nil, "tie what this `FILE` reports to the findings: SARIF 2.1.0 of any tool, or a JSON report of gauntlet; repeatable (default none)")
	f.BoolVar(&o.GateImported, "gate-imported", false, "let imported findings move the exit code, by --fail-on (default off)")
	s.configs.addConfigFlags(cmd)
	f.StringVar(&o.PolicyFile, "suppressions", "", "the `FILE` of accepted findings (default "+policyFile+", if it is there)")
	f.BoolVar(&s.noPolicy, "no-suppressions", false, "accept no finding, whatever "+policyFile+" says (default off)")
	layer3Flag(cmd, &o.Layer3)
	s.models.addModelFlags(cmd, "it judges definitions beside the checks")
	f.BoolVar(&o.ChangedOnly, "changed-only", false, "with --baseline, do not scan unchanged definitions again; the report counts them (default off)")
	f.StringSliceVar(&s.only, "only", nil, "only these: `CHECKS` to run, by id or name, separated by commas; repeatable (default all)")
	f.StringSliceVar(&s.skip, "skip", nil, "leave out these `CHECKS`; repeatable (default none)")
	completeChecks(cmd, "only")
	completeChecks(cmd, "skip")
	s.outputs.addOutputFlags(cmd, a)
	s.outputs.addProgressFlag(cmd, a)
	s.how.addTargetFlags(cmd)
	return cmd
}

func (s *scanCommand) scanTargets(cmd *cobra.Command, args []string) error {
	names, command, err := splitArguments(cmd, args)
	if err != nil {
		return err
	}
	if names, err = s.recogniseNames(names); err != nil {
		return usage(cmd, "%s", err)
	}
	s.how.more = s.configs.anyGiven() || s.scan.SourceDir != ""
	if err := refuse(cmd, []conflict{
		namesNothing(cmd, "trace", s.scan.TraceFile), namesNothing(cmd, "boundary", s.boundary),
		{s.boundary != "" && s.scan.TraceFile == "", "--boundary wants --trace, the recorded conversation that it is about"},
	}); err != nil {
		return err
	}
	if s.scan.Targets, err = s.makeTargets(cmd, &s.how, names, command); err != nil {
		return err
	}
	if err := s.checkScanFlags(cmd); err != nil {
		return err
	}
	if _, err := os.Lstat(policyFile); err == nil && !s.noPolicy {
		s.scan.PolicyFile = cmp.Or(s.scan.PolicyFile, policyFile)
	}
	if s.scan.Checks, s.scan.ConfigChecks, err = checkdoc.Choose(s.only, s.skip); err != nil {
		return usage(cmd, "%s", err)
	}
	if !s.configs.anyGiven() && len(s.scan.Checks) == 0 {
		return usage(cmd, "--only names checks of configurations alone: name a configuration with --config, or --discover")
	}
	outs, err := s.outputs.checkOutputs(s.inputFiles())
	if err != nil {
		return usage(cmd, "%s", err)
	}
	s.readyScan()
	defer s.scan.Close()
	if len(s.models.IDs) > 0 {
		if s.scan.Advisers, err = s.openModels(&s.models); err != nil {
			return usage(cmd, "%s", err)
		}
		defer s.scan.Advisers.Close()
	}
	if err := s.readDecisions(cmd, outs); err != nil {
		return err
	}
	defer s.startProgress().Stop()
	s.scan.Progress, s.scan.Reader.Progress = s.progress, s.progress
	if err := s.scan.Read(cmd.Context()); err != nil {
		return err
	}
	if s.models.plan {
		s.progress.Stop()
		return s.writePlans(s.scan.Advisers, s.scan.ModelPlans())
	}
	r, err := s.scan.Run(cmd.Context())
	if err != nil {
		return err
	}
	s.writeScan(outs, r)
	return nil
}

// readyScan completes what the flags have set of the scan.
func (s *scanCommand) readyScan() {
	s.scan.GateStable, s.scan.Parallel = s.outputs.gate.maturity == result.GateStable, s.models.Parallel
	s.scan.Reader = s.newTargetReader(&s.how.live, nil)
	s.scan.Stdin, s.scan.ReadText, s.scan.Say, s.scan.Note = s.host.Stdin, s.readText, s.say, s.note
}

// readDecisions reads the user's decisions: what may pass, what is accepted, and what of configurations may be started.
func (s *scanCommand) readDecisions(cmd *cobra.Command, outs outputs) (err error) {
	if s.scan.Declared, err = s.readBoundary(s.boundary); err != nil {
		return err
	}
	if s.scan.PolicyFile != "" && !cmd.Flags().Changed("suppressions") {
		// A policy file in a stranger's folder must not work unnoticed.
		s.note("using %s (--no-suppressions leaves it out)", s.scan.PolicyFile)
	}
	s.scan.ReadPolicy()
	s.configs.writes = append(s.configs.writes, outs.files()...)
	s.configs.checks = s.scan.ConfigChecks
	if s.how.live.reading.Differential {
		s.configs.often = "two to four times each"
	}
	s.scan.Plan, err = s.makePlan(cmd.Context(), &s.configs)
	return err
}

// writeScan writes the reports and sets the exit code.
func (s *scanCommand) writeScan(outs outputs, r *result.Report) {
	if s.scan.ReadNothing() {
		// The errors have been reported. Files and machines still get a report that says so, or yesterday's would stay; a person
		// would only read the same twice.
		outs = slices.DeleteFunc(outs, func(o output) bool { return o.File == "-" && o.Format.Name == "pretty" })
	}
	s.writeReports(&s.outputs, outs, r, s.nextOfScan(r), s.scan.AddPageData)
	s.tellIncomplete(r)
}

// recogniseNames removes configurations and source folders from the names, passes them to their options, and says so.
func (s *scanCommand) recogniseNames(names []string) ([]string, error) {
	r, err := target.Recognise(names)
	if err != nil {
		return nil, err
	}
	if len(r.Sources) > 1 || len(r.Sources) == 1 && s.scan.SourceDir != "" {
		return nil, errors.New("one source at a time: the source is that of one server")
	}
	s.configs.files = append(s.configs.files, r.Configs...)
	if len(r.Sources) == 1 {
		s.scan.SourceDir = r.Sources[0]
	}
	for _, n := range r.Notes {
		s.note("%s", n)
	}
	s.scan.Unread = r.Unread
	return r.Targets, nil
}

// inputFiles returns the files to read, including baseline and suppressions.
func (s *scanCommand) inputFiles() []string {
	return slices.Concat(target.SnapshotFiles(s.scan.Targets), named(s.scan.TraceFile, s.boundary), s.scan.Imports, named(s.scan.BaselineFile, s.scan.PolicyFile))
}

func (s *scanCommand) checkScanFlags(cmd *cobra.Command) error {
	return refuse(cmd, slices.Concat(s.configs.conflicts(), []conflict{
		{cmd.Flags().Changed("source") && s.scan.SourceDir == "", "--source names no directory"},
		{s.scan.Layer3 != "" && len(s.models.IDs) == 0, "--llm-classifier" + wantsModel},
	}, s.models.conflicts(cmd), []conflict{
		{len(s.scan.Targets) == 0 && !s.configs.anyGiven() && s.scan.TraceFile == "" && s.scan.SourceDir == "", "nothing to scan: name a snapshot file, - for standard input, the URL of a server, or -- and its command; or --discover"},
		{s.scan.TraceFile != "" && s.how.live.sandbox.level.Wanted(), "--sandbox observes a live server and --trace reads a recording: run two scans"},
		{s.how.live.reading.Differential && !target.AnyLive(s.scan.Targets) && !s.configs.anyGiven(), "--differential is for a live server, and there is neither a URL nor a -- with its command"},
		namesNothing(cmd, "baseline", s.scan.BaselineFile),
		{slices.Contains(s.scan.Imports, ""), "--import names no file"},
		{s.scan.GateImported && len(s.scan.Imports) == 0, "--gate-imported wants --import, which says what to import"},
		{s.scan.ChangedOnly && s.scan.BaselineFile == "", "--changed-only wants --baseline, which says what has not changed"},
		stdinTwice(s.inputFiles()),
		{cmd.Flags().Changed("suppressions") && s.noPolicy, "--suppressions and --no-suppressions exclude each other"},
		{cmd.Flags().Changed("suppressions") && (s.scan.PolicyFile == "" || s.scan.PolicyFile == "-"), "--suppressions names no file"},
	}))
}

// namesNothing is the conflict of a flag for a file whose value is empty.
func namesNothing(cmd *cobra.Command, flag, file string) conflict {
	return conflict{cmd.Flags().Changed(flag) && file == "", "--" + flag + " names no file"}
}

// readBoundary reads the declared boundary. Any fault in the file is an error: without all of it the judgement would not be the
// requested one.
func (a *app) readBoundary(name string) (trust.Boundary, error) {
	if name == "" {
		return trust.Boundary{}, nil
	}
	s, wrong, err := a.parseSuite(name)
	switch {
	case err != nil:
		return trust.Boundary{}, err
	case wrong > 0:
		return trust.Boundary{}, fmt.Errorf("%s declares no boundary that can be used: %d errors", name, wrong)
	}
	return s.Boundary(), nil
}

// parseSuite reads a suite file, reports its faults, and returns their number.
func (a *app) parseSuite(name string) (s *suite.Suite, wrong int, err error) {
	text, err := a.readText(name, suite.MaxBytes)
	if err != nil {
		return nil, 0, withName(name, userfile.Reason(err))
	}
	s, errs := suite.Parse(name, text)
	for _, e := range errs {
		a.say("%s", e)
	}
	return s, len(errs), nil
}
