package cli

import (
	"context"
	"errors"
	"io"

	"gauntlet/internal/confirm"
	"gauntlet/internal/exposure"
	"gauntlet/oatf"
	"gauntlet/oatf/indicator"
	"gauntlet/result"
	"gauntlet/trace"
	"gauntlet/verdict"
)

// judgeTrace judges valid, normalized documents by one trace, which is read once and never
// held in memory. The runs come back in the order of the documents, with verdict, messages
// and what the trace itself gives to note; whose document it is and who the agent was is
// the caller's to fill in. The error is one of the trace, of which nothing can be said.
func judgeTrace(ctx context.Context, in io.Reader, docs []*oatf.Document) ([]result.AttackRun, error) {
	r, err := trace.NewReader(in, trace.Limits{})
	if err != nil {
		return nil, err
	}
	all := make([]judging, len(docs))
	for i, d := range docs {
		all[i].start(ctx, d)
	}
	unread, err := eachMessage(ctx, r, func(m *trace.Message) {
		for i := range all {
			all[i].add(m)
		}
	})
	if err != nil {
		// What was not read may hold anything, so nothing that merely did not match counts.
		unread++
	}
	runs := make([]result.AttackRun, len(docs))
	for i := range all {
		runs[i] = all[i].end(unread)
		for _, caveat := range r.Header.Caveats() {
			runs[i].Notices = append(runs[i].Notices, result.Notice{Kind: "trace_no_recording", Message: caveat})
		}
		if unread > 0 {
			runs[i].Notices = append(runs[i].Notices, result.Notice{Kind: "trace_unread", Message: "lines of the trace could not be read: what they held is unknown"})
		}
	}
	return runs, err
}

// eachMessage reads a trace to its end and returns how many lines could not be read.
func eachMessage(ctx context.Context, r *trace.Reader, see func(*trace.Message)) (unread int, err error) {
	for {
		if ctx.Err() != nil {
			return unread, errInterrupted
		}
		m, err := r.Next()
		var bad *trace.LineError
		switch {
		case err == nil:
			see(&m)
		case err == io.EOF:
			return unread, nil
		case errors.As(err, &bad):
			unread++
		default:
			return unread, err
		}
	}
}

// A judging is one document being judged by a trace.
type judging struct {
	doc      *oatf.Document
	verdicts *indicator.Judging
	exposure *exposure.Watch
	messages int
	redacted int
	problem  error
}

func (j *judging) start(ctx context.Context, d *oatf.Document) {
	j.doc = d
	judge, err := indicator.NewJudge(d, indicator.Options{})
	if err != nil {
		j.problem = err
		return
	}
	j.verdicts, j.exposure = judge.Start(ctx), exposure.New(d)
}

func (j *judging) add(m *trace.Message) {
	j.messages++
	if m.Redacted {
		j.redacted++
	}
	if j.problem == nil {
		j.verdicts.Add(m)
		j.exposure.Add(m)
	}
}

func (j *judging) end(unread int) result.AttackRun {
	run := result.AttackRun{ID: j.doc.Attack.ID, Name: j.doc.Attack.Name, Findings: confirm.Fingerprints(j.doc), Messages: j.messages}
	if s := j.doc.Attack.Severity; s != nil {
		run.Severity = string(s.Level)
	}
	if j.redacted > 0 {
		run.Notices = append(run.Notices, result.Notice{Kind: "trace_redacted", Message: "secrets were taken out of messages of the trace: an indicator that looks for them cannot match"})
	}
	if j.problem != nil {
		run.Problem = j.problem.Error()
		run.Verdict = &verdict.Attack{ID: j.doc.Attack.ID, Outcome: verdict.Failed, Reason: j.problem.Error(), Indicators: []verdict.Indicator{}}
		return run
	}
	v := j.verdicts.End(unread)
	j.exposure.Settle(&v)
	run.Verdict = &v
	return run
}
