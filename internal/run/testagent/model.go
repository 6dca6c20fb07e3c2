package testagent

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"gauntlet/internal/runtime/mcpclient"
	"gauntlet/internal/runtime/model"
	"gauntlet/internal/runtime/modelagent"
)

// ModelPrefix marks an agent that is a language model in our loop.
const ModelPrefix = "model:"

// lane names these agents' questions in caches.
const lane = "agent"

// OfModel returns an agent of a model for one run, whose cached answers are separate from other runs'. loop lacks servers and
// prompt; limit bounds its time.
func OfModel(client *model.Client, loop modelagent.Options, run int, limit time.Duration) *Agent {
	loop.Ask = func(ctx context.Context, r model.Request) (model.Answer, error) { return client.Ask(ctx, lane, run, r) }
	return inProcess(limit, func(ctx context.Context, task mcpclient.Task) Outcome {
		one := loop
		one.Task = task
		return modelOutcome(modelagent.Run(ctx, one))
	})
}

// Unanswered reports whether there was a model and it neither answered nor did anything.
func (o *Outcome) Unanswered() bool {
	m := o.Model
	return m != nil && (m.End == modelagent.NotAsked || m.Calls == 0 && (m.End == modelagent.NoAnswer || m.End == modelagent.Finished && strings.TrimSpace(m.Said) == ""))
}

// modelOutcome says how a model ended. Only if it finished by itself is its inaction meaningful; if its provider failed, what it had
// done until then counts, as for a program that ends with a status.
func modelOutcome(r modelagent.Result, err error) Outcome {
	out := Outcome{Model: &r, Answer: r.Said, AnswerCut: r.SaidCut, ModelSpoke: true}
	switch r.End {
	case modelagent.Finished:
		out.Ended = "the model had nothing more to say"
		return out
	case modelagent.NotStarted:
		out.Ended = "the agent never connected: " + err.Error()
	case modelagent.Refused:
		out.Ended = "the model refused to go on"
	case modelagent.Truncated:
		out.Ended = "an answer of the model was cut off"
	case modelagent.OutOfTurns:
		out.Ended = fmt.Sprintf("the model was asked %d times, which is the most", r.Turns)
	case modelagent.OutOfCalls:
		out.Ended = fmt.Sprintf("the model made %d calls, which is the most", r.Calls)
	case modelagent.OutOfTime:
		out.Ended = "the model was still working when its time was over"
	default:
		out.Ended = "the model did not answer"
	}
	text := out.Ended
	if r.Detail != "" && r.End != modelagent.NotStarted {
		text += ": " + r.Detail
	}
	if r.End == modelagent.NoAnswer && r.Calls > 0 {
		out.Ended, out.Crashed = text, true
		return out
	}
	out.Trouble = errors.New(text)
	return out
}
