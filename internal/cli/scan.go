package cli

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"gauntlet/catalog"
	"gauntlet/check"
	"gauntlet/check/config"
	"gauntlet/finding"
	"gauntlet/result"
	"gauntlet/scan"
	"gauntlet/trust"
)

// scanRun is one run of the subcommand scan.
type scanRun struct {
	*app
	choice  choice
	outputs outputFlags
	how     targetFlags
	configs configFlags
	gate    gateFlags
	policy  policyFlags

	recorded     recordedFlags
	declared     trust.Boundary
	conversation check.Recording // the zero one for none
	undo         func()          // puts back what reading the trace changed; nil for nothing

	baselineFile string
	changedOnly  bool
	baseline     *catalog.Catalog // nil for none

	targets  []target
	plan     *plan             // nil where no configuration was asked for
	failures []finding.Problem // inputs of which nothing was read, the baseline among them
	gathered gathered
}

func (a *app) scanCommand() *cobra.Command {
	s := &scanRun{app: a}
	cmd := &cobra.Command{
		Use:   "scan [flags] [FILE | - | URL]... [-- COMMAND [ARG]...]",
		Short: "Scan snapshots and live servers",
		Long: `scan reads snapshot files, standard input (-) and what live servers say, all as
one catalog, and reports what its checks find.

A FILE is a snapshot as gauntlet capture writes it, a tools/list result, a JSON-RPC
response with one, or {"servers": [...]} with several. Several servers are compared with
each other; --baseline compares with an earlier snapshot or a lockfile, the one that was
approved.

COMMAND is started without a shell as an MCP server on stdio; no tool is called. It gets
HOME, PATH and the like from the environment and otherwise only what --env sets. A
server behind a URL is asked over HTTP, in every revision of MCP; what --header and
--bearer-env give it goes to the origin of that URL and to no other. Live servers are
asked side by side; one that fails makes the scan incomplete and spoils no other.

--trace judges a recorded conversation: what passed between servers, and which
capabilities were claimed, against the boundary that --boundary declares.

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
  gauntlet scan --env API_KEY -- npx -y some-mcp-server
  gauntlet scan --bearer-env API_TOKEN https://example.com/mcp
  gauntlet scan --discover --no-launch`,
		RunE: s.run,
	}
	cmd.Flags().SortFlags = false
	s.gate.flags(cmd)
	cmd.Flags().StringVar(&s.baselineFile, "baseline", "", "compare with this snapshot or lockfile, which was approved: a `FILE`, or - (default none)")
	_ = cmd.MarkFlagFilename("baseline", "json") // fails only for a flag that is not there
	cmd.Flags().BoolVar(&s.how.live.differential, "differential", false, "ask each live server again as another client and report what differs (default off)")
	s.recorded.flags(cmd)
	s.configs.flags(cmd)
	s.policy.flags(cmd)
	cmd.Flags().BoolVar(&s.changedOnly, "changed-only", false, "with --baseline, do not scan again what stands in it as it is; the report counts it (default off)")
	s.choice.flags(cmd)
	s.outputs.flags(cmd, a)
	s.how.flags(cmd)
	return cmd
}

func (s *scanRun) run(cmd *cobra.Command, args []string) error {
	s.how.more = s.configs.asked()
	if why := s.recorded.wrong(cmd); why != "" {
		return usage(cmd, "%s", why)
	}
	targets, err := s.app.targets(cmd, &s.how, args)
	if err != nil {
		return err
	}
	s.targets = targets
	if err := s.validate(cmd); err != nil {
		return err
	}
	if err := s.policy.choose(cmd); err != nil {
		return err
	}
	checks, ofConfigs, err := s.choice.from()
	if err != nil {
		return usage(cmd, "%s", err)
	}
	if !s.configs.asked() && len(checks) == 0 {
		return usage(cmd, "--only names checks of configurations alone: name a configuration with --config, or --discover")
	}
	outs, err := s.outputs.open(s.inputs())
	if err != nil {
		return usage(cmd, "%s", err)
	}
	for _, o := range outs {
		s.configs.writes = append(s.configs.writes, o.file)
	}
	if s.how.live.differential {
		s.configs.often = "two to four times each"
	}
	if s.declared, err = s.readBoundary(s.recorded.boundary); err != nil {
		return err
	}
	s.policy.read(s.app, cmd, s.how.limits.Bytes)
	if s.plan, err = s.makePlan(cmd.Context(), &s.configs); err != nil {
		return err
	}
	defer s.startProgress().stop()
	if err := s.readTrace(cmd.Context()); err != nil {
		return err
	}
	if s.undo != nil {
		defer s.undo()
	}
	if err := s.read(cmd.Context()); err != nil {
		return err
	}
	s.tellUnmatched()
	r, err := s.judge(cmd.Context(), checks, ofConfigs)
	if err != nil {
		return err
	}
	s.progress.stop()
	if s.nothing() {
		// The errors have been told. Files and machines still get a report that says so,
		// or yesterday's would stay; a person would only read the same twice.
		outs = slices.DeleteFunc(outs, func(o output) bool { return o.file == "-" && o.format.Name == "pretty" })
	}
	written := s.write(outs, r, s.looks(s.outputs.verbose))
	s.code = s.exitCode(r, written)
	return nil
}

