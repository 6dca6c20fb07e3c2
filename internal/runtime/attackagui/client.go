package attackagui

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"gauntlet/internal/leaf/agui"
	"gauntlet/internal/runtime/attack"
	"gauntlet/oatf"
	"gauntlet/rawjson"
	"gauntlet/trace"
)

// A client is an actor in mode ag_ui_client: each phase starts a run of the agent with its state's input, and continues it as long
// as the agent calls tools.
type client struct {
	*attack.Actor
	attack.HTTPPeer
	opt Options

	exchanges int // HTTP exchanges so far; used by one goroutine

	attack.PhaseStop // stops the current run
}

// Send reports an action that has no message in this protocol.
func (c *client) Send(_ context.Context, e attack.Entry, method, _ string) {
	c.Notice(attack.Unplayed, e.Phase(), "%s is not sent: AG-UI has no message of a front end beside the input of a run", method)
}

// FeedRecorded feeds what the agent said: an event of its stream, or a refusal.
func (c *client) FeedRecorded(t *attack.ReplayTransport, m *trace.Message) bool {
	switch {
	case m.Method == agui.Answer:
		t.EndAnswer() // its text is assembled when the stream has ended
	case m.Kind == trace.Invalid && m.HTTP != nil && m.HTTP.Status/100 != 2:
		t.Feed(m.HTTP.Status, "text/plain", m.Raw)
		t.EndAnswer()
	default:
		t.FeedEvent(http.StatusOK, m.Raw)
	}
	return true
}

// Lingers reports whether the agent may be working after its run has ended.
func (c *client) Lingers() bool { return !c.opt.Done }

// Play runs the script.
func (c *client) Play(ctx context.Context) error { return c.PlayPhases(ctx, c.playPhase) }

// playPhase starts the phase's run and continues it until the agent calls no more tools; then it applies the effects of events.
func (c *client) playPhase(ctx context.Context, at int, _ <-chan struct{}) error {
	running, done := c.Interruptible(ctx)
	defer done()
	t, err := c.newTurn(running, at)
	if err != nil || t == nil {
		return err
	}
	for round := 0; ; round++ {
		if err = t.begin(running); err != nil || !t.answerCalls(round) {
			break
		}
	}
	done()
	if err == nil && t.waits && c.Phases[at].Trigger == nil {
		err = errors.New("the agent waits for its user (the run ended with an interrupt), and no phase of the document goes on: what it would have done is unknown")
	}
	for _, then := range t.deferred {
		then("")
	}
	if errors.Is(context.Cause(running), attack.ErrMoved) {
		c.Notice(attack.Trouble, at, "the run was still in progress when the phase ended")
		return nil
	}
	return err
}

func (c *client) record(at int, d trace.Direction, event, raw, note string, status int) {
	m := trace.Message{
		Time: c.Now(), Actor: c.Name, Phase: c.Phases[at].Name, Server: c.Name, Session: "s1", Protocol: agui.Protocol, Role: trace.AsClient,
		Direction: d, Kind: trace.Event, Method: event, Raw: raw, Note: note,
		HTTP: &trace.HTTP{Exchange: c.exchanges, Method: http.MethodPost, Status: status},
	}
	if event == "" || raw != "" && !rawjson.Read(raw).Exists() {
		m.Kind = trace.Invalid
	}
	c.Record(m)
}

// observe reports an event from the wire to the phase's extractors.
func (t *turn) observe(event, content string, side oatf.ExtractorSource) {
	t.c.RunExtractors(t.at, side, rawjson.Read(content))
	x := attack.Exchange{Request: t.input, Response: content}
	if side == oatf.SourceRequest {
		x = attack.Exchange{Request: content}
	}
	if then := t.c.ObserveEvent(t.ctx, event, rawjson.Read(content), x); then != nil {
		t.deferred = append(t.deferred, then)
	}
}

// refusal is a response that is no event stream.
type refusal struct {
	status int
	text   string
}

func (r *refusal) Error() string {
	return fmt.Sprintf("the agent answered with HTTP %d: %s", r.status, r.text)
}
