package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"gauntlet/catalog"
	"gauntlet/diff"
	"gauntlet/finding"
	"gauntlet/internal/run/interrupt"
	"gauntlet/internal/run/target"
	"gauntlet/internal/run/userfile"
	"gauntlet/report"
	"gauntlet/result"
)

type diffCommand struct {
	*app
	limits catalog.Limits
	format report.DiffFormat
	file   string
}

func (a *app) newDiffCommand() *cobra.Command {
	d := &diffCommand{app: a, format: report.DiffFormats()[0]}
	cmd := newCommand("diff [flags] OLD NEW", "Show what changed between two snapshots or lockfiles", d.diffFiles)
	diffFormatFlag(cmd, &d.format)
	outputFlag(cmd, &d.file, "it")
	addLimitFlags(cmd, &d.limits)
	return cmd
}

func diffFormatFlag(cmd *cobra.Command, to *report.DiffFormat) {
	format := &value[report.DiffFormat]{to, "FORMAT", report.DiffFormats().Lookup, func(f report.DiffFormat) string { return f.Name }}
	cmd.Flags().Var(format, "format", "how to write the result: "+strings.Join(report.DiffFormats().Names(), ", "))
	completeWith(cmd, "format", report.DiffFormats().Names())
}

func (d *diffCommand) diffFiles(cmd *cobra.Command, args []string) error {
	if err := refuse(cmd, []conflict{
		{len(args) != 2, fmt.Sprintf("want two files, OLD and NEW, each a snapshot or a lockfile; got %d", len(args))},
		stdinTwice(args),
		{slices.ContainsFunc(args, target.IsURL), "diff compares files: write what a live server says with gauntlet capture"},
		failed(userfile.CheckWritable(d.file, args)),
	}); err != nil {
		return err
	}
	var states [2]*catalog.Catalog
	for i, name := range args {
		state, err := d.readState(cmd.Context(), name, d.limits)
		if err != nil {
			return errors.Join(err, d.writeUnread(err))
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

// writeUnread writes, for programs, that nothing was compared.
func (d *diffCommand) writeUnread(err error) error {
	if d.format.Name == report.DiffFormats()[0].Name {
		return nil
	}
	unread := catalog.Catalog{Problems: []finding.Problem{{Kind: finding.Unread, Message: err.Error(), Input: -1}}}
	return d.writeFormat(d.format.Name, d.file, func(w io.Writer) error {
		return d.format.Write(w, diff.Catalogs(&catalog.Catalog{}, &unread), d.terminalOptions(false))
	})
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
