package cli

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"gauntlet/internal/run/attackdoc"
	"gauntlet/internal/run/attackrun"
	"gauntlet/internal/run/reportfile"
	"gauntlet/internal/run/userfile"
	"gauntlet/internal/runtime/attack"
	"gauntlet/result"
)

type attackReplayCommand struct {
	*app
	limits  attackLimits
	outputs outputFlags
	trace   string
	record  string
	exact   bool
	limit   time.Duration
}

func (a *app) newAttackReplayCommand() *cobra.Command {
	r := &attackReplayCommand{app: a}
	cmd := &cobra.Command{
		Use:   "replay [flags] --trace FILE DOCUMENT",
		Short: "Play the agent of a recorded conversation against an attack document",
		RunE:  r.replayRecording,
	}
	cmd.Flags().StringVar(&r.trace, "trace", "", "the recorded conversation to judge: a `FILE` (required; default none)")
	cmd.Flags().StringVar(&r.record, "record", "", "record every message, both ways: the new conversation, in this `FILE` (default none)")
	cmd.Flags().BoolVar(&r.exact, "exact", false, "exit with 1 if an answer is not the recorded one (default off)")
	runTimeoutFlag(cmd, &r.limit, attack.DefaultLimit, "of the replay")
	r.outputs.addOutputFlags(cmd, a)
	r.limits.addDocumentLimitFlags(cmd)
	return cmd
}

func (r *attackReplayCommand) replayRecording(cmd *cobra.Command, args []string) error {
	switch {
	case r.trace == "" || r.trace == "-":
		return usage(cmd, "no trace: name a file with --trace")
	case len(args) != 1 || args[0] == "-":
		return usage(cmd, "name one document")
	case r.record == "-":
		return usage(cmd, "--record: the trace is judged when the replay is over: name a file")
	}
	outs, err := r.outputs.checkOutputs([]string{args[0], r.trace})
	if err != nil {
		return usage(cmd, "%s", err)
	}
	if err := userfile.CheckWritable(r.record, append(reportfile.Files(outs), args[0], r.trace)); err != nil {
		return usage(cmd, "%s", err)
	}
	texts, err := attackdoc.Read(cmd.Context(), args, r.host.Stdin, r.limits.Limits)
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
	if doc, problem := texts[0].Load(r.limits.Limits); problem != "" {
		one.Problem = problem
	} else {
		player := &attackrun.Player{Options: attackrun.Options{Limit: r.limit, Tool: toolName()}}
		one, differences = player.Replay(cmd.Context(), doc, texts[0].Name, recorded, r.record)
	}
	report.Attacks = append(report.Attacks, one)
	if err := r.attackReport(outs, r.outputs.verbose, report); err != nil {
		return err
	}
	if r.exact && differences > 0 && r.code == result.ExitOK {
		r.code = result.ExitGate
	}
	return nil
}
