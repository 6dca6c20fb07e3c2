package cli

import (
	"os"

	"github.com/spf13/cobra"
)

const policyFile = ".gauntlet.yaml"

type policyFlags struct {
	file string // may be ""
	none bool
}

func (p *policyFlags) addPolicyFlags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&p.file, "suppressions", "", "the `FILE` of accepted findings (default "+policyFile+", if it is there)")
	cmd.Flags().BoolVar(&p.none, "no-suppressions", false, "accept no finding, whatever "+policyFile+" says (default off)")
}

// choosePolicyFile determines the file before anything is read.
func (p *policyFlags) choosePolicyFile(cmd *cobra.Command) error {
	given := cmd.Flags().Changed("suppressions")
	switch {
	case given && p.none:
		return usage(cmd, "--suppressions and --no-suppressions exclude each other")
	case given && (p.file == "" || p.file == "-"):
		return usage(cmd, "--suppressions names no file")
	case given || p.none:
		return nil
	}
	if _, err := os.Lstat(policyFile); err == nil {
		p.file = policyFile
	}
	return nil
}
