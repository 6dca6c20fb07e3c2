package cli

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"gauntlet/catalog"
	"gauntlet/check"
	"gauntlet/finding"
	"gauntlet/result"
	"gauntlet/scan"
)

// scanRun is one run of the subcommand scan.
type scanRun struct {
	*app
	choice  choice
	outputs outputFlags
	limits  limitFlags
	live    liveFlags
	gate    gateFlags

	baselineFile string
	baseline     *catalog.Catalog // nil for none

	files    []string
	target   liveTarget
	catalog  catalog.Catalog
	failures []finding.Problem // inputs of which nothing was read
	redact   func(string) string
	env      []string // set for the live server, as NAME=VALUE
}

func (a *app) scanCommand() *cobra.Command {
	s := &scanRun{app: a}
	cmd := &cobra.Command{
		Use:   "scan [flags] [FILE | -]... [URL | -- COMMAND [ARG]...]",
		Short: "Scan snapshots or a live server",
		Long: `scan reads snapshot files, standard input (-) and what a live server says, all as
one catalog, and reports what its checks find.

A FILE is a snapshot as gauntlet capture writes it, a tools/list result, a JSON-RPC
response with one, or {"servers": [...]} with several. Several servers are compared with
each other; --baseline compares with an earlier snapshot, the one that was approved.

COMMAND is started without a shell as an MCP server on stdio; no tool is called. It gets
HOME, PATH and the like from the environment and otherwise only what --env sets. A
server behind a URL is asked over HTTP, in every revision of MCP; what --header and
--bearer-env give it goes to the origin of that URL and to no other.

Exit codes: 1 if a finding crosses --fail-on; else 2 if anything asked for was unread,
failed or was cut by a limit; else 0.`,
		Example: `  gauntlet scan snapshot.json
  gauntlet scan --report sarif=gauntlet.sarif a.json b.json
  curl -s https://example.com/tools.json | gauntlet scan --format json -
  gauntlet scan --baseline approved.json snapshot.json
  gauntlet scan --env API_KEY -- npx -y some-mcp-server
  gauntlet scan --bearer-env API_TOKEN https://example.com/mcp`,
		RunE: s.run,
	}
	cmd.Flags().SortFlags = false
	s.gate.flags(cmd)
	cmd.Flags().StringVar(&s.baselineFile, "baseline", "", "compare with this snapshot, which was approved: a `FILE`, or - (default none)")
	_ = cmd.MarkFlagFilename("baseline", "json") // fails only for a flag that is not there
	s.choice.flags(cmd)
	s.outputs.flags(cmd, a)
	s.live.flags(cmd)
	s.limits.flags(cmd)
	return cmd
}

func (s *scanRun) run(cmd *cobra.Command, args []string) error {
	s.files, s.target = args, liveTarget{}
	if dash := cmd.ArgsLenAtDash(); dash >= 0 {
		s.files, s.target.command = args[:dash], args[dash:]
	}
	if err := s.takeURL(cmd); err != nil {
		return err
	}
	if err := s.validate(cmd); err != nil {
		return err
	}
	checks, err := s.choice.from(scan.Checks())
	if err != nil {
		return usage(cmd, "%s", err)
	}
	outs, err := s.outputs.open(s.inputs())
	if err != nil {
		return usage(cmd, "%s", err)
	}
	defer s.startProgress().stop()
	if err := s.read(cmd.Context()); err != nil {
		return err
	}
	r, err := s.judge(cmd.Context(), checks)
	if err != nil {
		return err
	}
	s.progress.stop()
	if len(s.catalog.Documents) == 0 {
		// The errors have been told. Files and machines still get a report that says so,
		// or yesterday's would stay; a person would only read the same twice.
		outs = slices.DeleteFunc(outs, func(o output) bool { return o.file == "-" && o.format.Name == "pretty" })
	}
	written := s.write(outs, r, s.looks(s.outputs.verbose))
	s.code = s.exitCode(r, written)
	return nil
}

// takeURL takes the URL of a server out of the files.
func (s *scanRun) takeURL(cmd *cobra.Command) error {
	for i, name := range s.files {
		switch {
		case !isURL(name):
			continue
		case s.target.url != "" || s.target.command != nil:
			return usage(cmd, "one live server at a time: there is a URL, and another URL or a command")
		}
		s.target.url = name
		s.files = slices.Delete(slices.Clone(s.files), i, i+1)
		return s.takeURL(cmd)
	}
	return nil
}

// inputs are the files to read, the baseline among them.
func (s *scanRun) inputs() []string {
	if s.baselineFile == "" {
		return s.files
	}
	return append(slices.Clone(s.files), s.baselineFile)
}

func (s *scanRun) validate(cmd *cobra.Command) error {
	switch {
	case cmd.ArgsLenAtDash() >= 0 && len(s.target.command) == 0:
		return usage(cmd, "no command behind --")
	case len(s.files) == 0 && s.target.none():
		return usage(cmd, "nothing to scan: name a snapshot file, - for standard input, the URL of a server, or -- and its command")
	case cmd.Flags().Changed("baseline") && s.baselineFile == "":
		return usage(cmd, "--baseline names no file")
	case s.target.none():
		if name := s.live.given(cmd); name != "" {
			return usage(cmd, "--%s is for a live server, and there is neither a URL nor a -- with its command", name)
		}
	default:
		if why := s.live.misplaced(cmd, s.target); why != "" {
			return usage(cmd, "%s", why)
		}
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

// judge runs the checks and adds what was never read to the report's problems.
func (s *scanRun) judge(ctx context.Context, checks []*check.Check) (*result.Report, error) {
	n := 0
	for _, server := range s.catalog.Servers {
		for _, l := range server.Lists {
			n += len(l.Items)
		}
	}
	s.progress.say("scanning %d definitions", n)
	r, err := interruptible(ctx, func() *result.Report {
		return scan.Run(&s.catalog, scan.Options{Checks: checks, Baseline: s.baseline, Version: version()})
	})
	if err != nil {
		return nil, err
	}
	r.Problems = append(r.Problems, s.failures...)
	r.Summary.Problems = len(r.Problems)
	r.Summary.Complete = r.Complete()
	if s.redact != nil {
		redactReport(r, s.redact, s.env)
	}
	return r, nil
}
