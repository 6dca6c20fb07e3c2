// Command release-docs writes what a release holds beside each binary, in a directory a program: manual
// pages, and completions for four shells.
//
//	go run ./cmd/release-docs DIR
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"gauntlet/internal/cli"
	"gauntlet/internal/cli/fleetcli"
)

const help = `Usage: release-docs DIR

release-docs writes the manual pages and shell completions of gauntlet and gauntlet-fleet below DIR,
which it creates: DIR/PROGRAM/man and DIR/PROGRAM/completions. Files of the same name are replaced.
`

func main() {
	dir, ok := directory(os.Args[1:])
	switch {
	case !ok:
		fmt.Fprint(os.Stderr, help)
		os.Exit(2)
	case dir == "":
		fmt.Print(help)
		return
	}
	for _, program := range []*cobra.Command{cli.Command(), fleetcli.Command()} {
		if err := writeAll(filepath.Join(dir, program.Name()), program); err != nil {
			fmt.Fprintln(os.Stderr, "release-docs:", err)
			os.Exit(2)
		}
	}
}

// directory returns the directory that the arguments name, "" where they ask for help; it reports whether
// they are either. What looks like a flag is taken for no directory.
func directory(args []string) (dir string, ok bool) {
	if len(args) != 1 || args[0] == "" {
		return "", false
	}
	if slices.Contains([]string{"-h", "-help", "--help"}, args[0]) {
		return "", true
	}
	return args[0], args[0][0] != '-'
}

// writeAll fills dir/man and dir/completions for one program.
func writeAll(dir string, root *cobra.Command) error {
	man, completions := filepath.Join(dir, "man"), filepath.Join(dir, "completions")
	for _, d := range []string{man, completions} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			return err
		}
	}
	root.DisableAutoGenTag = true
	// A fixed date: the same sources give the same archive.
	header := &doc.GenManHeader{Section: "1", Source: root.Name(), Manual: root.Name(), Date: &time.Time{}}
	if err := doc.GenManTree(root, header, man); err != nil {
		return err
	}
	for name, write := range map[string]func(string) error{
		root.Name() + ".bash": func(file string) error { return root.GenBashCompletionFileV2(file, true) },
		"_" + root.Name():     root.GenZshCompletionFile,
		root.Name() + ".fish": func(file string) error { return root.GenFishCompletionFile(file, true) },
		root.Name() + ".ps1":  root.GenPowerShellCompletionFileWithDesc,
	} {
		if err := write(filepath.Join(completions, name)); err != nil {
			return err
		}
	}
	return nil
}
