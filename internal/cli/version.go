package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// build says what this program was built from.
type build struct {
	Version  string `json:"version"`            // "devel" for a build outside a release
	Go       string `json:"go"`                 // of the compiler
	Platform string `json:"platform"`           // as in linux/amd64
	Commit   string `json:"commit,omitempty"`   // "" where the build did not know it
	Modified bool   `json:"modified,omitempty"` // the sources differed from the commit
}

func readBuild() build {
	b := build{Version: "devel", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		b.Version = v
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
	return b
}

// version is what reports and servers are told.
func version() string { return readBuild().Version }

func (a *app) newVersionCommand() *cobra.Command {
	format := "text"
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.writeTo("-", func(w io.Writer) error { return readBuild().writeVersion(w, format) })
		},
	}
	textFormat(cmd, &format, "text", "json")
	return cmd
}

func (b build) writeVersion(w io.Writer, format string) error {
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
