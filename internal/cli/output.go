package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"gauntlet/finding"
	"gauntlet/internal/leaf/probe"
	"gauntlet/internal/run/liveview"
	"gauntlet/internal/run/runstate"
	"gauntlet/internal/run/target"
	"gauntlet/internal/run/userfile"
	"gauntlet/internal/runtime/wire"
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
	gate    gateFlags // of commands that have its flags
	app     *app
}

func (o *outputFlags) addOutputFlags(cmd *cobra.Command, a *app) {
	o.app, o.format = a, report.Formats()[0]
	format := &value[report.Format]{&o.format, "FORMAT", report.Formats().Lookup, func(f report.Format) string { return f.Name }}
	cmd.Flags().Var(format, "format", "how to write the result: "+strings.Join(report.Formats().Names(), ", "))
	outputFlag(cmd, &o.file, "the report")
	cmd.Flags().StringArrayVar(&o.more, "report", nil, "write a further report, `FORMAT=FILE`; repeatable (default none)")
	cmd.Flags().BoolVarP(&o.verbose, "verbose", "v", false, "say more: in the pretty format, the evidence of every finding, posture, skipped checks (default off)")
	cmd.Flags().BoolVarP(&a.quiet, "quiet", "q", false, quietMeaning)
	completeWith(cmd, "format", report.Formats().Names())
	completeReports(cmd)
}

func (o *outputFlags) addProgressFlag(cmd *cobra.Command, a *app) {
	a.progressFlag(cmd)
	o.live = &a.recorder.File
}

func outputFlag(cmd *cobra.Command, to *string, what string) {
	cmd.Flags().StringVarP(to, "output", "o", "-", "write the result here: "+what+" to this `FILE`, - for standard output")
}

// An output is a report to write.
type output struct {
	Format report.Format
	File   string // "-" for standard output
}

// outputs are reports to different files.
type outputs []output

// checkOutputs returns the reports to write: the main one, further ones, and a JSON report that replaces the file of progress. It fails
// if two would go to one file, if one would overwrite an input, or if --report is malformed.
func (o *outputFlags) checkOutputs(inputs []string) (outputs, error) {
	outs := outputs{{o.format, o.file}}
	for _, text := range o.more {
		name, file, ok := strings.Cut(text, "=")
		if !ok || file == "" {
			return nil, fmt.Errorf("--report: %q is not of the form FORMAT=FILE", text)
		}
		f, err := report.Formats().Lookup(name)
		if err != nil {
			return nil, fmt.Errorf("--report: %w", err)
		}
		outs = append(outs, output{f, file})
	}
	if o.live != nil && *o.live != "" {
		f, err := report.Formats().Lookup("json")
		if err != nil {
			return nil, err
		}
		outs = append(outs, output{f, *o.live})
	}
	for i := range outs {
		if slices.ContainsFunc(outs[:i], func(o output) bool { return userfile.Same(o.File, outs[i].File) }) {
			return nil, fmt.Errorf("two reports would go to %s", shownName(outs[i].File))
		}
		if err := userfile.CheckWritable(outs[i].File, inputs); err != nil {
			return nil, err
		}
	}
	o.app.asked = outs
	return outs, nil
}

// writeFailure writes the reports of a command that failed before it had one: what was asked for is incomplete, and why. People read
// the reason on standard error.
func (a *app) writeFailure(err error) {
	if _, wrong := errors.AsType[*usageError](err); wrong {
		return
	}
	r := newReport()
	r.Problems = []finding.Problem{{Kind: finding.Failed, Message: err.Error(), Input: -1}}
	r.Count()
	for _, o := range a.asked {
		if o.File == a.recorder.File || o.File == "-" && o.Format.Name == report.Formats()[0].Name {
			continue
		}
		if err := a.writeFormat(o.Format.Name, o.File, func(w io.Writer) error { return o.Format.Write(w, r, report.Options{}) }); err != nil {
			a.say("%s", err)
		}
	}
}

func newReport() *result.Report {
	return &result.Report{SchemaVersion: result.SchemaVersion, Tool: result.Tool{Name: "gauntlet", Version: version()}}
}

func shownName(file string) string {
	if file == "-" {
		return "standard output: name a file with --output or --report"
	}
	return file
}

func (outs outputs) files() (files []string) {
	for _, o := range outs {
		files = append(files, o.File)
	}
	return files
}

func noMore(*report.Options) {}

func (a *app) showTraces(names ...string) func(*report.Options) {
	return func(looks *report.Options) { looks.Traces = liveview.Conversations(names, a.note) }
}

// writeReports writes all reports, says which failed, and sets the exit code. next is a command to go on with, "" for none; more adds
// what a page shows beyond a report.
func (a *app) writeReports(o *outputFlags, outs outputs, r *result.Report, next string, more func(*report.Options)) {
	looks, gate := a.terminalOptions(o.verbose), &o.gate
	looks.Gate, looks.Next = &report.Gate{FailOn: gate.failOn, AllowPartial: gate.allowPartial}, next
	// A page shows more than a report contains.
	if slices.ContainsFunc(outs, func(o output) bool { return o.Format.Name == "html" }) {
		more(&looks)
	}
	a.progress.Stop()
	a.asked = nil
	runstate.KeepFindings(r, a.getenv)
	a.code = r.ExitCode(gate.failOn, gate.allowPartial)
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
			a.code = result.ExitTrouble // whatever was found and whatever the flags: nobody can read why it failed
		}
	}
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

// isTerminal reports whether w is shown to a person.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

