package cli

import (
	"io"

	"github.com/spf13/cobra"

	"gauntlet/internal/run/attackdoc"
)

func (a *app) newAttackListCommand() *cobra.Command {
	format := "text"
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the attacks that are built in",
		Long: `list names the attack documents that gauntlet brings along. Wherever a command takes an
attack document it takes one of these names too; a file of the name comes first.`,
		Example: `  gauntlet attack list
  gauntlet attack list --format json
  gauntlet attack list --format markdown > attacks.md`,
		Args: noArguments,
		RunE: func(*cobra.Command, []string) error {
			all, err := attackdoc.BuiltIn()
			if err != nil {
				return err
			}
			return a.writeTo("-", func(w io.Writer) error { return attackdoc.WriteList(w, all, format) })
		},
	}
	textFormat(cmd, &format, "text", "json", "markdown")
	return cmd
}
