package cli

import (
	"github.com/spf13/cobra"
)

type importFlags struct {
	names []string
	gate  bool
}

func (f *importFlags) addImportFlags(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&f.names, "import", nil, "tie what this `FILE` reports to the findings: SARIF 2.1.0 of any tool, or a JSON report of gauntlet; repeatable (default none)")
	cmd.Flags().BoolVar(&f.gate, "gate-imported", false, "let imported findings move the exit code, by --fail-on (default off)")
}
