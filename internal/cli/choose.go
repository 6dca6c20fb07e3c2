package cli

import (
	"github.com/spf13/cobra"
)

type choice struct{ only, skip []string }

func (ch *choice) addChoiceFlags(cmd *cobra.Command) {
	cmd.Flags().StringSliceVar(&ch.only, "only", nil, "only these: `CHECKS` to run, by id or name, separated by commas; repeatable (default all)")
	cmd.Flags().StringSliceVar(&ch.skip, "skip", nil, "leave out these `CHECKS`; repeatable (default none)")
	completeChecks(cmd, "only")
	completeChecks(cmd, "skip")
}
