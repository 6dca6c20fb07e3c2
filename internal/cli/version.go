package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"gauntlet/internal/run/buildinfo"

	"github.com/spf13/cobra"
)

// version is what reports and servers are told.
func version() string { return buildinfo.Read().Version }

func (a *app) newVersionCommand() *cobra.Command {
	format := "text"
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.writeTo("-", func(w io.Writer) error { return writeVersion(w, buildinfo.Read(), format) })
		},
	}
	textFormat(cmd, &format, "text", "json")
	return cmd
}

func writeVersion(w io.Writer, b buildinfo.Build, format string) error {
	if format == "json" {
		return writeIndented(w, b)
	}
	commit := "unknown"
	if b.Commit != "" {
		commit = b.Commit
	}
	if b.Modified {
		commit += " (modified)"
	}
	_, err := fmt.Fprintf(w, "gauntlet %s\ncommit   %s\ngo       %s %s\n", b.Version, commit, b.Go, b.Platform)
	return err
}

// textFormat adds a flag --format whose default is the first of the names.
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

func writeIndented(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}
