package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"gauntlet/check"
)

// choice is which checks to run, by id or name.
type choice struct{ only, skip []string }

func (ch *choice) flags(cmd *cobra.Command) {
	cmd.Flags().StringSliceVar(&ch.only, "only", nil, "run only these `CHECKS`, by id or name, separated by commas; repeatable (default all)")
	cmd.Flags().StringSliceVar(&ch.skip, "skip", nil, "leave out these `CHECKS`; repeatable (default none)")
	completeChecks(cmd, "only")
	completeChecks(cmd, "skip")
}

// from returns the chosen checks in the order of all.
func (ch *choice) from(all []*check.Check) ([]*check.Check, error) {
	only, err := lookup(all, ch.only)
	if err != nil {
		return nil, fmt.Errorf("--only: %w", err)
	}
	skip, err := lookup(all, ch.skip)
	if err != nil {
		return nil, fmt.Errorf("--skip: %w", err)
	}
	out := slices.DeleteFunc(slices.Clone(all), func(k *check.Check) bool {
		return len(only) > 0 && !slices.Contains(only, k) || slices.Contains(skip, k)
	})
	if len(out) == 0 {
		return nil, fmt.Errorf("--only and --skip leave no check to run")
	}
	return out, nil
}

// lookup finds checks by id or name; letter case does not matter.
func lookup(all []*check.Check, wanted []string) ([]*check.Check, error) {
	var out []*check.Check
	for _, w := range wanted {
		w = strings.TrimSpace(w)
		i := slices.IndexFunc(all, func(k *check.Check) bool {
			return strings.EqualFold(w, string(k.ID)) || strings.EqualFold(w, k.Name)
		})
		if i < 0 {
			return nil, unknownCheck(all, w)
		}
		out = append(out, all[i])
	}
	return out, nil
}

func unknownCheck(all []*check.Check, typed string) error {
	var ids, names []string
	for _, k := range all {
		ids = append(ids, string(k.ID))
		names = append(names, k.Name)
	}
	// Every id is near every other: the nearest few say nothing when the number is wrong.
	hint := didYouMean(near(typed, names), "")
	if hint == "" {
		hint = ": want one of " + strings.Join(ids, ", ")
	}
	return fmt.Errorf("unknown check %q%s (gauntlet checks lists them)", typed, hint)
}
