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
		Use:       "wire [NAME...]",
		Short:     "List the faults that documents can cause below the message level",
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
