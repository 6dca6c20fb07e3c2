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

	"gauntlet/internal/run/proberun"
)

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

// durationFlag is a positive duration.
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

// named returns the names of files that were given.
func named(files ...string) []string {
	return slices.DeleteFunc(files, func(f string) bool { return f == "" })
}

// units are size suffixes, longer ones before their own endings.
var units = []struct {
	suffix string
	bytes  int
}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}, {"GB", 1e9}, {"MB", 1e6}, {"KB", 1e3}, {"B", 1}, {"", 1}}

// sizeFlag is a positive number of bytes.
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
