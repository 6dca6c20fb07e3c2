package cli

import (
	"slices"

	"github.com/spf13/cobra"

	"gauntlet/oatf"
)

func (a *app) newAttackCommand() *cobra.Command {
	return group("attack", "Work with attack documents (OATF)", a.newAttackRunCommand(), a.newAttackBridgeCommand(), a.newAttackListCommand(), a.newAttackWireCommand(), a.newAttackValidateCommand(), a.newAttackFmtCommand(), a.newAttackShowCommand(), a.newAttackSchemaCommand(), a.newAttackJudgeCommand(), a.newAttackFromScanCommand(), a.newAttackReplayCommand(), a.newAttackAuthCommand())
}

func (a *app) newAttackSchemaCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of attack documents",
		Args:  noArguments,
		RunE:  func(*cobra.Command, []string) error { return a.writeText("-", oatf.Schema()) },
	}
}

type attackLimits struct{ oatf.Limits }

func (l *attackLimits) addDocumentLimitFlags(cmd *cobra.Command) {
	l.Limits = oatf.DefaultLimits()
	cmd.Flags().Var(sizeFlag(&l.Bytes, l.Bytes), "max-bytes", "longest input read: a document")
}

// wantDocuments rejects a command line without documents, or with standard input named twice, others included.
func wantDocuments(cmd *cobra.Command, args []string, others ...string) error {
	if len(args) == 0 {
		return usage(cmd, "no document: name a file, a directory or a built-in attack; gauntlet attack list shows those")
	}
	return stdinOnce(cmd, slices.Concat(args, others))
}
