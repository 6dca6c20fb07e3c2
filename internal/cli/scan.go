package cli

import (
	"context"
	"errors"
	"slices"

	"github.com/spf13/cobra"

	"gauntlet/catalog"
	"gauntlet/classify"
	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/internal/engine/check/config"
	"gauntlet/internal/engine/scanner"
	"gauntlet/internal/run/advise"
	"gauntlet/internal/run/checkdoc"
	"gauntlet/internal/run/clientplan"
	"gauntlet/internal/run/interrupt"
	"gauntlet/internal/run/modelset"
	"gauntlet/internal/run/redaction"
	"gauntlet/internal/run/sourcecode"
	"gauntlet/internal/run/target"
	"gauntlet/report"
	"gauntlet/result"
	"gauntlet/trust"
)

// scanCommand is one run of the subcommand scan.
type scanCommand struct {
	*app
	choice  choice
	outputs outputFlags
	how     targetFlags
	configs configFlags
	gate    gateFlags
	policy  policyFlags

	recorded     recordedFlags
	imports      importFlags
	declared     trust.Boundary
	conversation check.Recording // the zero one for none
	undo         func()          // puts back what reading the trace changed; nil for nothing

	sourceDir string
	source    check.SourceTree // the zero one for none

	baselineFile string
	changedOnly  bool
	baseline     *catalog.Catalog // nil for none

	models   modelFlags
	layer3   string        // which tools models label beside that: "", "low" or "all"
	advisers *modelset.Set // nil for none

	targets  []target.Target
	plan     *clientplan.Plan  // nil where no configuration was asked for
	failures []finding.Problem // inputs of which nothing was read, the baseline among them
	gathered target.Gathered
}

