package cli

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"gauntlet/internal/run/advise"
	"gauntlet/internal/run/attackdoc"
	"gauntlet/internal/run/attackrun"
	"gauntlet/internal/run/modelset"
	"gauntlet/internal/run/userfile"
	"gauntlet/internal/runtime/attack"
	"gauntlet/oatf"
	"gauntlet/result"
)

type attackJudgeCommand struct {
	*app
	limits  oatf.Limits
	outputs outputFlags
	trace   string

	semantic bool
	models   modelFlags
	scorers  *modelset.Set // nil without semantic indicators
}

func (a *app) newAttackJudgeCommand() *cobra.Command {
	j := &attackJudgeCommand{app: a}
	cmd := newCommand("judge [flags] --trace FILE DOCUMENT...", "Judge a recorded conversation by attack documents", j.judgeTrace)
	cmd.Flags().StringVar(&j.trace, "trace", "", "the recorded conversation to judge: a `FILE`, or - for standard input (required; default none)")
	semanticFlag(cmd, &j.semantic)
	j.models.addModelFlags(cmd, "with --semantic, it scores")
	j.outputs.addOutputFlags(cmd, a)
	addDocumentLimitFlags(cmd, &j.limits)
	return cmd
}

func (j *attackJudgeCommand) judgeTrace(cmd *cobra.Command, args []string) error {
	if j.trace == "" {
		return usage(cmd, "no trace: name one with --trace")
	}
	files := append(args[:len(args):len(args)], j.trace)
	outs, wrong := j.outputs.checkOutputs(files)
	texts, err := j.readDocuments(cmd, args, j.limits, slices.Concat([]conflict{
		stdinTwice(files), failed(wrong),
		{j.semantic && len(j.models.IDs) != 1, semanticModel},
		{!j.semantic && len(j.models.IDs) > 0, "--model is for --semantic: without it no model is asked"},
	}, j.models.conflicts(cmd))...)
	if err != nil {
		return err
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
	if r.Attacks, r.Problems, err = attackrun.JudgeDocuments(cmd.Context(), j.trace, j.host.Stdin, texts, j.limits, scorer); err != nil {
		return err
	}
	if j.models.plan {
		return j.writePlans(j.scorers, []modelset.Plan{plan.Of(j.scorers)})
	}
	j.attackReport(outs, &j.outputs, r)
	return nil
}

func semanticFlag(cmd *cobra.Command, to *bool) {
	cmd.Flags().BoolVar(to, "semantic", false, "have --model score semantic indicators: the verdict that counts them stands beside the one that decides, which skips them (default off)")
}

const semanticModel = "--semantic wants one --model, which scores"

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
	r := newReport()
	r.Attacks = []result.AttackRun{}
	return r
}

// sayRefusals says why documents were not played if the report goes to a file, so that the user sees it at once.
func (a *app) sayRefusals(outs outputs, runs []result.AttackRun) {
	if slices.Contains(outs.files(), "-") {
		return
	}
	for i := range runs {
		if runs[i].Problem != "" {
			a.note("%s: %s", runs[i].Document, strings.TrimPrefix(runs[i].Problem, runs[i].Document+": "))
		}
	}
}

// attackReport writes the report and sets the exit code.
func (a *app) attackReport(outs outputs, o *outputFlags, r *result.Report) {
	var traces []string
	for i := range r.Attacks {
		traces = append(traces, r.Attacks[i].Trace)
		if v := r.Attacks[i].Verdict; v != nil {
			v.Source = toolName()
		}
	}
	a.sayRefusals(outs, r.Attacks)
	r.Count()
	a.writeReports(o, outs, r, nextOfAttacks(r), a.showTraces(traces...))
}

type attackReplayCommand struct {
	*app
	limits  oatf.Limits
	outputs outputFlags
	trace   string
	record  string
	exact   bool
	limit   time.Duration
}

func (a *app) newAttackReplayCommand() *cobra.Command {
	r := &attackReplayCommand{app: a}
	cmd := newCommand("replay [flags] --trace FILE DOCUMENT", "Play the agent of a recorded conversation against an attack document", r.replayRecording)
	cmd.Flags().StringVar(&r.trace, "trace", "", "the recorded conversation to judge: a `FILE` (required; default none)")
	cmd.Flags().StringVar(&r.record, "record", "", "record every message, both ways: the new conversation, in this `FILE` (default none)")
	cmd.Flags().BoolVar(&r.exact, "exact", false, "exit with 1 if an answer is not the recorded one (default off)")
	runTimeoutFlag(cmd, &r.limit, attack.DefaultLimit, "of the replay")
	r.outputs.addOutputFlags(cmd, a)
	addDocumentLimitFlags(cmd, &r.limits)
	return cmd
}

func (r *attackReplayCommand) replayRecording(cmd *cobra.Command, args []string) error {
	files := append(args[:len(args):len(args)], r.trace)
	outs, wrong := r.outputs.checkOutputs(files)
	if err := refuse(cmd, []conflict{
		{r.trace == "" || r.trace == "-", "no trace: name a file with --trace"},
		{len(args) != 1 || args[0] == "-", "name one document"},
		{r.record == "-", "--record: the trace is judged when the replay is over: name a file"},
		failed(wrong), failed(userfile.CheckWritable(r.record, slices.Concat(outs.files(), files))),
	}); err != nil {
		return err
	}
	texts, err := attackdoc.Read(cmd.Context(), args, r.host.Stdin, r.limits)
	if err != nil {
		return err
	}
	if len(texts) != 1 {
		return usage(cmd, "name one document")
	}
	recorded, err := attackrun.ReadRecording(r.trace)
	if err != nil {
		return fmt.Errorf("%s: %w", r.trace, err)
	}
	report := newAttackReport()
	one, differences := result.AttackRun{Document: texts[0].Name}, 0
	if doc, problem := texts[0].Load(r.limits); problem != "" {
		one.Problem = problem
	} else {
		player := &attackrun.Player{Options: attackrun.Options{Limit: r.limit, Tool: toolName()}}
		one, differences = player.Replay(cmd.Context(), doc, texts[0].Name, recorded, r.record)
	}
	report.Attacks = append(report.Attacks, one)
	r.attackReport(outs, &r.outputs, report)
	if r.exact && differences > 0 && r.code == result.ExitOK {
		r.code = result.ExitGate
	}
	return nil
}
