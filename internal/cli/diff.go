package cli

import (
	"context"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"gauntlet/catalog"
	"gauntlet/diff"
	"gauntlet/internal/run/interrupt"
	"gauntlet/internal/run/target"
	"gauntlet/internal/run/userfile"
	"gauntlet/report"
	"gauntlet/result"
)

type diffCommand struct {
	*app
	limits limitFlags
	format report.DiffFormat
	file   string
}

func (a *app) newDiffCommand() *cobra.Command {
	d := &diffCommand{app: a, format: report.DiffFormats()[0]}
	cmd := &cobra.Command{
		Use:   "diff [flags] OLD NEW",
		Short: "Show what changed between two snapshots or lockfiles",
		RunE:  d.diffFiles,
	}
	diffFormatFlag(cmd, &d.format)
	outputFlag(cmd, &d.file, "it")
	d.limits.addLimitFlags(cmd)
	return cmd
}

func diffFormatFlag(cmd *cobra.Command, to *report.DiffFormat) {
	format := &value[report.DiffFormat]{to, "FORMAT", report.DiffFormats().Lookup, func(f report.DiffFormat) string { return f.Name }}
	cmd.Flags().Var(format, "format", "how to write the result: "+strings.Join(report.DiffFormats().Names(), ", "))
	completeWith(cmd, "format", report.DiffFormats().Names())
}

func (d *diffCommand) diffFiles(cmd *cobra.Command, args []string) error {
	switch {
	case len(args) != 2:
		return usage(cmd, "want two files, OLD and NEW, each a snapshot or a lockfile; got %d", len(args))
	case args[0] == "-" && args[1] == "-":
		return usage(cmd, "- is named 2 times: standard input can be read once")
	case target.IsURL(args[0]) || target.IsURL(args[1]):
		return usage(cmd, "diff compares files: write what a live server says with gauntlet capture")
	}
	if err := userfile.CheckWritable(d.file, args); err != nil {
		return usage(cmd, "%s", err)
	}
	var states [2]*catalog.Catalog
	for i, name := range args {
		state, err := d.readState(cmd.Context(), name, d.limits.Limits)
		if err != nil {
			return err
		}
		states[i] = state
	}
	changed, err := interrupt.Do(cmd.Context(), func() *diff.Diff { return diff.Catalogs(states[0], states[1]) })
	if err != nil {
		return err
	}
	if err := d.writeFormat(d.format.Name, d.file, func(w io.Writer) error { return d.format.Write(w, changed, d.terminalOptions(false)) }); err != nil {
		return err
	}
	switch {
	case changed.Changed():
		d.code = result.ExitGate
	case !changed.Summary.Complete:
		d.code = result.ExitTrouble
	}
	return nil
}

// readInto reads a snapshot or lockfile into a catalog.
func (a *app) readInto(c *catalog.Catalog, name string, limits catalog.Limits) error {
	text, err := a.readFile(name, limits.Bytes)
	if err != nil {
		return err
	}
	return target.AddTo(c, name, text, limits)
}

// readState reads a snapshot or lockfile into its own catalog.
func (a *app) readState(ctx context.Context, name string, limits catalog.Limits) (*catalog.Catalog, error) {
	c := new(catalog.Catalog)
	return c, interrupt.Run(ctx, func() error { return a.readInto(c, name, limits) })
}