func (a *app) newScanCommand() *cobra.Command {
	s := &scanCommand{app: a}
	cmd := &cobra.Command{
		Use:   "scan [flags] [FILE | - | URL]... [-- COMMAND [ARG]...]",
		Short: "Scan snapshots and live servers",
		Long: `scan reads snapshot files, standard input (-) and what live servers say, all as
one catalog, and reports what its checks find.

A FILE is a snapshot as gauntlet capture writes it, a tools/list result, a JSON-RPC
response with one, or {"servers": [...]} with several; or the configuration of an MCP
client, as with --config; or a folder: of source, as with --source, or of such files.
What a name was taken for is said. Several servers are compared with
each other; --baseline compares with an earlier snapshot or a lockfile, the one that was
approved.

COMMAND is started without a shell as an MCP server on stdio; no tool is called. It gets
HOME, PATH and the like from the environment and otherwise only what --env sets. A
server behind a URL is asked over HTTP, in every revision of MCP; what --header and
--bearer-env give it goes to the origin of that URL and to no other. Live servers are
asked side by side; one that fails makes the scan incomplete and spoils no other.

--trace judges a recorded conversation: what passed between servers, and which
capabilities were claimed, against the boundary that --boundary declares.

--source judges the source of a server, by itself or beside its definitions: which parameters
of its tools reach a shell, a path, an address or a statement, and what guards them. Python,
TypeScript, JavaScript and Go are read; nothing is executed. docs/source-analysis.md tells how.

--model also asks a language model about every definition: subtle poisoning, behaviour that the
schema does not support, persuasion. Its opinions stand in a section of their own and change
neither findings nor the exit code. docs/models.md tells which models, what is sent and what it costs.

--import reads reports of other scanners and says which of their findings agree with ours,
which only they have, and which a recorded probe or attack confirmed or refuted. They move
the exit code with --gate-imported alone. docs/report.md tells what is read.

--config and --discover judge configurations of MCP clients. What stands in them is
started or connected to after you agreed to it on the terminal, or with --yes.

Exit codes: 1 if a finding crosses --fail-on; else 2 if anything asked for was unread,
failed or was cut by a limit; else 0.`,
		Example: `  gauntlet scan snapshot.json
  gauntlet scan --report sarif=gauntlet.sarif a.json b.json
  curl -s https://example.com/tools.json | gauntlet scan --format json -
  gauntlet scan --baseline approved.json snapshot.json
  gauntlet scan --differential -- ./my-server --stdio
  gauntlet scan --trace run.ndjson --boundary suite.yaml
  gauntlet scan --source ./src
  gauntlet scan --import other.sarif --import probe.json snapshot.json
  gauntlet scan ~/.cursor/mcp.json
  gauntlet scan --model claude-sonnet-4-5 --max-cost 1 snapshot.json
  gauntlet scan --env API_KEY -- npx -y some-mcp-server
  gauntlet scan --bearer-env API_TOKEN https://example.com/mcp
  gauntlet scan --discover --no-launch`,
		RunE: s.scanTargets,
	}
	cmd.Flags().SortFlags = false
	s.gate.addGateFlags(cmd)
	cmd.Flags().StringVar(&s.baselineFile, "baseline", "", "compare with this snapshot or lockfile, which was approved: a `FILE`, or - (default none)")
	_ = cmd.MarkFlagFilename("baseline", "json") // fails only for a flag that is not there
	cmd.Flags().BoolVar(&s.how.live.differential, "differential", false, "ask each live server again as another client and report what differs (default off)")
	s.recorded.addRecordedFlags(cmd)
	cmd.Flags().StringVar(&s.sourceDir, "source", "", "read the server's source as well: all below this `DIR` (default none)")
	s.imports.addImportFlags(cmd)
	s.configs.addConfigFlags(cmd)
	s.policy.addPolicyFlags(cmd)
	layer3Flag(cmd, &s.layer3)
	s.models.addModelFlags(cmd, "it judges definitions beside the checks")
	cmd.Flags().BoolVar(&s.changedOnly, "changed-only", false, "with --baseline, do not scan again what stands in it as it is; the report counts it (default off)")
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
	if len(s.models.ids) > 0 {
		if s.advisers, err = s.openModels(&s.models); err != nil {
			return usage(cmd, "%s", err)
		}
		defer s.advisers.Close()
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
	for _, o := range outs {
		s.configs.writes = append(s.configs.writes, o.file)
	}
	s.configs.checks = ofConfigs
	if s.how.live.differential {
		s.configs.often = "two to four times each"
	}
	if s.declared, err = s.readBoundary(s.recorded.boundary); err != nil {
		return err
	}
	s.policy.readPolicy(s.app, cmd, s.how.limits.Bytes)
	if s.plan, err = s.makePlan(cmd.Context(), &s.configs); err != nil {
		return err
	}
	defer s.startProgress().stopShowing()
	if err := s.readTrace(cmd.Context()); err != nil {
		return err
	}
	if s.undo != nil {
		defer s.undo()
	}
	if err := s.readInputs(cmd.Context()); err != nil {
		return err
	}
	if err := s.readSource(cmd.Context()); err != nil {
		return err
	}
	if err := s.readImports(cmd.Context()); err != nil {
		return err
	}
	s.tellUnmatched()
	if s.models.plan {
		s.progress.stopShowing()
		return s.writePlans(s.advisers, slices.Concat(advise.Plan(s.advisers, s.adviceQuestions()), s.layer3Plans()))
	}
	r, err := s.runChecks(cmd.Context(), checks, ofConfigs)
	if err != nil {
		return err
	}
	s.progress.stopShowing()
	if s.nothingRead() {
		// The errors have been told. Files and machines still get a report that says so,
		// or yesterday's would stay; a person would only read the same twice.
		outs = slices.DeleteFunc(outs, func(o output) bool { return o.file == "-" && o.format.Name == "pretty" })
	}
	looks := s.reportOptions(s.outputs.verbose, &s.gate)
	looks.Next = s.nextOfScan(r)
	if wantsPage(outs) {
		s.addPageData(&looks)
	}
	written := s.writeReports(outs, r, looks)
	s.tellIncomplete(r)
	s.code = s.gate.exitCode(r, written)
	return nil
}

// recogniseNames takes configurations and folders with source out of the names, for what takes them, and says so.
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
	return r.Targets, nil
}