// inputs are the files to read, the baseline and the suppressions among them.
func (s *scanRun) inputs() []string {
	in := append(files(s.targets), s.recorded.files()...)
	for _, f := range []string{s.baselineFile, s.policy.file} {
		if f != "" {
			in = append(in, f)
		}
	}
	return in
}

func (s *scanRun) validate(cmd *cobra.Command) error {
	switch {
	case s.configs.wrong() != "":
		return usage(cmd, "%s", s.configs.wrong())
	case len(s.targets) == 0 && !s.configs.asked() && s.recorded.trace == "":
		return usage(cmd, "nothing to scan: name a snapshot file, - for standard input, the URL of a server, or -- and its command; or --discover")
	case s.how.live.differential && !anyLive(s.targets) && !s.configs.asked():
		return usage(cmd, "--differential is for a live server, and there is neither a URL nor a -- with its command")
	case cmd.Flags().Changed("baseline") && s.baselineFile == "":
		return usage(cmd, "--baseline names no file")
	case s.changedOnly && s.baselineFile == "":
		return usage(cmd, "--changed-only wants --baseline, which says what has not changed")
	}
	stdin := 0
	for _, f := range s.inputs() {
		if f == "-" {
			stdin++
		}
	}
	if stdin > 1 {
		return usage(cmd, "- is named %d times: standard input can be read once", stdin)
	}
	return nil
}

// nothing reports whether nothing at all was read.
func (s *scanRun) nothing() bool {
	return len(s.gathered.catalog.Documents) == 0 && (s.plan == nil || len(s.plan.files) == 0) && s.conversation.Trace == nil
}

// judge runs the checks and adds what was never read to the report's problems.
func (s *scanRun) judge(ctx context.Context, checks []*check.Check, ofConfigs []*config.Check) (*result.Report, error) {
	n := 0
	for _, server := range s.gathered.catalog.Servers {
		for _, l := range server.Lists {
			n += len(l.Items)
		}
	}
	s.progress.say("scanning %d definitions", n)
	opt := scan.Options{Checks: checks, Baseline: s.baseline, ChangedOnly: s.changedOnly, Askings: s.gathered.askings, ConfigChecks: ofConfigs, Trace: s.conversation, Version: version()}
	if s.plan != nil {
		opt.Configs = append([]config.File{}, s.plan.files...)
		opt.Together = s.plan.together(s.named())
	}
	r, err := interruptible(ctx, func() *result.Report { return scan.Run(&s.gathered.catalog, opt) })
	if err != nil {
		return nil, err
	}
	if s.plan != nil {
		r.Clients = s.plan.report()
		r.Problems = append(r.Problems, s.plan.problems...)
	}
	r.Problems = append(r.Problems, s.failures...)
	s.policy.apply(r)
	if given := s.gathered.given; len(given) > 0 {
		redactReport(r, newVeil(given))
	}
	return r, nil
}

// named are the servers that the user named, not those of configurations.
func (s *scanRun) named() []*catalog.Server {
	var out []*catalog.Server
	for i := range s.targets {
		if !s.targets[i].configured() {
			out = append(out, s.gathered.outcomes[i].servers...)
		}
	}
	return out
}
