package cli

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"gauntlet/internal/leaf/yamltext"
	"gauntlet/internal/run/proberun"
	"gauntlet/internal/run/userfile"
	"gauntlet/rawjson"
)

// fine are flags that few command lines need, the rarest first: limits, what asking a model may cost, and what a test bench sets once.
// Help names those that are too many to be described; they are meant for a settings file.
var fine = strings.Fields(`verbatim-cards push-anywhere force-elicitation negotiate address-file progress agent-idle allow-origin allow-host max-depth max-items max-pages
	max-message model-parallel model-timeout model-prices model-cache offline total-timeout grace turns agent-timeout parallel max-bytes max-calls max-tokens max-cost model-url`)

// mostFlags is how many flags the help of a command describes.
const mostFlags = 35

// mostSettings is the longest settings file, in bytes.
const mostSettings = 1 << 20

// addSettings adds --settings, whose file gives commands flags: what the command line says itself stays. No such file is looked for.
func (a *app) addSettings(root *cobra.Command) {
	file := ""
	root.PersistentFlags().StringVar(&file, "settings", "", "take further flags from this YAML `FILE`, by command: {scan: {max-bytes: 64MiB}} (default none)")
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error {
		if file == "" {
			return nil
		}
		text, err := a.readText(file, mostSettings)
		if err == nil {
			err = applySettings(cmd, text)
		}
		if err != nil {
			return usage(cmd, "--settings %s: %s", file, userfile.Reason(err))
		}
		return nil
	}
}

// applySettings sets the flags that a settings file has for a command. All of the file must be right, so that a typing error in it
// does not leave a limit out.
func applySettings(cmd *cobra.Command, text string) error {
	var tree rawjson.Tree
	root, err := yamltext.Object(&tree, text, "a settings file", "the flags of commands, as {scan: {max-bytes: 64MiB}}", mostSettings)
	if err != nil {
		return err
	}
	for m := range root.Members() {
		name := m.Key.Text()
		of, rest, err := cmd.Root().Find(strings.Fields(name))
		if err != nil || len(rest) > 0 || of == cmd.Root() || m.Value.Kind() != rawjson.Object {
			return fmt.Errorf("want the flags of a command: %s is none, or has none", name)
		}
		for flag := range m.Value.Members() {
			if err := applySetting(cmd, of, flag.Key.Text(), flag.Value); err != nil {
				return fmt.Errorf("%s: %s: %w", name, flag.Key.Text(), err)
			}
		}
	}
	return nil
}

// applySetting sets a flag of a command, if it is the one that runs and its command line does not set it.
func applySetting(runs, of *cobra.Command, name string, v rawjson.Value) error {
	flag := of.Flags().Lookup(name)
	if flag == nil || slices.Contains([]string{"help", "settings", "version"}, name) {
		return errors.New("the command has no such flag")
	}
	if of != runs || flag.Changed {
		return nil
	}
	if v.Kind() != rawjson.Array {
		return setFlag(of, name, v)
	}
	for _, one := range v.Elements() {
		if err := setFlag(of, name, one); err != nil {
			return err
		}
	}
	return nil
}

func setFlag(of *cobra.Command, name string, v rawjson.Value) error {
	switch v.Kind() {
	case rawjson.String:
		return of.Flags().Set(name, v.Text())
	case rawjson.Array, rawjson.Object, rawjson.Null:
		return errors.New("want a text, a number, true or false, or a list of these")
	}
	return of.Flags().Set(name, v.Raw())
}

// value is a flag of any type. Its parser's error is the whole message.
type value[T any] struct {
	to    *T
	kind  string // type name in help
	parse func(string) (T, error)
	show  func(T) string
}

func (v *value[T]) Set(s string) (err error) {
	t, err := v.parse(s)
	if err == nil {
		*v.to = t
	}
	return err
}

func (v *value[T]) String() string { return v.show(*v.to) }
func (v *value[T]) Type() string   { return v.kind }

// nameFlag is one of at least two names.
func nameFlag[T ~string](to *T, kind string, names []string) pflag.Value {
	last := len(names) - 1
	return &value[T]{to, kind, func(s string) (T, error) {
		if !slices.Contains(names, s) {
			return "", fmt.Errorf("%q is unknown: want %s or %s", s, strings.Join(names[:last], ", "), names[last])
		}
		return T(s), nil
	}, func(t T) string { return string(t) }}
}

