package cli

import (
	"io"
	"slices"

	"github.com/spf13/cobra"

	"gauntlet/internal/run/attackdoc"
	"gauntlet/oatf"
)

func (a *app) newAttackCommand() *cobra.Command {
	return group("attack", "Work with attack documents (OATF)", a.newAttackRunCommand(), a.newAttackBridgeCommand(), a.newPrinter("list", "List the attacks that are built in", writeAttacks, "text", "json", "markdown"), a.newAttackWireCommand(), a.newAttackValidateCommand(), a.newAttackFmtCommand(), a.newAttackShowCommand(), a.newSchemaCommand("attack documents", oatf.Schema), a.newAttackJudgeCommand(), a.newAttackFromScanCommand(), a.newAttackReplayCommand(), a.newAttackAuthCommand())
}

const noDocument = "no document: name a file, a directory or a built-in attack; gauntlet attack list shows those"

func writeAttacks(w io.Writer, format string) error {
	all, err := attackdoc.BuiltIn()
	if err != nil {
		return err
	}
	return attackdoc.WriteList(w, all, format)
}

func addDocumentLimitFlags(cmd *cobra.Command, to *oatf.Limits) {
	*to = oatf.DefaultLimits()
	cmd.Flags().Var(sizeFlag(&to.Bytes, to.Bytes), "max-bytes", "longest input read: a document")
}

// readDocuments reads the documents that the arguments name, unless there is a conflict.
func (a *app) readDocuments(cmd *cobra.Command, args []string, limits oatf.Limits, conflicts ...conflict) ([]attackdoc.Text, error) {
	if err := refuse(cmd, slices.Concat([]conflict{{len(args) == 0, noDocument}, stdinTwice(args)}, conflicts)); err != nil {
		return nil, err
	}
	return attackdoc.Read(cmd.Context(), args, a.host.Stdin, limits)
}
