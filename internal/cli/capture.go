package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"gauntlet/catalog"
	"gauntlet/check"
	"gauntlet/finding"
	"gauntlet/report"
	"gauntlet/result"
	"gauntlet/scan"
)

// captureRun is one run of the subcommand capture.
type captureRun struct {
	*app
	live         liveFlags
	limits       limitFlags
	file         string
	trace        string
	allowPartial bool
}

func (a *app) captureCommand() *cobra.Command {
	c := &captureRun{app: a}
	cmd := &cobra.Command{
		Use:   "capture [flags] {URL | -- COMMAND [ARG]...}",
		Short: "Write down what a live server says, as a snapshot",
		Long: `capture starts COMMAND without a shell as an MCP server on stdio, or asks the one
behind a URL, reads all its lists and writes them as received: gauntlet scan finds the
same in the snapshot as in the server. What could not be read stands in it under
capture_errors.

The snapshot is evidence, and what the server defines stands in it unchanged. If it
repeats a value of --env, --header or --bearer-env there, capture says so. In the trace
that --trace writes such values are replaced by their names.

Exit codes: 2 if anything asked for could not be read; else 0.`,
		Example: `  gauntlet capture -- npx -y @modelcontextprotocol/server-filesystem /tmp > fs.json
  gauntlet capture --output github.json --env GITHUB_TOKEN -- github-mcp-server stdio
  gauntlet capture --output fs.json --trace fs.ndjson -- npx -y @modelcontextprotocol/server-filesystem /tmp
  gauntlet capture --bearer-env API_TOKEN https://example.com/mcp > example.json`,
		RunE: c.run,
	}
	cmd.Flags().SortFlags = false
	outputFlag(cmd, &c.file, "the snapshot")
	traceFlag(cmd, &c.trace)
	c.live.flags(cmd)
	c.limits.flags(cmd)
	_ = cmd.Flags().MarkHidden("max-depth") // of definitions, which capture does not look into
	partialFlag(cmd, &c.allowPartial)
	cmd.Flags().BoolVarP(&a.quiet, "quiet", "q", false, "no progress and no notes on stderr, only errors (default off)")
	return cmd
}

func (c *captureRun) run(cmd *cobra.Command, args []string) error {
	server := []target{{command: args}}
	switch dash := cmd.ArgsLenAtDash(); {
	case len(args) == 0:
		return usage(cmd, "no server: want its URL, or -- and its command")
	case dash < 0 && len(args) == 1 && isURL(args[0]):
		server = []target{{url: args[0]}}
	case dash != 0:
		return usage(cmd, "want only -- and the command of a server: gauntlet capture -- %s", strings.Join(args[:1], " "))
	}
	if err := c.equip(cmd, &c.live, server); err != nil {
		return usage(cmd, "%s", err)
	}
	if err := writable(c.file, nil); err != nil {
		return usage(cmd, "%s", err)
	}
	if err := c.record(); err != nil {
		return usage(cmd, "%s", err)
	}
	defer c.startProgress().stop()
	got, err := c.capture(cmd.Context(), &c.live, server[0], c.limits.Limits)
	incomplete := c.live.trace.close()
	c.tellNotes(got, false)
	if err != nil {
		if incomplete != nil {
			c.say("%s", incomplete)
		}
		return err
	}
	c.progress.stop()
	err = c.writeTo(c.file, func(w io.Writer) error {
		_, err := io.WriteString(w, got.text)
		return err
	})
	if err != nil {
		return err
	}
	c.remark(got)
	return incomplete
}

// record begins the trace, if one is asked for.
func (c *captureRun) record() error {
	if c.trace == "" {
		return nil
	}
	if sameFile(c.trace, c.file) {
		return fmt.Errorf("the snapshot and the trace would both go to %s", place(c.file))
	}
	if err := writable(c.trace, nil); err != nil {
		return err
	}
	var err error
	c.live.trace, err = c.createTrace(c.trace)
	return err
}

func place(file string) string {
	if file == "-" {
		return "standard output: name a file for one"
	}
	return file
}

// remark says what is missing in the snapshot, and what is in it that should stay private.
func (c *captureRun) remark(got *captured) {
	if names := secretsIn(got.text, got.given); names != nil {
		c.say("the server repeats the value of %s: the snapshot holds it", strings.Join(names, ", "))
	}
	// The report of a scan without checks has the ledger that the exit code rests on.
	held, err := catalog.Parse("", got.text, c.limits.Limits)
	if err != nil {
		c.say("%s", report.Visible(err.Error()))
		c.code = result.ExitTrouble
		return
	}
	r := scan.Run(held, scan.Options{Checks: []*check.Check{}})
	r.Problems = nil
	for _, g := range got.gaps {
		r.Problems = append(r.Problems, finding.Problem{Kind: finding.Unread, Message: g.Method + ": " + g.Message})
	}
	c.code = r.ExitCode(finding.None, c.allowPartial)
	switch {
	case r.Complete():
	case c.allowPartial && r.Read():
		c.say("--allow-partial: the snapshot is incomplete: %s", partial(r.Problems))
	default:
		for _, p := range r.Problems {
			c.say("%s", p.Message)
		}
	}
}
