package cli

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"gauntlet/finding"
	"gauntlet/oatf"
	"gauntlet/result"
)

// attackJudgeRun is one run of attack judge.
type attackJudgeRun struct {
	*app
	limits  attackLimits
	outputs outputFlags
	trace   string
}

func (a *app) attackJudgeCommand() *cobra.Command {
	j := &attackJudgeRun{app: a}
	cmd := &cobra.Command{
		Use:   "judge [flags] --trace FILE DOCUMENT...",
		Short: "Judge a recorded conversation by attack documents",
		Long: `judge reads a trace and says for each document whether the agent in it complied with
the attack. It is the judgement that attack run makes at the end of a run: the same trace
gives the same verdict, and any other document may be asked of it. No indicator sees how
a document is executed; that is read for one thing only, whether anything which carries
the attack reached the agent at all.

Exit codes: 1 if the agent complied with an attack, wholly or in part; else 2 if a verdict
is an error, an attack never reached the agent, or something could not be read; else 0.`,
		Example: `  gauntlet attack judge --trace run.ndjson attack.yaml
  gauntlet attack judge --trace run.ndjson --format junit --output verdicts.xml attacks/`,
		RunE: j.run,
	}
	cmd.Flags().SortFlags = false
	cmd.Flags().StringVar(&j.trace, "trace", "", "the recorded conversation: a `FILE`, or - for standard input")
	_ = cmd.MarkFlagFilename("trace", "ndjson") // fails only for a flag that is not there
	j.outputs.flags(cmd, a)
	j.limits.flags(cmd)
	return cmd
}

func (j *attackJudgeRun) run(cmd *cobra.Command, args []string) error {
	if j.trace == "" {
		return usage(cmd, "no trace: name one with --trace")
	}
	if err := wantDocuments(cmd, append(args[:len(args):len(args)], stdinOf(j.trace)...)); err != nil {
		return err
	}
	if len(args) == 0 {
		return usage(cmd, "no document: name a file or a directory")
	}
	outs, err := j.outputs.open(append(args[:len(args):len(args)], j.trace))
	if err != nil {
		return usage(cmd, "%s", err)
	}
	texts, err := j.attackTexts(cmd.Context(), args, &j.limits)
	if err != nil {
		return err
	}
	r := newAttackReport()
	if err := j.judge(cmd.Context(), texts, r); err != nil {
		return err
	}
	return j.attackReport(outs, j.outputs.verbose, r)
}

// stdinOf is the argument that stands for standard input, if the file is that.
func stdinOf(file string) []string {
	if file == "-" {
		return []string{"-"}
	}
	return nil
}

// judge fills the report with a run for each document, those that cannot be judged too.
func (j *attackJudgeRun) judge(ctx context.Context, texts []attackText, r *result.Report) error {
	var docs []*oatf.Document
	var places []int
	for i, t := range texts {
		d, problem := loadAttack(t, j.limits.Limits)
		r.Attacks = append(r.Attacks, result.AttackRun{Document: t.name, Problem: problem})
		if problem == "" {
			docs, places = append(docs, d), append(places, i)
		}
	}
	in := j.host.Stdin
	if j.trace != "-" {
		f, err := os.Open(j.trace)
		if err != nil {
			return fmt.Errorf("%s: %w", j.trace, reason(err))
		}
		defer f.Close()
		in = f
	}
	runs, err := judgeTrace(ctx, in, docs)
	if runs == nil && err != nil {
		return fmt.Errorf("%s: %w", shownName(j.trace), err)
	}
	if err != nil {
		r.Problems = append(r.Problems, finding.Problem{Kind: finding.Unread, Message: "the trace was not read to its end: " + err.Error(), Location: finding.Location{Kind: finding.Message, File: j.trace}})
	}
	for n, i := range places {
		runs[n].Document, runs[n].Trace = r.Attacks[i].Document, j.trace
		r.Attacks[i] = runs[n]
	}
	return nil
}

// loadAttack returns a document that can be run and judged, normalized, or why there is none.
func loadAttack(t attackText, limits oatf.Limits) (*oatf.Document, string) {
	if t.err != nil {
		return nil, "it cannot be read: " + t.err.Error()
	}
	d, err := validDocument(t, limits)
	if err != nil {
		return nil, err.Error()
	}
	return oatf.Normalize(d), ""
}

// newAttackReport returns the report of a command that runs or judges attacks.
func newAttackReport() *result.Report {
	return &result.Report{SchemaVersion: result.SchemaVersion, Tool: result.Tool{Name: "gauntlet", Version: version()}, Attacks: []result.AttackRun{}}
}

// attackReport writes the report and sets the exit code.
func (a *app) attackReport(outs []output, verbose bool, r *result.Report) error {
	r.Count()
	r.Summary.Complete = r.Complete()
	written := a.write(outs, r, a.looks(verbose))
	a.code = r.ExitCode(finding.None, false)
	if a.code == result.ExitOK && !written {
		a.code = result.ExitTrouble
	}
	return nil
}
