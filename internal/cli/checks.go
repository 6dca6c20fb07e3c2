package cli

import (
	"io"

	"github.com/spf13/cobra"

	"gauntlet/internal/run/checkdoc"
)

func (a *app) newChecksCommand() *cobra.Command {
	format := "text"
	cmd := &cobra.Command{
		Use:   "checks",
		Short: "List all checks",
		Args:  noArguments,
		RunE: func(*cobra.Command, []string) error {
			return a.writeTo("-", func(w io.Writer) error { return checkdoc.WriteList(w, checkdoc.Rules(), format) })
		},
	}
	textFormat(cmd, &format, "text", "json", "markdown")
	return cmd
}
