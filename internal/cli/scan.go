package cli

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"gauntlet/finding"
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
	choice  choice
	outputs outputFlags
	how     targetFlags
	configs configFlags
	gate    gateFlags
	policy  policyFlags

	recorded recordedFlags
	imports  importFlags

	sourceDir    string
	baselineFile string
	changedOnly  bool

	models modelFlags
	layer3 string // which tools models label too: "", "low" or "all"

	targets []target.Target
	scan    *scanrun.Scan
	unread  []finding.Problem // of the folders that were named
}

func (a *app) newScanCommand() *cobra.Command {
	s := &scanCommand{app: a}
	cmd := newCommand("scan [flags] [FILE | - | URL]... [-- COMMAND [ARG]...]", "Scan snapshots and live servers", s.scanTargets)
	s.gate.addGateFlags(cmd)
	cmd.Flags().StringVar(&s.baselineFile, "baseline", "", "compare with this snapshot or lockfile, which was approved: a `FILE`, or - (default none)")
	cmd.Flags().BoolVar(&s.how.live.differential, "differential", false, "ask each live server again as another client and report what differs (default off)")
	s.recorded.addRecordedFlags(cmd)
	cmd.Flags().StringVar(&s.sourceDir, "source", "", "read the server's source as well: all below this `DIR` (default none)")
	s.imports.addImportFlags(cmd)
	s.configs.addConfigFlags(cmd)
	s.policy.addPolicyFlags(cmd)
	layer3Flag(cmd, &s.layer3)
	s.models.addModelFlags(cmd, "it judges definitions beside the checks")
	cmd.Flags().BoolVar(&s.changedOnly, "changed-only", false, "with --baseline, do not scan unchanged definitions again; the report counts them (default off)")
	s.choice.addChoiceFlags(cmd)
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
	s.how.more = s.configs.anyGiven() || s.sourceDir != ""
	if err := refuse(cmd, s.recorded.conflicts(cmd)); err != nil {
		return err
	}
	targets, err := s.app.makeTargets(cmd, &s.how, names, command)
	if err != nil {
		return err
	}
	s.targets = targets
	if err := s.checkScanFlags(cmd); err != nil {
		return err
	}
	if err := s.policy.choosePolicyFile(cmd); err != nil {
		return err
	}
	checks, ofConfigs, err := checkdoc.Choose(s.choice.only, s.choice.skip)
	if err != nil {
		return usage(cmd, "%s", err)
	}
	if !s.configs.anyGiven() && len(checks) == 0 {
		return usage(cmd, "--only names checks of configurations alone: name a configuration with --config, or --discover")
	}
	outs, err := s.outputs.checkOutputs(s.inputFiles())
	if err != nil {
		return usage(cmd, "%s", err)
	}
	s.scan = s.newScan()
	defer s.scan.Close()
	s.scan.Checks, s.scan.ConfigChecks = checks, ofConfigs
	if len(s.models.ids) > 0 {
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

// newScan returns the requested scan.
func (s *scanCommand) newScan() *scanrun.Scan {
	return &scanrun.Scan{
		Options: scanrun.Options{
			Targets: s.targets, BaselineFile: s.baselineFile, ChangedOnly: s.changedOnly, TraceFile: s.recorded.trace, SourceDir: s.sourceDir,
			Imports: s.imports.names, GateImported: s.imports.gate, PolicyFile: s.policy.file, GateStable: s.gate.maturity == result.GateStable,
			Layer3: s.layer3, Parallel: s.models.parallel,
		},
		Reader: s.newTargetReader(&s.how.live, s.how.parallel, s.how.limits.Limits, nil),
		Stdin:  s.host.Stdin, ReadText: s.readText, Say: s.say, Note: s.note, Unread: s.unread,
	}
}

// readDecisions reads the user's decisions: what may pass, what is accepted, and what of configurations may be started.
func (s *scanCommand) readDecisions(cmd *cobra.Command, outs outputs) (err error) {
	if s.scan.Declared, err = s.readBoundary(s.recorded.boundary); err != nil {
		return err
	}
	if s.policy.file != "" && !cmd.Flags().Changed("suppressions") {
		// A policy file in a stranger's folder must not work unnoticed.
		s.note("using %s (--no-suppressions leaves it out)", s.policy.file)
	}
	s.scan.ReadPolicy()
	s.configs.writes = append(s.configs.writes, outs.files()...)
	s.configs.checks = s.scan.ConfigChecks
	if s.how.live.differential {
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
	looks := s.reportOptions(s.outputs.verbose, &s.gate)
	looks.Next = s.nextOfScan(r)
	if outs.hasPage() {
		s.scan.AddPageData(&looks)
	}
	s.writeReports(outs, r, looks, &s.gate)
	s.tellIncomplete(r)
}

// recogniseNames removes configurations and source folders from the names, passes them to their options, and says so.
func (s *scanCommand) recogniseNames(names []string) ([]string, error) {
	r, err := target.Recognise(names)
	if err != nil {
		return nil, err
	}
	if len(r.Sources) > 1 || len(r.Sources) == 1 && s.sourceDir != "" {
		return nil, errors.New("one source at a time: the source is that of one server")
	}
	s.configs.files = append(s.configs.files, r.Configs...)
	if len(r.Sources) == 1 {
		s.sourceDir = r.Sources[0]
	}
	for _, n := range r.Notes {
		s.note("%s", n)
	}
	s.unread = r.Unread
	return r.Targets, nil
}

// inputFiles returns the files to read, including baseline and suppressions.
func (s *scanCommand) inputFiles() []string {
	return slices.Concat(target.SnapshotFiles(s.targets), named(s.recorded.trace, s.recorded.boundary), s.imports.names, named(s.baselineFile, s.policy.file))
}

func (s *scanCommand) checkScanFlags(cmd *cobra.Command) error {
	return refuse(cmd, slices.Concat(s.configs.conflicts(), []conflict{
		{cmd.Flags().Changed("source") && s.sourceDir == "", "--source names no directory"},
		{s.layer3 != "" && len(s.models.ids) == 0, "--llm-classifier" + wantsModel},
	}, s.models.conflicts(cmd), []conflict{
		{len(s.targets) == 0 && !s.configs.anyGiven() && s.recorded.trace == "" && s.sourceDir == "", "nothing to scan: name a snapshot file, - for standard input, the URL of a server, or -- and its command; or --discover"},
		{s.recorded.trace != "" && s.how.live.sandbox.level.Wanted(), "--sandbox observes a live server and --trace reads a recording: run two scans"},
		{s.how.live.differential && !target.AnyLive(s.targets) && !s.configs.anyGiven(), "--differential is for a live server, and there is neither a URL nor a -- with its command"},
		{cmd.Flags().Changed("baseline") && s.baselineFile == "", "--baseline names no file"},
		{slices.Contains(s.imports.names, ""), "--import names no file"},
		{s.imports.gate && len(s.imports.names) == 0, "--gate-imported wants --import, which says what to import"},
		{s.changedOnly && s.baselineFile == "", "--changed-only wants --baseline, which says what has not changed"},
		stdinTwice(s.inputFiles()),
	}))
}

type choice struct{ only, skip []string }

func (ch *choice) addChoiceFlags(cmd *cobra.Command) {
	cmd.Flags().StringSliceVar(&ch.only, "only", nil, "only these: `CHECKS` to run, by id or name, separated by commas; repeatable (default all)")
	cmd.Flags().StringSliceVar(&ch.skip, "skip", nil, "leave out these `CHECKS`; repeatable (default none)")
	completeChecks(cmd, "only")
	completeChecks(cmd, "skip")
}

type importFlags struct {
	names []string
	gate  bool
}

func (f *importFlags) addImportFlags(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&f.names, "import", nil, "tie what this `FILE` reports to the findings: SARIF 2.1.0 of any tool, or a JSON report of gauntlet; repeatable (default none)")
	cmd.Flags().BoolVar(&f.gate, "gate-imported", false, "let imported findings move the exit code, by --fail-on (default off)")
}

// recordedFlags name a trace to judge, and its declared boundary.
type recordedFlags struct{ trace, boundary string }

func (f *recordedFlags) addRecordedFlags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.trace, "trace", "", "the recorded conversation to judge: a `FILE`, or - for standard input (default none)")
	cmd.Flags().StringVar(&f.boundary, "boundary", "", "the suite `FILE` that declares what may pass between servers; with --trace (default nothing may)")
}

func (f *recordedFlags) conflicts(cmd *cobra.Command) []conflict {
	return []conflict{
		{cmd.Flags().Changed("trace") && f.trace == "", "--trace names no file"},
		{cmd.Flags().Changed("boundary") && f.boundary == "", "--boundary names no file"},
		{f.boundary != "" && f.trace == "", "--boundary wants --trace, the recorded conversation that it is about"},
	}
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
