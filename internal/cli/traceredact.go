package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"gauntlet/internal/leaf/redact"
	"gauntlet/internal/run/interrupt"
	"gauntlet/internal/run/tracefile"
	"gauntlet/internal/run/userfile"
)

type traceRedactCommand struct {
	*app
	file     string
	values   []string // names of variables
	patterns []string
}

func (a *app) newTraceRedactCommand() *cobra.Command {
	r := &traceRedactCommand{app: a}
	cmd := &cobra.Command{
		Use:   "redact [flags] FILE",
		Short: "Copy a trace without the secrets in it",
		RunE:  r.redactTrace,
	}
	f := cmd.Flags()
	outputFlag(cmd, &r.file, "the copy")
	f.StringArrayVar(&r.values, "value-of", nil, "take out the value of our variable `NAME`, in all its spellings; repeatable (default none)")
	f.StringArrayVar(&r.patterns, "pattern", nil, "take out what this `REGEXP` (RE2) matches in a string; repeatable (default none)")
	f.BoolVarP(&a.quiet, "quiet", "q", false, quietMeaning)
	return cmd
}

func (r *traceRedactCommand) redactTrace(cmd *cobra.Command, args []string) error {
	if err := wantTrace(cmd, args); err != nil {
		return err
	}
	if err := userfile.CheckWritable(r.file, args); err != nil {
		return usage(cmd, "%s", err)
	}
	c, err := r.newRemover()
	if err != nil {
		return usage(cmd, "%s", err)
	}
	return interrupt.Run(cmd.Context(), func() error { return r.writeCopy(cmd.Context(), args[0], c) })
}

func (r *traceRedactCommand) newRemover() (*tracefile.SecretRemover, error) {
	var given []string
	for _, name := range r.values {
		// The user may have typed the secret instead of its name; never echo it.
		value, ok := r.lookupEnv(name)
		switch {
		case !ok:
			return nil, errors.New("--value-of wants the name of a variable, and no variable of that name is set here")
		case len(value) < redact.Shortest:
			return nil, fmt.Errorf("--value-of %s: the value is shorter than %d bytes and would be found in every other word", name, redact.Shortest)
		}
		given = append(given, name+"="+value)
	}
	remover, err := tracefile.NewSecretRemover(given, r.patterns)
	if err != nil {
		return nil, fmt.Errorf("--pattern: %w", err)
	}
	return remover, nil
}

func (r *traceRedactCommand) writeCopy(ctx context.Context, name string, c *tracefile.SecretRemover) error {
	in, err := r.openTrace(name)
	if err != nil {
		return err
	}
	defer in.Close()
	changed, all, err := c.Copy(ctx, in, r.file, r.host.Stdout, toolName(), r.tellLine(name))
	if err != nil {
		return err
	}
	r.tellUnread(name, in)
	r.note("secrets were taken out of %d of %d messages; read the copy before you give it away", changed, all)
	return nil
}
