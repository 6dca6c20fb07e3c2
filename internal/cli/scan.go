package cli

import (
	"errors"
	"slices"

	"github.com/spf13/cobra"

	"gauntlet/finding"
	"gauntlet/internal/run/checkdoc"
	"gauntlet/internal/run/reportfile"
	"gauntlet/internal/run/scanrun"
	"gauntlet/internal/run/target"
	"gauntlet/result"
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
	cmd := &cobra.Command{
		Use:   "scan [flags] [FILE | - | URL]... [-- COMMAND [ARG]...]",
		Short: "Scan snapshots and live servers",
		RunE:  s.scanTargets,
	}
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
	if why := s.recorded.findConflict(cmd); why != "" {
		return usage(cmd, "%s", why)
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
	s.progress.Stop()
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
func (s *scanCommand) readDecisions(cmd *cobra.Command, outs []reportfile.Output) (err error) {
	if s.scan.Declared, err = s.readBoundary(s.recorded.boundary); err != nil {
		return err
	}
	if s.policy.file != "" && !cmd.Flags().Changed("suppressions") {
		// A policy file in a stranger's folder must not work unnoticed.
		s.note("using %s (--no-suppressions leaves it out)", s.policy.file)
	}
	s.scan.ReadPolicy()
	s.configs.writes = append(s.configs.writes, reportfile.Files(outs)...)
	s.configs.checks = s.scan.ConfigChecks
	if s.how.live.differential {
		s.configs.often = "two to four times each"
	}
	s.scan.Plan, err = s.makePlan(cmd.Context(), &s.configs)
	return err
}

// writeScan writes the reports and sets the exit code.
func (s *scanCommand) writeScan(outs []reportfile.Output, r *result.Report) {
	if s.scan.ReadNothing() {
		// The errors have been reported. Files and machines still get a report that says so, or yesterday's would stay; a person
		// would only read the same twice.
		outs = slices.DeleteFunc(outs, func(o reportfile.Output) bool { return o.File == "-" && o.Format.Name == "pretty" })
	}
	looks := s.reportOptions(s.outputs.verbose, &s.gate)
	looks.Next = s.nextOfScan(r)
	if reportfile.HasPage(outs) {
		s.scan.AddPageData(&looks)
	}
	written := s.writeReports(outs, r, looks)
	s.tellIncomplete(r)
	s.code = s.gate.exitCode(r, written)
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
	in := append(target.SnapshotFiles(s.targets), s.recorded.fileNames()...)
	in = append(in, s.imports.names...)
	for _, f := range []string{s.baselineFile, s.policy.file} {
		if f != "" {
			in = append(in, f)
		}
	}
	return in
}

func (s *scanCommand) checkScanFlags(cmd *cobra.Command) error {
	switch {
	case s.configs.findConflict() != "":
		return usage(cmd, "%s", s.configs.findConflict())
	case cmd.Flags().Changed("source") && s.sourceDir == "":
		return usage(cmd, "--source names no directory")
	case s.layer3 != "" && len(s.models.ids) == 0:
		return usage(cmd, "--llm-classifier wants --model, which says whom to ask")
	case s.models.findConflict(cmd) != "":
		return usage(cmd, "%s", s.models.findConflict(cmd))
	case len(s.targets) == 0 && !s.configs.anyGiven() && s.recorded.trace == "" && s.sourceDir == "":
		return usage(cmd, "nothing to scan: name a snapshot file, - for standard input, the URL of a server, or -- and its command; or --discover")
	case s.recorded.trace != "" && s.how.live.sandbox.level.Wanted():
		return usage(cmd, "--sandbox observes a live server and --trace reads a recording: run two scans")
	case s.how.live.differential && !target.AnyLive(s.targets) && !s.configs.anyGiven():
		return usage(cmd, "--differential is for a live server, and there is neither a URL nor a -- with its command")
	case cmd.Flags().Changed("baseline") && s.baselineFile == "":
		return usage(cmd, "--baseline names no file")
	case slices.Contains(s.imports.names, ""):
		return usage(cmd, "--import names no file")
	case s.imports.gate && len(s.imports.names) == 0:
		return usage(cmd, "--gate-imported wants --import, which says what to import")
	case s.changedOnly && s.baselineFile == "":
		return usage(cmd, "--changed-only wants --baseline, which says what has not changed")
	}
	return stdinOnce(cmd, s.inputFiles())
}
