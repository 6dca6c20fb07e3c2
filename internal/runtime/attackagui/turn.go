package attackagui

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"gauntlet/internal/leaf/agui"
	"gauntlet/internal/leaf/excerpt"
	"gauntlet/internal/runtime/attack"
	"gauntlet/internal/runtime/wire"
	"gauntlet/oatf"
	"gauntlet/rawjson"
	"gauntlet/trace"
)

// mostRounds bounds an agent's rounds of tool calls in one turn.
const mostRounds = 20

// A turn is one phase of the agent's work: a run, and further ones as long as it calls tools.
type turn struct {
	c        *client
	ctx      context.Context
	at       int
	in       *input
	input    string // the input of the latest run, as sent
	stream   *agui.Stream
	ended    string // the event that ended the latest run, or ""
	begun    bool   // the latest run said that it began
	foreign  bool   // an event names another run
	failure  string // the agent's error message for a failed run
	waits    bool   // the latest run ended with an interrupt: the agent waits for its user
	deferred []func(string)
}

// newTurn reads a phase's input; nil if it has none.
func (c *client) newTurn(ctx context.Context, at int) (*turn, error) {
	given := attack.Member(c.Phases[at].State, agui.RunAgentInput)
	if !given.Exists() {
		c.Notice(attack.Unplayed, at, "the state has no %s: the phase begins no run", agui.RunAgentInput)
		return nil, nil
	}
	x := c.Expander(rawjson.Value{})
	var written rawjson.Value
	if attack.Member(given, "synthesize").Exists() {
		var err error
		if written, err = c.Synthesize(ctx, at, given, x, attack.Form{What: "the messages that begin a run of the agent", Schema: messagesForm}); err != nil && !attack.Member(given, "messages").Exists() {
			return nil, err
		}
	}
	text, err := x.ExpandValue(given)
	c.NoteMissing(at, x)
	if err != nil {
		return nil, err
	}
	in, err := readInput(text, at+1)
	if err != nil {
		return nil, err
	}
	if written.Exists() {
		in.setMessages(written.Get("messages"))
	}
	return &turn{c: c, at: at, in: in}, nil
}

// begin starts a run and receives it to its end.
func (t *turn) begin(ctx context.Context) error {
	t.ctx = ctx
	t.input, t.stream, t.ended, t.begun, t.foreign = t.in.body(), &agui.Stream{}, "", false, false
	t.c.exchanges++
	t.c.record(t.at, trace.ToServer, agui.RunAgentInput, t.input, "", 0)
	t.observe(agui.RunAgentInput, t.input, oatf.SourceRequest)
	r, err := t.c.Do(ctx, http.MethodPost, t.c.opt.URL, t.input, "Accept", "text/event-stream")
	if err != nil {
		return t.fail(ctx, err)
	}
	defer r.Body.Close()
	if r.StatusCode/100 != 2 {
		text, _ := io.ReadAll(io.LimitReader(r.Body, 2000)) // whatever is readable says enough
		err := &refusal{r.StatusCode, excerpt.Clip(strings.TrimSpace(string(text)), 500)}
		t.c.record(t.at, trace.ToClient, "", err.text, "refused", r.StatusCode)
		return err
	}
	err = t.hear(r)
	t.recordAnswer(r.StatusCode)
	return t.fail(ctx, err)
}

