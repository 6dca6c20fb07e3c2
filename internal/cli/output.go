package cli

import (
	"io"
	"strings"

	"github.com/spf13/cobra"

	"gauntlet/internal/run/reportfile"
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
	live    *string // the file of --progress, finally a JSON report; nil if a command has none
	verbose bool
}

func (o *outputFlags) addOutputFlags(cmd *cobra.Command, a *app) {
	o.format = report.Formats()[0]
	format := &value[report.Format]{&o.format, "FORMAT", report.Formats().Lookup, func(f report.Format) string { return f.Name }}
	cmd.Flags().Var(format, "format", "how to write the result: "+strings.Join(report.Formats().Names(), ", "))
	outputFlag(cmd, &o.file, "the report")
	cmd.Flags().StringArrayVar(&o.more, "report", nil, "write a further report, `FORMAT=FILE`; repeatable (default none)")
	cmd.Flags().BoolVarP(&o.verbose, "verbose", "v", false, "say more: in the pretty format, the evidence of every finding, posture, skipped checks (default off)")
	cmd.Flags().BoolVarP(&a.quiet, "quiet", "q", false, quietMeaning)
	completeWith(cmd, "format", report.Formats().Names())
	completeReports(cmd)
}

// addProgressFlag adds the flag for slow commands.
func (o *outputFlags) addProgressFlag(cmd *cobra.Command, a *app) {
	a.progressFlag(cmd)
	o.live = &a.recorder.File
}

func outputFlag(cmd *cobra.Command, to *string, what string) {
	cmd.Flags().StringVarP(to, "output", "o", "-", "write the result here: "+what+" to this `FILE`, - for standard output")
}

// checkOutputs checks everything about the outputs that can be known before the work.
func (o *outputFlags) checkOutputs(inputs []string) ([]reportfile.Output, error) {
	progress := ""
	if o.live != nil {
		progress = *o.live
	}
	return reportfile.Plan(reportfile.Output{Format: o.format, File: o.file}, o.more, progress, inputs)
}

// writeReports writes all reports and reports which failed; it returns whether all succeeded.
func (a *app) writeReports(outs []reportfile.Output, r *result.Report, looks report.Options) bool {
	runstate.KeepFindings(r, a.getenv)
	all := true
	for _, o := range outs {
		opt := looks
		if o.File != "-" {
			opt.Color, opt.Width, opt.Height = false, 0, 0
		}
		if o.File == a.recorder.File {
			a.recorder.Close()
		}
		if err := a.writeFormat(o.Format.Name, o.File, func(w io.Writer) error { return o.Format.Write(w, r, opt) }); err != nil {
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

// writeFormat uses writeShown for people's formats and writeTo for machine-readable ones.
func (a *app) writeFormat(format, file string, write func(io.Writer) error) error {
	if format == "pretty" || format == "text" {
		return a.writeShown(file, write)
	}
	return a.writeTo(file, write)
}

// writeShown is writeTo for people's text, which quotes strangers and may go into a CI log. No line is longer than a terminal's.
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
