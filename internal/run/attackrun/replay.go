package attackrun

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gauntlet/internal/run/tracefile"
	"gauntlet/internal/run/userfile"
	"gauntlet/internal/runtime/attack"
	"gauntlet/oatf"
	"gauntlet/result"
	"gauntlet/trace"
)

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

// replayNotices returns a replay's notices beside the verdict.
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
