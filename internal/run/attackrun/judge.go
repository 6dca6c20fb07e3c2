package attackrun

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"gauntlet/finding"
	"gauntlet/internal/engine/delivery"
	"gauntlet/internal/engine/fromscan"
	"gauntlet/internal/leaf/excerpt"
	"gauntlet/internal/run/attackdoc"
	"gauntlet/internal/run/interrupt"
	"gauntlet/internal/run/tracefile"
	"gauntlet/internal/run/userfile"
	"gauntlet/internal/runtime/attack"
	"gauntlet/oatf"
	"gauntlet/oatf/indicator"
	"gauntlet/result"
	"gauntlet/trace"
	"gauntlet/verdict"
)

// A Scorer scores texts for semantic indicators, beside the verdict that counts.
type Scorer struct {
	indicator.SemanticEvaluator
	Model string // name of the model
}

// JudgeTrace judges valid, normalized documents by one trace, which is read once in a streaming way: the named one with its further
// files, or stdin for "-". Runs are returned in the documents' order, with verdict, messages and the trace's notices; the caller
// adds the document and the agent. semantic adds the verdict with semantic indicators; may be nil. The error is the trace's:
// nothing can then be said.
func JudgeTrace(ctx context.Context, name string, stdin io.Reader, docs []*oatf.Document, semantic *Scorer) ([]result.AttackRun, error) {
	in, err := tracefile.Open(name, stdin)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	all := make([]judgement, len(docs))
	for i, d := range docs {
		all[i].beginJudgement(ctx, d, semantic)
	}
	err = readMessages(ctx, in, func(m *trace.Message) {
		for i := range all {
			all[i].addMessage(m)
		}
	})
	unread := in.Unread
	if err != nil {
		// Unread lines may hold anything, so a mere lack of matches proves nothing.
		unread++
	}
	runs := make([]result.AttackRun, len(docs))
	for i := range all {
		runs[i] = all[i].finishJudgement(unread)
		for _, caveat := range in.Header.Caveats() {
			runs[i].Notices = append(runs[i].Notices, result.Notice{Kind: "trace_no_recording", Message: caveat})
		}
		if unread > 0 {
			runs[i].Notices = append(runs[i].Notices, result.Notice{Kind: "trace_unread", Message: "lines of the trace could not be read: what they held is unknown"})
		}
	}
	return runs, err
}

func readMessages(ctx context.Context, in *tracefile.Input, see func(*trace.Message)) error {
	return in.Each(func(*trace.LineError) {}, func(m *trace.Message) error {
		if ctx.Err() != nil {
			return interrupt.Err
		}
		see(m)
		return nil
	})
}

// A judgement is one document being judged by a trace.
type judgement struct {
	doc        *oatf.Document
	verdicts   *indicator.Judging
	delivered  *delivery.Watch
	scored     *indicator.Judging // including semantic indicators; nil if there are none, or no scorer
	scorer     *Scorer
	probed     probed
	messages   int
	redacted   int
	problem    error
	heard      bool            // a message of MCP was judged, or a call of one of the agent's own tools
	usual      map[string]bool // what the agent opened and started by itself, see sealedCall
	unobserved bool            // the agent's use of its own tools was not fully observed
}

// semanticTime bounds the judging of one document if a model is asked.
const semanticTime = 10 * time.Minute

func (j *judgement) beginJudgement(ctx context.Context, d *oatf.Document, semantic *Scorer) {
	j.doc = d
	judge, err := indicator.NewJudge(d, indicator.Options{})
	if err != nil {
		j.problem = err
		return
	}
	j.verdicts, j.delivered, j.probed.classes = judge.Start(ctx), delivery.New(d), classesOf(d)
	if semantic == nil || !slices.ContainsFunc(d.Attack.Indicators, func(i oatf.Indicator) bool { return i.Semantic != nil }) {
		return
	}
	if scoring, err := indicator.NewJudge(d, indicator.Options{Semantic: semantic, Time: semanticTime}); err == nil {
		j.scored, j.scorer = scoring.Start(ctx), semantic
	}
}

func (j *judgement) addMessage(m *trace.Message) {
	if m.Kind != trace.Event || m.Role != "" { // what was not on the wire is no message
		j.messages++
	}
	if m.Redacted {
		j.redacted++
	}
	j.probed.add(m)
	if j.problem == nil {
		j.verdicts.Add(m)
		j.addOwnHands(m)
		j.delivered.Add(m)
		if j.scored != nil {
			j.scored.Add(m)
		}
	}
}

