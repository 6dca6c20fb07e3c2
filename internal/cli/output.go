package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"gauntlet/report"
	"gauntlet/result"
)

// outputFlags say which reports go where.
type outputFlags struct {
	format  report.Format
	file    string
	more    []string
	verbose bool
}

func (o *outputFlags) flags(cmd *cobra.Command, a *app) {
	o.format = report.Formats()[0]
	format := &value[report.Format]{&o.format, "FORMAT", report.Lookup, func(f report.Format) string { return f.Name }}
	cmd.Flags().Var(format, "format", "how to write the report: "+strings.Join(report.Names(), ", "))
	outputFlag(cmd, &o.file, "the report")
	cmd.Flags().StringArrayVar(&o.more, "report", nil, "write a further report, `FORMAT=FILE`; repeatable (default none)")
	cmd.Flags().BoolVarP(&o.verbose, "verbose", "v", false, "show every finding in the pretty format, however often a check fires in one definition (default off)")
	cmd.Flags().BoolVarP(&a.quiet, "quiet", "q", false, "nothing on stderr that the report says too, no progress and no notes (default off)")
	completeWith(cmd, "format", report.Names())
	completeReports(cmd)
}

func outputFlag(cmd *cobra.Command, to *string, what string) {
	cmd.Flags().StringVarP(to, "output", "o", "-", "write "+what+" to this `FILE`, - for standard output")
}

// An output is one report to write.
type output struct {
	format report.Format
	file   string // "-" for stdout
}

// open checks everything about the outputs that can be known before the work is done.
func (o *outputFlags) open(inputs []string) ([]output, error) {
	outs := []output{{o.format, o.file}}
	for _, text := range o.more {
		name, file, ok := strings.Cut(text, "=")
		if !ok || file == "" {
			return nil, fmt.Errorf("--report: %q is not of the form FORMAT=FILE", text)
		}
		f, err := report.Lookup(name)
		if err != nil {
			return nil, fmt.Errorf("--report: %w", err)
		}
		outs = append(outs, output{f, file})
	}
	for i := range outs {
		for _, earlier := range outs[:i] {
			if sameFile(earlier.file, outs[i].file) {
				return nil, fmt.Errorf("two reports would go to %s", shownName(outs[i].file))
			}
		}
		if err := writable(outs[i].file, inputs); err != nil {
			return nil, err
		}
	}
	return outs, nil
}

func shownName(file string) string {
	if file == "-" {
		return "standard output: name a file with --output or --report"
	}
	return file
}

// writable refuses a file that can only fail in the end, when the work is done.
func writable(file string, inputs []string) error {
	if file == "-" {
		return nil
	}
	if info, err := os.Stat(file); err == nil && info.IsDir() {
		return fmt.Errorf("%s: it is a directory, want a file", file)
	}
	if _, err := os.Stat(filepath.Dir(file)); err != nil {
		return fmt.Errorf("%s: %w", filepath.Dir(file), reason(err))
	}
	for _, in := range inputs {
		if in != "-" && sameFile(in, file) {
			return fmt.Errorf("%s would be read and overwritten", file)
		}
	}
	return nil
}

// sameFile reports whether two names stand for one file, whether or not it exists.
func sameFile(a, b string) bool {
	if a == "-" || b == "-" {
		return a == b
	}
	infoA, errA := os.Stat(a)
	infoB, errB := os.Stat(b)
	if errA == nil && errB == nil {
		return infoA.Mode().IsRegular() && os.SameFile(infoA, infoB)
	}
	absA, errA := filepath.Abs(a)
	absB, errB := filepath.Abs(b)
	return errors.Join(errA, errB) == nil && absA == absB
}

// write writes all reports and says which could not be; it reports whether all could.
func (a *app) write(outs []output, r *result.Report, looks report.Options) bool {
	all := true
	for _, o := range outs {
		opt := looks
		if o.file != "-" {
			opt = report.Options{Verbose: looks.Verbose}
		}
		if err := a.writeTo(o.file, func(w io.Writer) error { return o.format.Write(w, r, opt) }); err != nil {
			a.say("%s", err)
			all = false
		}
	}
	return all
}

// writeTo writes to a file or, for "-", to stdout. Its errors say where.
func (a *app) writeTo(file string, write func(io.Writer) error) error {
	if file == "-" {
		if err := write(a.host.Stdout); err != nil {
			return fmt.Errorf("standard output: %w", reason(err))
		}
		return nil
	}
	if err := replaceFile(file, write); err != nil {
		return fmt.Errorf("%s: %w", file, reason(err))
	}
	return nil
}
