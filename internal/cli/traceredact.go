package cli

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"gauntlet/internal/secret"
	"gauntlet/internal/wire"
	"gauntlet/trace"
)

// traceRedactRun is one run of the subcommand trace redact.
type traceRedactRun struct {
	*app
	file     string
	values   []string // names of variables
	patterns []string
}

func (a *app) traceRedactCommand() *cobra.Command {
	r := &traceRedactRun{app: a}
	cmd := &cobra.Command{
		Use:   "redact [flags] FILE",
		Short: "Copy a trace without the secrets in it",
		Long: `redact writes a copy of a trace in which [secret-1], [secret-2] and so on stand where keys
and credentials stood, the same label for the same secret. What looks like one is told by
the rules by which scan finds secrets in definitions; --value-of and --pattern name more.
The copy says that it is one, and whatever judges by it says so too. Everything else in it
is byte for byte what it was.

It finds secrets that look like secrets. Read the copy before you give it away.

Exit codes: 0; 2 if the trace, or a line of it, could not be read. Such lines are not in
the copy.`,
		Example: `  gauntlet trace redact --output public.ndjson trace.ndjson
  gauntlet trace redact --value-of API_TOKEN --pattern 'acct-[0-9]+' -o public.ndjson trace.ndjson`,
		RunE: r.run,
	}
	f := cmd.Flags()
	f.SortFlags = false
	outputFlag(cmd, &r.file, "the copy")
	f.StringArrayVar(&r.values, "value-of", nil, "take out the value of our variable `NAME`, in all its spellings; repeatable (default none)")
	f.StringArrayVar(&r.patterns, "pattern", nil, "take out what this `REGEXP` (RE2) matches in a string; repeatable (default none)")
	f.BoolVarP(&a.quiet, "quiet", "q", false, "no notes on stderr, only errors (default off)")
	return cmd
}

func (r *traceRedactRun) run(cmd *cobra.Command, args []string) error {
	if err := wantTrace(cmd, args); err != nil {
		return err
	}
	if err := writable(r.file, args); err != nil {
		return usage(cmd, "%s", err)
	}
	c, err := r.censor()
	if err != nil {
		return usage(cmd, "%s", err)
	}
	err, interrupted := interruptible(cmd.Context(), func() error { return r.copy(cmd.Context(), args[0], c) })
	if interrupted != nil {
		return interrupted
	}
	return err
}

// A censor takes secrets out of texts.
type censor struct {
	given    *strings.Replacer
	patterns []*regexp.Regexp
	labels   *trace.Labels
}

func (r *traceRedactRun) censor() (*censor, error) {
	c := &censor{labels: trace.NewLabels("secret-")}
	var given []string
	for _, name := range r.values {
		// A name that is none may be the secret itself: it is not quoted.
		value, ok := r.lookupEnv(name)
		switch {
		case !ok:
			return nil, errors.New("--value-of wants the name of a variable, and no variable of that name is set here")
		case wire.Spellings(value) == nil:
			return nil, fmt.Errorf("--value-of %s: the value is shorter than %d bytes and would be found in every other word", name, shortestSecret)
		}
		given = append(given, name+"="+value)
	}
	c.given = wire.Redactor(given)
	for _, p := range r.patterns {
		re, err := regexp.Compile(p)
		switch {
		case err != nil:
			return nil, fmt.Errorf("--pattern: %w", err)
		case re.MatchString(""):
			return nil, fmt.Errorf("--pattern: %q matches the empty text, which stands everywhere", p)
		}
		c.patterns = append(c.patterns, re)
	}
	return c, nil
}

// take returns a text without secrets.
func (c *censor) take(text string) string {
	text = c.given.Replace(text)
	for _, re := range c.patterns {
		text = re.ReplaceAllStringFunc(text, c.label)
	}
	return c.takeFound(text)
}

func (c *censor) label(s string) string { return "[" + c.labels.Of(s) + "]" }

// rounds is how often a text is searched, which finds 20 secrets at a time.
const rounds = 50

func (c *censor) takeFound(text string) string {
	for range rounds {
		found := secret.Find(text)
		if len(found) == 0 {
			return text
		}
		var b strings.Builder
		done := 0
		for _, m := range found {
			b.WriteString(text[done:m.Start] + c.label(text[m.Start:m.End]))
			done = m.End
		}
		text = b.String() + text[done:]
		if len(found) < secret.MaxMatches {
			return text
		}
	}
	return c.label(text) // a heap of them: nothing of it is worth keeping
}

func (r *traceRedactRun) copy(ctx context.Context, name string, c *censor) error {
	in, err := r.openTrace(name)
	if err != nil {
		return err
	}
	defer in.close()
	header := in.header
	header.Redacted = true
	w, out, err := r.newTrace(r.file, header)
	if err != nil {
		return of(r.file, reason(err))
	}
	all, changed := 0, 0
	err = in.each(r.tellLine(name), func(m *trace.Message) error {
		if all++; m.Rewrite(c.take) {
			changed++
		}
		if err := w.Write(m); err != nil {
			return err
		}
		return ctx.Err()
	})
	if out != nil {
		if closed := out.Close(); err == nil {
			err = closed
		}
	}
	if err != nil {
		return fmt.Errorf("the copy is incomplete: %w", reason(err))
	}
	r.settle(in)
	r.note("secrets were taken out of %d of %d messages; read the copy before you give it away", changed, all)
	return nil
}
