package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"gauntlet/finding"
	"gauntlet/internal/run/advise"
	"gauntlet/internal/run/attackdoc"
	"gauntlet/internal/run/attackrun"
	"gauntlet/internal/run/modelset"
	"gauntlet/internal/run/reportfile"
	"gauntlet/internal/run/userfile"
	"gauntlet/result"
)

type attackJudgeCommand struct {
	*app
	limits  attackLimits
	outputs outputFlags
	trace   string

	semantic bool
	models   modelFlags
	scorers  *modelset.Set // nil without semantic indicators
}

func (a *app) newAttackJudgeCommand() *cobra.Command {
	j := &attackJudgeCommand{app: a}
	cmd := &cobra.Command{
		Use:   "judge [flags] --trace FILE DOCUMENT...",
		Short: "Judge a recorded conversation by attack documents",
		RunE:  j.judgeTrace,
	}
	cmd.Flags().StringVar(&j.trace, "trace", "", "the recorded conversation to judge: a `FILE`, or - for standard input (required; default none)")
	semanticFlag(cmd, &j.semantic)
	j.models.addModelFlags(cmd, "with --semantic, it scores")
	j.outputs.addOutputFlags(cmd, a)
	j.limits.addDocumentLimitFlags(cmd)
	return cmd
}

func (j *attackJudgeCommand) judgeTrace(cmd *cobra.Command, args []string) error {
	if j.trace == "" {
		return usage(cmd, "no trace: name one with --trace")
	}
	if err := wantDocuments(cmd, args, j.trace); err != nil {
		return err
	}
	outs, err := j.outputs.checkOutputs(append(args[:len(args):len(args)], j.trace))
	if err != nil {
		return usage(cmd, "%s", err)
	}
	texts, err := attackdoc.Read(cmd.Context(), args, j.host.Stdin, j.limits.Limits)
	if err != nil {
		return err
	}
	if why := semanticConflict(cmd, j.semantic, &j.models); why != "" {
		return usage(cmd, "%s", why)
	}
	if j.semantic {
		if j.scorers, err = j.openModels(&j.models); err != nil {
			return usage(cmd, "%s", err)
		}
		defer j.scorers.Close()
	}
	scorer := j.scorerOf(j.scorers)
	plan := &advise.ScorePlan{}
	if j.models.plan {
		scorer = &attackrun.Scorer{SemanticEvaluator: plan, Model: j.scorers.Clients[0].Model()}
	}
	r := newAttackReport()
	if r.Attacks, r.Problems, err = attackrun.JudgeDocuments(cmd.Context(), j.trace, j.host.Stdin, texts, j.limits.Limits, scorer); err != nil {
		return fmt.Errorf("%s: %w", reportfile.ShownName(j.trace), userfile.Reason(err))
	}
	if j.models.plan {
		return j.writePlans(j.scorers, []modelset.Plan{plan.Of(j.scorers)})
	}
	return j.attackReport(outs, j.outputs.verbose, r)
}

func semanticFlag(cmd *cobra.Command, to *bool) {
	cmd.Flags().BoolVar(to, "semantic", false, "have --model score semantic indicators: the verdict that counts them stands beside the one that decides, which skips them (default off)")
}

// semanticConflict names conflicting flags, or returns "".
func semanticConflict(cmd *cobra.Command, semantic bool, m *modelFlags) string {
	switch {
	case semantic && len(m.ids) != 1:
		return "--semantic wants one --model, which scores"
	case !semantic && len(m.ids) > 0:
		return "--model is for --semantic: without it no model is asked"
	}
	return m.findConflict(cmd)
}

// scorerOf returns the scorer of semantic indicators for the named model, or nil.
func (a *app) scorerOf(set *modelset.Set) *attackrun.Scorer {
	if set == nil {
		return nil
	}
	scorer := &advise.Scorer{Client: set.Clients[0], Warn: a.say}
	return &attackrun.Scorer{SemanticEvaluator: scorer, Model: set.Clients[0].Model()}
}

// newAttackReport returns the report of a command that runs or judges attacks.
func newAttackReport() *result.Report {
	return &result.Report{SchemaVersion: result.SchemaVersion, Tool: result.Tool{Name: "gauntlet", Version: version()}, Attacks: []result.AttackRun{}}
}

// sayRefusals says why documents were not played if the report goes to a file, so that the user sees it at once.
func (a *app) sayRefusals(outs []reportfile.Output, runs []result.AttackRun) {
	if slices.Contains(reportfile.Files(outs), "-") {
		return
	}
	for i := range runs {
		if runs[i].Problem != "" {
			a.note("%s: %s", runs[i].Document, strings.TrimPrefix(runs[i].Problem, runs[i].Document+": "))
		}
	}
}

// attackReport writes the report and sets the exit code.
func (a *app) attackReport(outs []reportfile.Output, verbose bool, r *result.Report) error {
	for i := range r.Attacks {
		if v := r.Attacks[i].Verdict; v != nil {
			v.Source = toolName()
		}
	}
	a.sayRefusals(outs, r.Attacks)
	r.Count()
	gate := gateFlags{failOn: finding.None}
	looks := a.reportOptions(verbose, &gate)
	looks.Next = nextOfAttacks(r)
	if reportfile.HasPage(outs) {
		var names []string
		for i := range r.Attacks {
			names = append(names, r.Attacks[i].Trace)
		}
		looks.Traces = reportfile.Conversations(names, a.note)
	}
	written := a.writeReports(outs, r, looks)
	a.code = gate.exitCode(r, written)
	return nil
}