func (a *app) terminalOptions(verbose bool) report.Options {
	opt := report.Options{Verbose: verbose, Width: a.host.Columns, Height: a.host.Rows}
	shown := opt.Width > 0
	if f, ok := a.host.Stdout.(*os.File); ok && !shown && isTerminal(f) {
		shown = true
		if width, height, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
			opt.Width, opt.Height = width, height
		}
	}
	// https://no-color.org: present and not empty, whatever its value.
	opt.Color = shown && a.getenv("NO_COLOR") == "" && a.getenv("TERM") != "dumb"
	return opt
}

// getenv returns a variable's last value, as the system's getenv would after successive settings.
func (a *app) getenv(name string) string {
	found, _ := a.lookupEnv(name)
	return found
}

// secretIn returns the value of the variable that a flag names, "" for none. The user may have typed the secret instead of the name:
// it is never echoed.
func (a *app) secretIn(flag, variable string) (string, error) {
	value := a.getenv(variable)
	if variable != "" && value == "" {
		return "", fmt.Errorf("--%s wants the name of a variable, and no variable of that name is set here", flag)
	}
	return value, nil
}

func (a *app) lookupEnv(name string) (value string, ok bool) {
	return wire.Lookup(a.host.Environ, name)
}

// progressFlag makes a command record its progress in a file, for gauntlet view, and leave its JSON report there.
func (a *app) progressFlag(cmd *cobra.Command) {
	r := &a.recorder
	cmd.Flags().StringVar(&r.File, "progress", "", "write what the run is at to this `FILE` as it goes on, and the JSON report in its place at the end, for gauntlet view (default none)")
	cmd.Flags().BoolVar(&r.View, "view", false, "show what the run is at in a browser on this machine, at the address that it prints, until it ends (default off)")
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) error {
		_, name, _ := strings.Cut(cmd.CommandPath(), " ")
		r.Say = a.say
		return r.Prepare(name)
	}
}

// startProgress starts a progress line if a person can see it. The caller must stop it.
func (a *app) startProgress() *runstate.Progress {
	var terminal io.Writer
	if !a.quiet && isTerminal(a.host.Stderr) {
		terminal = a.host.Stderr
	}
	a.progress = runstate.StartProgress(terminal, a.recorder.Start())
	if terminal == nil {
		a.progress.Log = a.note
	}
	return a.progress
}

// mostNamed bounds the files in a suggested command.
const mostNamed = 3

// nextOfScan returns a useful next command for the report's reader, or "". It never quotes a live server's command, URL or
// variables, which may hold secrets.
func (s *scanCommand) nextOfScan(r *result.Report) string {
	worst := r.WorstRule()
	files := target.SnapshotFiles(s.scan.Targets)
	again := ""
	if len(files) == len(s.scan.Targets) && len(files) > 0 && len(files) <= mostNamed && s.inputFiles()[0] == files[0] && len(s.inputFiles()) == len(files) && s.scan.Plan == nil {
		again = quoteArguments(files)
	}
	switch {
	case worst != "" && !s.outputs.verbose && again != "":
		return "gauntlet scan -v " + again
	case worst != "":
		return "gauntlet checks " + string(worst)
	case !r.Complete() && !s.outputs.verbose && again != "":
		return "gauntlet scan -v " + again
	case r.Complete() && s.scan.BaselineFile == "" && again != "":
		return "gauntlet lock " + again
	}
	return ""
}

// nextOfSuite is the same for a suite.
func nextOfSuite(r *result.Report, file string, verbose bool) string {
	worst := r.WorstRule()
	switch {
	case !verbose && (worst != "" || r.Failed() > 0 || !r.Complete()):
		return "gauntlet test -v " + quoteArguments([]string{file})
	case worst != "":
		return "gauntlet checks " + string(worst)
	}
	return ""
}

// nextOfAttacks returns the command that shows the recording of the first successful attack.
func nextOfAttacks(r *result.Report) string {
	for i := range r.Attacks {
		if a := &r.Attacks[i]; a.Exploited() && a.Trace != "" && a.Trace != "-" {
			return "gauntlet trace show " + quoteArguments([]string{a.Trace})
		}
	}
	return ""
}

// aboutOutput are flags that are dropped from the command line that repeats one finding.
var aboutOutput = []string{"replay", "recording", "record", "format", "output", "report", "progress", "quiet", "verbose", "fail-on", "allow-partial", "class", "diff"}

// againLine returns the command as typed, for one finding, as probe.Evidence wants it. Reports remove its secrets with all others.
func againLine(cmd *cobra.Command, targets, serverArgs []string) string {
	words := []string{cmd.Root().Name(), cmd.Name(), "--replay", probe.AgainFingerprint}
	cmd.Flags().Visit(func(f *pflag.Flag) {
		values := []string{f.Value.String()}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			values = list.GetSlice()
		}
		for _, v := range values {
			switch {
			case slices.Contains(aboutOutput, f.Name):
			case f.Value.Type() == "bool" && v == "true":
				words = append(words, "--"+f.Name)
			default:
				words = append(words, "--"+f.Name+"="+v)
			}
		}
	})
	if words = append(words, targets...); len(serverArgs) > 0 {
		words = append(append(words, "--"), serverArgs...)
	}
	return quoteArguments(words)
}

func quoteArguments(args []string) string {
	out := make([]string, len(args))
	for i, a := range args {
		out[i] = a
		if strings.Trim(a, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._/@%+=:,-") != "" || a == "" {
			out[i] = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
	}
	return strings.Join(out, " ")
}
