package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"gauntlet/internal/leaf/probe"
	"gauntlet/internal/run/target"
	"gauntlet/result"
)

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
