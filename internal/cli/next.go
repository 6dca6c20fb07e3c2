package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"gauntlet/internal/leaf/probe"
	"gauntlet/internal/run/target"
	"gauntlet/report"
	"gauntlet/result"
)

// reportOptions are how a report should look whose exit code gate decides.
func (a *app) reportOptions(verbose bool, gate *gateFlags) report.Options {
	opt := a.terminalOptions(verbose)
	opt.Gate = &report.Gate{FailOn: gate.failOn, AllowPartial: gate.allowPartial}
	return opt
}

// mostNamed is how many files a suggested command names.
const mostNamed = 3

// nextOfScan is the command that a reader of the report may want to run next, "" for none. It
// never quotes the command, the URL or the variables of a live server, which may hold secrets.
func (s *scanCommand) nextOfScan(r *result.Report) string {
	worst := r.WorstRule()
	files := target.SnapshotFiles(s.targets)
	again := ""
	if len(files) == len(s.targets) && len(files) > 0 && len(files) <= mostNamed && s.inputFiles()[0] == files[0] && len(s.inputFiles()) == len(files) && s.scan.Plan == nil {
		again = quoteArguments(files)
	}
	switch {
	case worst != "" && !s.outputs.verbose && again != "":
		return "gauntlet scan -v " + again
	case worst != "":
		return "gauntlet explain " + string(worst)
	case !r.Complete() && !s.outputs.verbose && again != "":
		return "gauntlet scan -v " + again
	case r.Complete() && s.baselineFile == "" && again != "":
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
		return "gauntlet explain " + string(worst)
	}
	return ""
}

// nextOfAttacks shows the recording of the first attack that the agent complied with.
func nextOfAttacks(r *result.Report) string {
	for i := range r.Attacks {
		if a := &r.Attacks[i]; a.Exploited() && a.Trace != "" && a.Trace != "-" {
			return "gauntlet trace show --diagram " + quoteArguments([]string{a.Trace})
		}
	}
	return ""
}

// aboutOutput are flags of a command line that a repetition of one finding does without.
var aboutOutput = []string{"replay", "recording", "record", "format", "output", "report", "progress", "quiet", "verbose", "fail-on", "allow-partial", "class", "diff"}

// againLine is a command as it was typed, for one finding, as probe.Evidence wants it. Secrets in it are taken
// out of reports with all others.
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