func (j *judgement) finishJudgement(unread int) result.AttackRun {
	run := result.AttackRun{ID: j.doc.Attack.ID, Name: j.doc.Attack.Name, Findings: fromscan.Fingerprints(j.doc), Messages: j.messages}
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
	j.delivered.Settle(&v)
	run.Verdict = &v
	j.settleOwnHands(&run)
	if said, only := j.delivered.OnlyWords(); only && run.Verdict.Outcome == verdict.NotExploited {
		run.Notices = append(run.Notices, result.Notice{Kind: "words", Message: "after the attack the agent did nothing but say " + excerpt.Quote(strings.TrimSpace(said), mostQuoted)})
	}
	j.addScored(&run, unread)
	if j.probed.whole || len(j.probed.trials) > 0 { // else the document was played as written
		j.probed.settle(run.Verdict, j.doc)
	}
	return run
}

// addScored adds the verdict with semantic indicators, beside the one that counts.
func (j *judgement) addScored(run *result.AttackRun, unread int) {
	if j.scored == nil {
		return
	}
	v := j.scored.End(unread)
	j.delivered.Settle(&v)
	v.Source = j.scorer.Model
	run.Semantic = &v
	run.Notices = append(run.Notices, result.Notice{Kind: "semantic", Message: fmt.Sprintf(
		"with semantic indicators as %s scores them the verdict would be %s (%d of %d indicators matched); it moves no exit code", j.scorer.Model, v.Outcome, v.Summary.Matched, v.Summary.Total())})
}

// JudgeDocuments judges a recording by documents and returns a run for each, including those that cannot be judged. An error means
// that nothing of the recording was read.
func JudgeDocuments(ctx context.Context, file string, stdin io.Reader, texts []attackdoc.Text, limits oatf.Limits, scorer *Scorer) ([]result.AttackRun, []finding.Problem, error) {
	out := make([]result.AttackRun, 0, len(texts))
	var docs []*oatf.Document
	var places []int
	for i, t := range texts {
		d, problem := t.Load(limits)
		out = append(out, result.AttackRun{Document: t.Name, Problem: problem})
		if problem == "" {
			docs, places = append(docs, d), append(places, i)
		}
	}
	runs, err := JudgeTrace(ctx, file, stdin, docs, scorer)
	if runs == nil && err != nil {
		return nil, nil, err
	}
	var problems []finding.Problem
	if err != nil {
		problems = []finding.Problem{{Kind: finding.Unread, Message: "the trace was not read to its end: " + err.Error(), Location: finding.Location{Kind: finding.Message, File: file}}}
	}
	for n, i := range places {
		runs[n].Document, runs[n].Trace = out[i].Document, file
		out[i] = runs[n]
	}
	return out, problems, nil
}

// ReadRecording reads a trace that can be replayed: a complete one.
func ReadRecording(name string) (*trace.Trace, error) {
	t, err := tracefile.Read(name, nil)
	switch {
	case err != nil:
		return nil, userfile.Reason(err)
	case t.Unread > 0:
		return nil, fmt.Errorf("%d lines of the trace could not be read, the first is line %d: %s", t.Unread, t.Problems[0].Line, t.Problems[0].Msg)
	case len(t.Messages) == 0:
		return nil, errors.New("the trace has no messages")
	}
	return t, nil
}

// Replay replays a recording's agent against a document and judges the result, without waiting; the new messages go to the file
// record, "" for none. It returns how many answers differ from the recorded ones.
func (r *Player) Replay(ctx context.Context, doc *oatf.Document, name string, recorded *trace.Trace, record string) (result.AttackRun, int) {
	p := &play{Player: r, Session: Session{Trace: record, Silent: true}, doc: doc, replayed: map[string]bool{}, written: attack.NewRecordedSyntheses(recorded.Messages)}
	for i := range recorded.Messages {
		if m := &recorded.Messages[i]; m.Role == trace.AsClient {
			p.replayed[m.Protocol] = true
		}
	}
	var replayed attack.Replayed
	p.perform = func(ctx context.Context) (*attack.Summary, error) {
		options := p.attackOptions()
		options.Clock, options.Grace = attack.NewClock(recorded.Messages[0].Time), new(time.Duration)
		run, err := attack.New(p.staged(), options)
		if err != nil {
			return nil, err
		}
		var sum attack.Summary
		replayed, sum = run.Replay(ctx, recorded.Messages)
		if replayed.Sent == 0 || replayed.Served == 0 && HasServer(doc) {
			err = errors.New("the trace has no message of an agent to a server actor of this document")
		}
		return &sum, err
	}
	out := p.playAndReport(ctx, name)
	out.Notices = append(out.Notices, replayNotices(recorded, replayed)...)
	return out, len(replayed.Differences)
}

func replayNotices(recorded *trace.Trace, r attack.Replayed) []result.Notice {
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
