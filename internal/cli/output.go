package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"gauntlet/internal/run/runstate"
	"gauntlet/internal/run/userfile"
	"gauntlet/report"
	"gauntlet/result"
)

// outputFlags say which reports go where.
type outputFlags struct {
	format  report.Format
	file    string
	more    []string
	live    *string // the file of --progress, which ends as a JSON report; nil where a command has none
	verbose bool
}

func (o *outputFlags) addOutputFlags(cmd *cobra.Command, a *app) {
	o.format = report.Formats()[0]
	format := &value[report.Format]{&o.format, "FORMAT", report.Lookup, func(f report.Format) string { return f.Name }}
	cmd.Flags().Var(format, "format", "how to write the result: "+strings.Join(report.Names(), ", "))
	outputFlag(cmd, &o.file, "the report")
	cmd.Flags().StringArrayVar(&o.more, "report", nil, "write a further report, `FORMAT=FILE`; repeatable (default none)")
	cmd.Flags().BoolVarP(&o.verbose, "verbose", "v", false, "say more: in the pretty format, the evidence of every finding, posture, skipped checks (default off)")
	cmd.Flags().BoolVarP(&a.quiet, "quiet", "q", false, quietMeaning)
	completeWith(cmd, "format", report.Names())
	completeReports(cmd)
}

// addProgressFlag is for commands that take their time.
func (o *outputFlags) addProgressFlag(cmd *cobra.Command, a *app) {
	a.progressFlag(cmd)
	o.live = &a.progressFile
}

func outputFlag(cmd *cobra.Command, to *string, what string) {
	cmd.Flags().StringVarP(to, "output", "o", "-", "write the result here: "+what+" to this `FILE`, - for standard output")
}

// An output is one report to write.
type output struct {
	format report.Format
	file   string // "-" for stdout
}

// checkOutputs checks everything about the outputs that can be known before the work is done.
func (o *outputFlags) checkOutputs(inputs []string) ([]output, error) {
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
	if o.live != nil && *o.live != "" {
		f, err := report.Lookup("json")
		if err != nil {
			return nil, err
		}
		outs = append(outs, output{f, *o.live})
	}
	for i := range outs {
		for _, earlier := range outs[:i] {
			if userfile.Same(earlier.file, outs[i].file) {
				return nil, fmt.Errorf("two reports would go to %s", shownName(outs[i].file))
			}
		}
		if err := userfile.CheckWritable(outs[i].file, inputs); err != nil {
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

// writeReports writes all reports and says which could not be; it reports whether all could.
func (a *app) writeReports(outs []output, r *result.Report, looks report.Options) bool {
	runstate.KeepFindings(r, a.getenv)
	all := true
	for _, o := range outs {
		opt := looks
		if o.file != "-" {
			opt = looks
			opt.Color, opt.Width, opt.Height = false, 0, 0
		}
		if o.file == a.progressFile {
			a.record.Close()
		}
		write := a.writeTo
		if o.format.Name == "pretty" {
			write = a.writeShown
		}
		if err := write(o.file, func(w io.Writer) error { return o.format.Write(w, r, opt) }); err != nil {
			a.say("%s", err)
			all = false
		}
	}
	return all
}

// writeTo writes to a file or, for "-", to stdout. Its errors say where.
func (a *app) writeTo(file string, write func(io.Writer) error) error {
	return userfile.Write(file, a.host.Stdout, write)
}

// writeShown is writeTo for text that people read, which quotes strangers and may go into the log
// of a CI system. No line is longer than a terminal.
func (a *app) writeShown(file string, write func(io.Writer) error) error {
	columns := 0
	if file == "-" {
		columns = a.terminalOptions(false).Width
	}
	return a.writeTo(file, func(w io.Writer) error {
		return report.WriteFolded(w, columns, func(w io.Writer) error { return write(report.LogWriter(w)) })
	})
}

// writeText writes a text to a file or, for "-", to stdout.
func (a *app) writeText(file, text string) error {
	return a.writeTo(file, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
}