// countFlag is an integer flag from 1 to most.
func countFlag(to *int, start, most int) pflag.Value {
	*to = start
	return &value[int]{to, "N", func(s string) (int, error) {
		n, err := strconv.Atoi(s)
		switch {
		case errors.Is(err, strconv.ErrRange) || err == nil && (n < 1 || n > most):
			if most == math.MaxInt {
				return 0, fmt.Errorf("%s is out of range: want at least 1", s)
			}
			return 0, fmt.Errorf("%s is out of range: want 1 to %d", s, most)
		case err != nil:
			return 0, fmt.Errorf("%q is not a whole number", s)
		}
		return n, nil
	}, strconv.Itoa}
}

// runTimeoutFlag adds --run-timeout, which bounds a whole run; --timeout bounds one answer and remains here as a hidden alias for
// older command lines.
func runTimeoutFlag(cmd *cobra.Command, to *time.Duration, start time.Duration, of string) {
	f := cmd.Flags()
	f.Var(durationFlag(to, start), "run-timeout", "longest run: "+of)
	f.Var(durationFlag(to, start), "timeout", "longest run: "+of)
	_ = f.MarkHidden("timeout") // fails only for a missing flag
	cmd.MarkFlagsMutuallyExclusive("run-timeout", "timeout")
}

// addBudgetFlag adds --budget, and --calls as a hidden alias for older command lines.
func addBudgetFlag(f *pflag.FlagSet, to *proberun.Budget) {
	budget := &value[proberun.Budget]{to, "CALLS", func(s string) (proberun.Budget, error) { return to.Parse(s) }, proberun.Budget.String}
	f.Var(budget, "budget", "most calls that a probe makes, or as a DURATION their longest time")
	f.Var(budget, "calls", "see --budget")
	_ = f.MarkHidden("calls") // fails only for a missing flag
}

func durationFlag(to *time.Duration, start time.Duration) pflag.Value {
	*to = start
	return &value[time.Duration]{to, "DURATION", func(s string) (time.Duration, error) {
		d, err := time.ParseDuration(s)
		if err != nil || d <= 0 {
			return 0, fmt.Errorf("%q is not a duration above zero: want one such as 30s, 2m or 500ms", s)
		}
		return d, nil
	}, time.Duration.String}
}

func named(files ...string) []string {
	return slices.DeleteFunc(files, func(f string) bool { return f == "" })
}

// units are size suffixes, longer ones before their own endings.
var units = []struct {
	suffix string
	bytes  int
}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}, {"GB", 1e9}, {"MB", 1e6}, {"KB", 1e3}, {"B", 1}, {"", 1}}

func sizeFlag(to *int, start int) pflag.Value {
	*to = start
	return &value[int]{to, "SIZE", parseSize, showSize}
}

func parseSize(s string) (int, error) {
	for _, u := range units {
		digits, ok := strings.CutSuffix(strings.ToLower(s), strings.ToLower(u.suffix))
		if !ok {
			continue
		}
		n, err := strconv.Atoi(strings.TrimSpace(digits))
		if err != nil || n < 1 || n > math.MaxInt/u.bytes {
			break
		}
		return n * u.bytes, nil
	}
	return 0, fmt.Errorf("%q is not a size above zero: want bytes, or a unit behind the number as in 64MiB or 2GB", s)
}

func showSize(n int) string {
	for _, u := range units {
		if n%u.bytes == 0 && u.bytes > 1 {
			return strconv.Itoa(n/u.bytes) + u.suffix
		}
	}
	return strconv.Itoa(n) + " bytes"
}

// Meanings of flags shared by commands: one name, one meaning.
const (
	quietMeaning  = "no progress and no notes on stderr, only errors (default off)"
	envMeaning    = "set `NAME=VALUE` for the server that is started, or pass on our own NAME; repeatable (default none)"
	originMeaning = "further `ORIGIN` to accept: an Origin header that a request may carry, as https://app.example; repeatable (default none)"
)
