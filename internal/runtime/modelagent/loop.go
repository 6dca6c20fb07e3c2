package modelagent

import (
	"cmp"
	"context"
	"errors"
	"time"

	"gauntlet/internal/leaf/excerpt"
	"gauntlet/internal/runtime/model"
)

// onceMore is the user's message after definitions have changed: what was approved is no longer what is there.
const onceMore = "Thank you. Please do that once more."

// converse asks the model until it has nothing more to say.
func (a *agent) converse(ctx context.Context) {
	a.messages = []model.Message{{Role: model.User, Text: a.opt.Prompt}}
	asked := false
	for {
		answer, ok := a.askModel(ctx)
		if !ok {
			return
		}
		switch answer.Stop {
		case model.Calls:
			if !a.makeCalls(ctx, answer) {
				return
			}
		case model.Paused:
			a.messages = append(a.messages, model.Message{Role: model.Assistant, Text: answer.Text})
		default:
			if asked || !a.changedWhileIdle(ctx) {
				a.result.End = Finished
				return
			}
			asked = true
			a.messages = append(a.messages, model.Message{Role: model.Assistant, Text: cmp.Or(answer.Text, noWords)}, model.Message{Role: model.User, Text: onceMore})
		}
	}
}

// noWords stands for an empty text, which not every provider accepts.
const noWords = "(no words)"

// askModel asks once, and records what ends the run.
func (a *agent) askModel(ctx context.Context) (model.Answer, bool) {
	if a.result.Turns >= a.opt.Turns {
		a.result.End = OutOfTurns
		return model.Answer{}, false
	}
	a.result.Turns++
	answer, err := a.opt.Ask(ctx, model.Request{System: a.systemPrompt(), Messages: a.messages, Tools: a.offered, MaxTokens: a.opt.Tokens})
	a.result.Usage.Add(answer.Usage)
	a.result.Said, a.result.SaidCut = excerpt.Head(answer.Text, mostSaid), len(answer.Text) > mostSaid
	switch {
	case ctx.Err() != nil:
		a.result.End = OutOfTime
	case errors.Is(err, model.ErrCeiling):
		a.result.End, a.result.Detail = NotAsked, err.Error()
	case err != nil:
		a.result.End, a.result.Detail = NoAnswer, err.Error()
	case answer.Stop == model.Refused:
		a.result.End, a.result.Detail = Refused, answer.Refusal
	case answer.Stop == model.Truncated:
		a.result.End = Truncated
	default:
		return answer, true
	}
	return answer, false
}

// makeCalls makes an answer's calls in order and shows the model the results.
func (a *agent) makeCalls(ctx context.Context, answer model.Answer) bool {
	results := model.Message{Role: model.User}
	for i, c := range answer.Calls {
		text, failed := "this is more than is done at once", true
		switch {
		case a.result.Calls >= a.opt.Calls:
			a.result.End = OutOfCalls
			return false
		case i < mostCallsATurn:
			a.result.Calls++
			text, failed = a.makeCall(ctx, c)
		}
		results.Results = append(results.Results, model.ToolResult{CallID: c.ID, Text: text, Failed: failed})
		if ctx.Err() != nil {
			a.result.End = OutOfTime
			return false
		}
	}
	for i := range answer.Calls { // an argument too long for a call is not kept either
		if c := &answer.Calls[i]; len(c.Arguments) > longestArguments {
			c.Arguments = "{}"
		}
	}
	a.messages = append(a.messages, model.Message{Role: model.Assistant, Text: answer.Text, Calls: answer.Calls}, results)
	a.rereadChanged(ctx, 0)
	return true
}

// rereadChanged reads again the lists of servers that announce changes, or cannot announce them.
func (a *agent) rereadChanged(ctx context.Context, wait time.Duration) (changed bool) {
	for _, s := range a.listen(ctx, wait) {
		if a.relists == mostRelists {
			return changed
		}
		a.relists++
		before := s.listed
		s.readLists(ctx)
		changed = changed || s.listed != before
	}
	if changed {
		a.offerTools()
	}
	return changed
}

func (a *agent) listen(ctx context.Context, wait time.Duration) (out []*session) {
	changed, _ := a.opt.Pending.Await(ctx, wait, a.sessions)
	for i, s := range a.servers {
		if changed[i] || s.stateless {
			out = append(out, s)
		}
	}
	return out
}

// changedWhileIdle waits for changed definitions after the model has finished.
func (a *agent) changedWhileIdle(ctx context.Context) bool {
	return a.opt.Idle > 0 && a.rereadChanged(ctx, a.opt.Pending.Patience(a.opt.Idle))
}