// inputFiles are the files to read, the baseline and the suppressions among them.
func (s *scanCommand) inputFiles() []string {
	in := append(snapshotFiles(s.targets), s.recorded.fileNames()...)
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
		return usage(cmd, "--sandbox observes a live server and --trace judges what was recorded: scan one after the other")
	case s.how.live.differential && !anyLive(s.targets) && !s.configs.anyGiven():
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
	stdin := 0
	for _, f := range s.inputFiles() {
		if f == "-" {
			stdin++
		}
	}
	if stdin > 1 {
		return usage(cmd, "- is named %d times: standard input can be read once", stdin)
	}
	return nil
}

// nothingRead reports whether nothing at all was read.
func (s *scanCommand) nothingRead() bool {
	return len(s.gathered.Catalog.Documents) == 0 && (s.plan == nil || len(s.plan.Files) == 0) && s.conversation.Trace == nil && s.source.Sources == nil
}

// readSource reads the source of the server, if one is named. A tree that says nothing about any tool is a problem:
// it must not read like one without findings.
func (s *scanCommand) readSource(ctx context.Context) error {
	if s.sourceDir == "" {
		return nil
	}
	s.progress.Step("reading sources")
	found, err := sourcecode.Analyse(ctx, s.sourceDir, nil)
	if err != nil {
		return err
	}
	s.failures = append(s.failures, found.Problems...)
	if found.Err != nil {
		p := sourcecode.Failed(s.sourceDir, found.Err)
		s.failures = append(s.failures, p)
		s.say("%s", target.FailureText(p))
		return nil
	}
	s.source = check.SourceTree{Sources: found.Sources, Dir: s.sourceDir, Text: func(file string) []byte { return found.Files[file] }}
	s.note("%s: %d handlers in %d source files", s.sourceDir, len(found.Sources.Handlers), found.Sources.Files)
	return nil
}

// runChecks runs the checks and adds what was never read to the report's problems.
func (s *scanCommand) runChecks(ctx context.Context, checks []*check.Check, ofConfigs []*config.Check) (*result.Report, error) {
	n := 0
	for _, server := range s.gathered.Catalog.Servers {
		for _, l := range server.Lists {
			n += len(l.Items)
		}
	}
	s.progress.Step("scanning %d definitions", n)
	if s.conversation.Trace == nil {
		s.conversation.Trace, s.conversation.Live = s.how.live.sandbox.boxes.Observed(), true
	}
	opt := scanner.Options{Checks: checks, Baseline: s.baseline, ChangedOnly: s.changedOnly, Askings: s.gathered.Askings, ConfigChecks: ofConfigs, Trace: s.conversation, Source: s.source, Contacts: s.gathered.Contacts, Version: version()}
	if s.plan != nil {
		opt.Configs = append([]config.File{}, s.plan.Files...)
		opt.Together = s.plan.Together(s.namedServers())
	}
	r, err := interrupt.Do(ctx, func() *result.Report { return scanner.Run(&s.gathered.Catalog, opt) })
	if err != nil {
		return nil, err
	}
	if s.plan != nil {
		r.Clients = s.plan.Report()
		r.Problems = append(r.Problems, s.plan.Problems...)
	}
	r.Sandboxes = s.how.live.sandbox.boxes.Reports()
	r.Problems = append(r.Problems, s.failures...)
	if s.gate.maturity == result.GateStable {
		r.Gate = result.GateStable
	}
	s.policy.applyPolicy(r)
	s.tieImports(r)
	if err := s.askAdvisers(ctx, r); err != nil {
		return nil, err
	}
	if given := s.gathered.Secrets; len(given) > 0 {
		redaction.New(given).Report(r)
	}
	return r, nil
}

// addPageData adds what a page shows beside the report: what tools can do, and the trace.
func (s *scanCommand) addPageData(looks *report.Options) {
	looks.Capabilities = classify.Catalog(&s.gathered.Catalog)
	if given := s.gathered.Secrets; len(given) > 0 {
		redaction.New(given).Labels(looks.Capabilities)
	}
	if t := s.conversation.Trace; t != nil {
		looks.Traces = []report.Conversation{{File: s.recorded.trace, Trace: t}}
	}
}

// namedServers are the servers that the user named, not those of configurations.
func (s *scanCommand) namedServers() []*catalog.Server {
	var out []*catalog.Server
	for i := range s.targets {
		if !s.targets[i].Configured {
			out = append(out, s.gathered.Outcomes[i].Servers...)
		}
	}
	return out
}
