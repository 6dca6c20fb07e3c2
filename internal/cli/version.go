package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"gauntlet/internal/run/buildinfo"

	"github.com/spf13/cobra"
)

// version is the version in reports and for servers.
func version() string { return buildinfo.Read().Version }

func (a *app) newVersionCommand() *cobra.Command {
	format := "text"
	cmd := &cobra.Command{
		Use:    "version",
		Short:  "Print the version",
		Hidden: true, // --version, with more for bug reports
		Args:   noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.writeTo("-", func(w io.Writer) error { return buildinfo.Write(w, format) })
		},
	}
	textFormat(cmd, &format, "text", "json")
	return cmd
}

// textFormat adds a flag --format whose default is the first name.
func textFormat(cmd *cobra.Command, to *string, names ...string) {
	parse := func(s string) (string, error) {
		if !slices.Contains(names, s) {
			return "", fmt.Errorf("unknown format %q: want one of %s", s, strings.Join(names, ", "))
		}
		return s, nil
	}
	*to = names[0]
	cmd.Flags().Var(&value[string]{to, "FORMAT", parse, strings.Clone}, "format", "how to write the result: "+strings.Join(names, ", "))
	completeWith(cmd, "format", names)
}
