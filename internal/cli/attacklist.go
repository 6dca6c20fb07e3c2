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
		Args:  noArguments,
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
