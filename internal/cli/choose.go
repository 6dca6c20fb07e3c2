package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"gauntlet/check"
	"gauntlet/check/config"
	"gauntlet/finding"
	"gauntlet/internal/near"
	"gauntlet/result"
	"gauntlet/scan"
)

// choice is which checks to run, by id or name.
type choice struct{ only, skip []string }

func (ch *choice) flags(cmd *cobra.Command) {
	cmd.Flags().StringSliceVar(&ch.only, "only", nil, "run only these `CHECKS`, by id or name, separated by commas; repeatable (default all)")
	cmd.Flags().StringSliceVar(&ch.skip, "skip", nil, "leave out these `CHECKS`; repeatable (default none)")
	completeChecks(cmd, "only")
	completeChecks(cmd, "skip")
}

// from returns the chosen checks of servers and of configurations, each in their order.
func (ch *choice) from() ([]*check.Check, []*config.Check, error) {
	all := allRules()
	only, err := lookup(all, ch.only)
	if err != nil {
		return nil, nil, fmt.Errorf("--only: %w", err)
	}
	skip, err := lookup(all, ch.skip)
	if err != nil {
		return nil, nil, fmt.Errorf("--skip: %w", err)
	}
	out := func(id finding.Rule) bool {
		is := func(r result.Rule) bool { return r.ID == id }
		return len(only) > 0 && !slices.ContainsFunc(only, is) || slices.ContainsFunc(skip, is)
	}
	servers := slices.DeleteFunc(scan.Checks(), func(k *check.Check) bool { return out(k.ID) })
	configs := slices.DeleteFunc(config.Checks(), func(k *config.Check) bool { return out(k.ID) })
	if len(servers)+len(configs) == 0 {
		return nil, nil, fmt.Errorf("--only and --skip leave no check to run")
	}
	return servers, configs, nil
}

// lookup finds rules by id or name; letter case does not matter.
func lookup(all []result.Rule, wanted []string) ([]result.Rule, error) {
	var out []result.Rule
	for _, w := range wanted {
		w = strings.TrimSpace(w)
		i := slices.IndexFunc(all, func(r result.Rule) bool {
			return strings.EqualFold(w, string(r.ID)) || strings.EqualFold(w, r.Name)
		})
		if i < 0 {
			return nil, unknownCheck(all, w)
		}
		out = append(out, all[i])
	}
	return out, nil
}

func unknownCheck(all []result.Rule, typed string) error {
	var ids, names []string
	for _, r := range all {
		ids = append(ids, string(r.ID))
		names = append(names, r.Name)
	}
	// Every id is near every other: the nearest few say nothing when the number is wrong.
	hint := near.Question(near.Names(typed, names), "")
	if hint == "" {
		hint = ": want one of " + strings.Join(ids, ", ")
	}
	return fmt.Errorf("unknown check %q%s (gauntlet checks lists them)", typed, hint)
}
