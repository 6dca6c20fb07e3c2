package cli

import (
	"io"
	"strings"

	"github.com/spf13/cobra"

	"gauntlet/finding"
	"gauntlet/internal/leaf/redact"
	"gauntlet/internal/run/launch"
	"gauntlet/internal/run/target"
	"gauntlet/internal/run/userfile"
	"gauntlet/result"
)

type captureCommand struct {
	*app
	live         liveFlags
	file         string
	trace        string
	allowPartial bool
}

func (a *app) newCaptureCommand() *cobra.Command {
	c := &captureCommand{app: a}
	cmd := newCommand("capture [flags] {URL | -- COMMAND [ARG]...}", "Save a live server's definitions as a snapshot", c.captureServer)
	outputFlag(cmd, &c.file, "the snapshot")
	recordFlag(cmd, &c.trace, everyMessage)
	c.live.addLiveFlags(cmd)
	addLimitFlags(cmd, &c.live.reading.Limits)
	_ = cmd.Flags().MarkHidden("max-depth") // capture does not look into definitions
	partialFlag(cmd, &c.allowPartial)
	cmd.Flags().BoolVarP(&a.quiet, "quiet", "q", false, quietMeaning)
	return cmd
}

func (c *captureCommand) captureServer(cmd *cobra.Command, args []string) error {
	server := []target.Target{{Server: launch.Server{Command: args}}}
	switch dash := cmd.ArgsLenAtDash(); {
	case len(args) == 0:
		return usage(cmd, "no server: want its URL, or -- and its command")
	case dash < 0 && len(args) == 1 && target.IsURL(args[0]):
		server = []target.Target{{Server: launch.Server{URL: args[0]}}}
	case dash != 0:
		return usage(cmd, "want only -- and the command of a server: gauntlet capture -- %s", strings.Join(args[:1], " "))
	}
	if err := refuse(cmd, []conflict{
		failed(c.applyLiveFlags(cmd, &c.live, server)), failed(userfile.CheckWritable(c.file, nil)),
		{c.trace != "" && userfile.Same(c.trace, c.file), "the snapshot and the trace would both go to " + outputName(c.file)},
		failed(userfile.CheckWritable(c.trace, nil)),
	}); err != nil {
		return err
	}
	record, err := c.createTrace(c.trace)
	if err != nil {
		return usage(cmd, "%s", err)
	}
	defer c.startProgress().Stop()
	got, err := c.newTargetReader(&c.live, record).Capture(cmd.Context(), server[0])
	incomplete := record.Close()
	defer c.tellSandboxes(&c.live.sandbox)
	for _, n := range got.Notes {
		c.showNote(n)
	}
	if err != nil {
		if incomplete != nil {
			c.say("%s", incomplete)
		}
		return err
	}
	c.progress.Stop()
	write, held := userfile.Write, redact.New(got.Secrets).Names(got.Text)
	if held != nil {
		write = userfile.WritePrivate
	}
	if err := write(c.file, c.host.Stdout, func(w io.Writer) error {
		_, err := io.WriteString(w, got.Text)
		return err
	}); err != nil {
		return err
	}
	c.reportGaps(got, held)
	return incomplete
}

func outputName(file string) string {
	if file == "-" {
		return "standard output: name a file for one"
	}
	return file
}

// reportGaps says what the snapshot lacks, and which secrets it contains.
func (c *captureCommand) reportGaps(got *target.Captured, held []string) {
	if held != nil {
		c.say("the server repeats the value of %s: the snapshot holds it", strings.Join(held, ", "))
	}
	r, err := got.Ledger(c.live.reading.Limits)
	if err != nil {
		c.say("%s", err)
		c.code = result.ExitTrouble
		return
	}
	c.code = r.ExitCode(finding.None, c.allowPartial)
	switch {
	case r.Complete():
	case c.allowPartial && r.Read():
		c.say("--allow-partial: the snapshot is incomplete: %s", partialText(r.Problems))
	default:
		for _, p := range r.Problems {
			c.say("%s", p.Message)
		}
	}
}
