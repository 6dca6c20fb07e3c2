package cli

import (
	"github.com/spf13/cobra"

	"gauntlet/oatf"
)

func (a *app) newAttackCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "attack",
		Short: "Work with attack documents (OATF)",
		Args:  knownCommand,
		RunE: func(c *cobra.Command, _ []string) error {
			return usage(c, "no command: want %s", commandNames(c))
		},
	}
	cmd.AddCommand(a.newAttackRunCommand(), a.newAttackBridgeCommand(), a.newAttackListCommand(), a.newAttackWireCommand(), a.newAttackValidateCommand(), a.newAttackFmtCommand(), a.newAttackShowCommand(), a.newAttackSchemaCommand(), a.newAttackJudgeCommand(), a.newAttackFromScanCommand(), a.newAttackReplayCommand(), a.newAttackAuthCommand())
	return cmd
}

func (a *app) newAttackSchemaCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of attack documents",
		Args:  noArguments,
		RunE:  func(*cobra.Command, []string) error { return a.writeText("-", oatf.Schema()) },
	}
}

// attackLimits bound what is read of one document.
type attackLimits struct{ oatf.Limits }

func (l *attackLimits) addDocumentLimitFlags(cmd *cobra.Command) {
	l.Limits = oatf.DefaultLimits()
	cmd.Flags().Var(sizeFlag(&l.Bytes, l.Bytes), "max-bytes", "longest input read: a document")
}

// wantDocuments refuses a command line without documents, or with standard input twice.
func wantDocuments(cmd *cobra.Command, args []string) error {
	stdin := 0
	for _, arg := range args {
		if arg == "-" {
			stdin++
		}
	}
	switch {
	case len(args) == 0:
		return usage(cmd, "no document: name a file, a directory or a built-in attack; gauntlet attack list shows those")
	case stdin > 1:
		return usage(cmd, "- is named %d times: standard input can be read once", stdin)
	}
	return nil
}