// fail returns nil if the run was cancelled by us.
func (t *turn) fail(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

func (t *turn) hear(r *http.Response) error {
	next := wire.ReadEvents(r.Body, t.c.opt.Message)
	for {
		data, err := next()
		switch {
		case errors.Is(err, io.EOF) && t.ended == "":
			return errors.New("the stream of the run ended without RUN_FINISHED")
		case errors.Is(err, io.EOF) && t.ended == agui.RunError:
			return fmt.Errorf("the agent's run failed: %s", excerpt.Clip(t.failure, 500))
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("the stream of the run broke off: %w", err)
		}
		t.takeEvent(data, r.StatusCode)
	}
}

func (t *turn) takeEvent(data string, status int) {
	v := rawjson.Read(data)
	name := agui.EventName(v.Get("type").Text())
	if v.Kind() != rawjson.Object || name == "" {
		t.c.record(t.at, trace.ToClient, "", data, "no event: it has no type", status)
		return
	}
	if name == agui.RunFinished || name == agui.RunError {
		t.ended, t.failure = name, strings.Clone(v.Get("message").Text())
		t.waits = v.Get("outcome").Get("type").Is("interrupt")
	}
	t.begun = t.begun || name == agui.RunStarted
	if id := v.Get("runId"); id.Exists() && !id.Is(rawjson.UnquoteString(t.in.run)) {
		t.foreign = true
	}
	t.c.record(t.at, trace.ToClient, name, v.Raw(), "", status)
	t.observe(name, t.stream.Add(v), oatf.SourceResponse)
}

// recordAnswer adds the agent's whole message to the trace.
func (t *turn) recordAnswer(status int) {
	if t.stream.Cut() {
		t.c.NoteLoss(errors.New("a run exceeded the limits: part of it was not assembled"))
	}
	for _, loss := range []struct {
		lost bool
		why  string
	}{
		{t.stream.Unfinished(), "the agent's run ended within a message or a call: the rest of it never came"},
		{!t.begun, "the agent's run ended and never began: no RUN_STARTED came"},
		{t.foreign, "the agent answered with the events of another run: what this one did is unknown"},
	} {
		if loss.lost && t.ended == agui.RunFinished {
			t.c.NoteLoss(errors.New(loss.why))
		}
	}
	t.c.record(t.at, trace.ToClient, agui.Answer, agui.AnswerContent(t.stream.Text(), t.ended == agui.RunError), "what the agent said in this run, put together from its events", status)
}

// answerCalls answers the agent's pending calls, and reports whether to continue.
func (t *turn) answerCalls(round int) bool {
	open := t.stream.Open()
	if t.ctx.Err() != nil || len(open) == 0 || t.in.messages == nil {
		return false
	}
	if round >= mostRounds {
		t.c.NoteLoss(fmt.Errorf("the agent still calls tools after %d rounds: further calls are not answered", mostRounds))
		return false
	}
	var results []string
	for i, c := range open {
		message, err := t.result(c, round, i)
		if err != nil {
			t.c.Notice(attack.Unplayed, t.at, "%s is not answered: %v", c.Name, err)
			return false
		}
		results = append(results, message)
	}
	t.in.addCalls(t.stream.Text(), open, results, round)
	return true
}

// result returns the message that answers a call, from the document; it is an event of ours too.
func (t *turn) result(c *agui.ToolCall, round, i int) (string, error) {
	start := rawjson.Read(c.Start)
	entry, err := t.c.SelectEntry(attack.Member(t.c.Phases[t.at].State, "tool_responses"), start)
	if err != nil {
		return "", err
	}
	x := t.c.Expander(start)
	defer t.c.NoteMissing(t.at, x)
	form := attack.Form{What: "the result of a tool of the front end", About: start.Raw(), Schema: resultForm}
	text, err := t.c.Content(t.ctx, t.at, entry, x, form, func(written rawjson.Value) rawjson.Value { return written.Get("content") })
	if err != nil {
		return "", err
	}
	message := toolMessage(rawjson.Read(cmp.Or(text, `""`)), c.ID, fmt.Sprintf("result-%d-%d", round+1, i+1))
	t.c.record(t.at, trace.ToServer, agui.ToolCallResult, message, "", 0)
	t.observe(agui.ToolCallResult, message, oatf.SourceRequest)
	return message, nil
}

// toolMessage returns a message of role tool. content is a whole tool_call_result payload, whose members are kept, or just its
// content.
func toolMessage(content rawjson.Value, callID, messageID string) string {
	var parts []string
	whole := content.Kind() == rawjson.Object && (content.Get("content").Exists() || content.Get("toolCallId").Exists())
	add := func(name, value string) {
		if !whole || !content.Get(name).Exists() {
			parts = append(parts, rawjson.Quote(name)+":"+value)
		}
	}
	add("id", rawjson.Quote(messageID))
	add("role", `"tool"`)
	add("toolCallId", rawjson.Quote(callID))
	switch {
	case whole:
		add("content", `""`)
		for m := range content.Members() {
			parts = append(parts, m.Key.Raw()+":"+m.Value.Raw())
		}
	case content.Kind() == rawjson.String:
		add("content", content.Raw())
	default:
		add("content", rawjson.Quote(content.Compact()))
	}
	return "{" + strings.Join(parts, ",") + "}"
}
