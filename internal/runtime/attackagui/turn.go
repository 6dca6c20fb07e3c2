package attackagui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"syscall"
	"time"

	"gauntlet/internal/leaf/agui"
	"gauntlet/internal/leaf/excerpt"
	"gauntlet/internal/runtime/attack"
	"gauntlet/internal/runtime/wire"
	"gauntlet/oatf"
	"gauntlet/oatf/match"
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
	r, err := t.post(ctx)
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

// post sends the input, retrying while nobody listens yet.
func (t *turn) post(ctx context.Context) (*http.Response, error) {
	deadline := time.Now().Add(t.c.opt.Readiness)
	for wait := 20 * time.Millisecond; ; wait = min(2*wait, time.Second) {
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, t.c.opt.URL, strings.NewReader(t.input))
		if err != nil {
			return nil, err
		}
		for name, values := range t.c.opt.Header {
			req.Header[name] = values
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "text/event-stream")
		r, err := t.c.http.Do(req)
		if err == nil || ctx.Err() != nil || !isRefused(err) || time.Now().After(deadline) {
			return r, err
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
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
	v := attack.ParseJSON(data)
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
	start := attack.ParseJSON(c.Start)
	entry, err := t.selectResponse(start)
	if err != nil {
		return "", err
	}
	x := t.c.Expander(start)
	defer t.c.NoteMissing(t.at, x)
	text, err := t.resultText(entry, start, x)
	if err != nil {
		return "", err
	}
	message := toolMessage(attack.ParseJSON(text), c.ID, fmt.Sprintf("result-%d-%d", round+1, i+1))
	t.c.record(t.at, trace.ToServer, agui.ToolCallResult, message, "", 0)
	t.observe(agui.ToolCallResult, message, oatf.SourceRequest)
	return message, nil
}

// resultText returns a call's result as JSON, from a model if the document asks for one.
func (t *turn) resultText(entry, start rawjson.Value, x *attack.Expander) (string, error) {
	content := attack.Member(entry, "content")
	if attack.Member(entry, "synthesize").Exists() {
		written, err := t.c.Synthesize(t.ctx, t.at, entry, x, attack.Form{What: "the result of a tool of the front end", About: start.Raw(), Schema: resultForm})
		switch {
		case err == nil:
			return written.Get("content").Raw(), nil
		case !content.Exists():
			return "", err
		}
	}
	if !content.Exists() {
		return `""`, nil
	}
	return x.ExpandValue(content)
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

// selectResponse returns the entry of tool_responses for a call, absent if there is none.
func (t *turn) selectResponse(start rawjson.Value) (rawjson.Value, error) {
	list := attack.Member(t.c.Phases[t.at].State, "tool_responses")
	if !list.Exists() {
		return list, nil
	}
	d, err := match.ParseDispatch(list)
	if err != nil {
		return rawjson.Value{}, fmt.Errorf("tool_responses cannot be used: %w", err)
	}
	limited, cancel := t.c.MatchContext()
	defer cancel()
	return d.Select(limited, start)
}

// isRefused reports whether nothing listens at the agent's address.
func isRefused(err error) bool {
	return errors.Is(err, syscall.ECONNREFUSED)
}
