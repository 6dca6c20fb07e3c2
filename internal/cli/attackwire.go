package cli

import (
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"gauntlet/internal/leaf/faults"
	"gauntlet/internal/run/attackdoc"
)

func (a *app) newAttackWireCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "wire [NAME...]",
		Short: "List what documents can do to messages on their way",
		Long: `wire lists the hostilities that a document can do below the level of messages, by
x-gauntlet-wire on a phase of a server, with their parameters: the default of each, and
what is allowed. The largest number is its ceiling. Whatever is under way ends with the
client and with --timeout.`,
		Example: `  gauntlet attack wire
  gauntlet attack wire drip flood`,
		ValidArgs: faults.Names(),
		RunE: func(cmd *cobra.Command, names []string) error {
			for _, n := range names {
				if !slices.Contains(faults.Names(), n) {
					return usage(cmd, "%q: want one of %s", n, strings.Join(faults.Names(), ", "))
				}
			}
			return a.writeTo("-", func(w io.Writer) error { return attackdoc.WriteFaults(w, names) })
		},
	}
}
