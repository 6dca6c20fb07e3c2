package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"gauntlet/internal/attack"
	"gauntlet/result"
	"gauntlet/trace"
)

// attackReplayRun is one run of attack replay.
type attackReplayRun struct {
	*app
	limits  attackLimits
	outputs outputFlags
	trace   string
	record  string
	exact   bool
	limit   time.Duration
}

func (a *app) attackReplayCommand() *cobra.Command {
	r := &attackReplayRun{app: a}
	cmd := &cobra.Command{
		Use:   "replay [flags] --trace FILE DOCUMENT",
		Short: "Play the agent of a recorded conversation against an attack document",
		Long: `replay takes what an agent said from a trace that attack run recorded, and plays it again to
the servers of a document, message by message and without waiting: time goes as it went in
the recording. The same trace and document give the same conversation every time, so that a
changed document can be tried on an agent that is not there.

Agents decide by what they read. Where an answer differs from the recorded one, it is said: what the
agent did behind it may be what it would not have done.

Exit codes: those of attack run; with --exact also 1 if an answer differs.`,
		Example: `  gauntlet attack run --agent ./agent.sh --trace run.ndjson attack.yaml
  gauntlet attack replay --trace run.ndjson --exact attack.yaml`,
		RunE: r.run,
	}
	cmd.Flags().SortFlags = false
	cmd.Flags().StringVar(&r.trace, "trace", "", "the recorded conversation: a `FILE`")
	_ = cmd.MarkFlagFilename("trace", "ndjson") // fails only for a flag that is not there
	cmd.Flags().StringVar(&r.record, "record", "", "write the new conversation as a trace to `FILE` (default none)")
	cmd.Flags().BoolVar(&r.exact, "exact", false, "exit with 1 if an answer is not the recorded one")
	cmd.Flags().DurationVar(&r.limit, "timeout", attack.DefaultLimit, "longest `DURATION` of the replay, by the clock on the wall")
	r.outputs.flags(cmd, a)
	r.limits.flags(cmd)
	return cmd
}

func (r *attackReplayRun) run(cmd *cobra.Command, args []string) error {
	switch {
	case r.trace == "" || r.trace == "-":
		return usage(cmd, "no trace: name a file with --trace")
	case len(args) != 1 || args[0] == "-":
		return usage(cmd, "name one document")
	case r.record == "-":
		return usage(cmd, "--record: the trace is judged when the replay is over: name a file")
	}
	outs, err := r.outputs.open([]string{args[0], r.trace})
	if err != nil {
		return usage(cmd, "%s", err)
	}
	taken := []string{args[0], r.trace}
	for _, o := range outs {
		taken = append(taken, o.file)
	}
	if err := writable(r.record, taken); err != nil {
		return usage(cmd, "%s", err)
	}
	texts, err := r.attackTexts(cmd.Context(), args, &r.limits)
	if err != nil {
		return err
	}
	if len(texts) != 1 {
		return usage(cmd, "name one document")
	}
	recorded, err := readRecording(r.trace)
	if err != nil {
		return fmt.Errorf("%s: %w", r.trace, err)
	}
	report := newAttackReport()
	one, differences := r.replay(cmd.Context(), texts[0], recorded)
	report.Attacks = append(report.Attacks, one)
	if err := r.attackReport(outs, r.outputs.verbose, report); err != nil {
		return err
	}
	if r.exact && differences > 0 && r.code == result.ExitOK {
		r.code = result.ExitGate
	}
	return nil
}

// readRecording reads a trace that can be replayed: a whole one.
func readRecording(name string) (*trace.Trace, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, reason(err)
	}
	defer f.Close()
	t, err := trace.Read(f, trace.Limits{})
	switch {
	case err != nil:
		return nil, err
	case t.Unread > 0:
		return nil, fmt.Errorf("%d lines of the trace could not be read, the first is line %d: %s", t.Unread, t.Problems[0].Line, t.Problems[0].Msg)
	case len(t.Messages) == 0:
		return nil, errors.New("the trace has no messages")
	}
	return t, nil
}

// replay plays the recording and judges what comes of it.
func (r *attackReplayRun) replay(ctx context.Context, text attackText, recorded *trace.Trace) (result.AttackRun, int) {
	doc, problem := loadAttack(text, r.limits.Limits)
	if problem != "" {
		return result.AttackRun{Document: text.name, Problem: problem}, 0
	}
	arr := &attackRunRun{app: r.app, limit: r.limit}
	p := &play{attackRunRun: arr, doc: doc, trace: r.record, silent: true}
	var replayed attack.Replayed
	p.perform = func(ctx context.Context) (*attack.Summary, error) {
		options := p.options()
		options.Clock, options.Grace = attack.NewClock(recorded.Messages[0].Time), new(time.Duration)
		run, err := attack.New(doc, options)
		if err != nil {
			return nil, err
		}
		var sum attack.Summary
		replayed, sum = run.Replay(ctx, recorded.Messages)
		if replayed.Sent == 0 {
			err = errors.New("the trace has no message of an agent to a server actor of this document")
		}
		return &sum, err
	}
	out := p.report(ctx, text.name)
	out.Notices = append(out.Notices, tellReplay(recorded, replayed)...)
	return out, len(replayed.Differences)
}

// tellReplay says what there is to know of a replay beside the verdict.
func tellReplay(recorded *trace.Trace, r attack.Replayed) []result.Notice {
	notices := []result.Notice{{Kind: "replayed", Message: fmt.Sprintf("%d messages of the agent were played again, %d answers differ from the recording", r.Sent, len(r.Differences))}}
	if r.Skipped > 0 {
		notices = append(notices, result.Notice{Kind: "unplayed", Message: fmt.Sprintf("%d messages of the recording belong to no session or to no server of the document", r.Skipped)})
	}
	for _, caveat := range recorded.Header.Caveats() {
		notices = append(notices, result.Notice{Kind: "trace_no_recording", Message: caveat})
	}
	const most = 100
	for i, d := range r.Differences {
		if i == most {
			notices = append(notices, result.Notice{Kind: "differs", Message: fmt.Sprintf("and %d more", len(r.Differences)-most)})
			break
		}
		notices = append(notices, result.Notice{Kind: "differs", Actor: d.Actor, Message: d.String()})
	}
	return notices
}
