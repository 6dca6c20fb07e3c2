// Package advise has models judge definitions beside a scan, label tools, score texts, and write texts that attack documents leave
// to them.
package advise

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"sync"

	"gauntlet/internal/engine/advice"
	"gauntlet/internal/leaf/secret"
	"gauntlet/internal/run/interrupt"
	"gauntlet/internal/run/modelset"
	"gauntlet/internal/run/runstate"
	"gauntlet/internal/runtime/model"
	"gauntlet/result"
)

// lane names these questions in caches.
const lane = "advisory"

// Plan estimates the questions to each model.
func Plan(set *modelset.Set, questions []*advice.Question) (out []modelset.Plan) {
	var requests []model.Request
	for _, q := range questions {
		requests = append(requests, requestOf(q))
	}
	for _, c := range set.Clients {
		out = append(out, set.Plan(c, lane, requests))
	}
	return out
}

// Judge asks all models all questions, with limited concurrency per model. A model's failures leave definitions unjudged; the error
// is that of an interrupted run.
func Judge(ctx context.Context, set *modelset.Set, questions []*advice.Question, parallel int, progress *runstate.Progress) ([]result.Advisory, error) {
	out := make([]result.Advisory, len(set.Clients))
	progress.Count(0, len(questions)*len(set.Clients))
	var all sync.WaitGroup
	for i, c := range set.Clients {
		all.Go(func() { // ends with its questions, which end with ctx
			j := &judge{client: c, progress: progress, set: set, lane: lane}
			out[i] = advice.Run(ctx, c.Model(), questions, parallel, j.answer)
		})
	}
	all.Wait()
	if ctx.Err() != nil {
		return nil, interrupt.Err
	}
	return out, nil
}

// A judge is one model.
type judge struct {
	client   *model.Client
	set      *modelset.Set
	lane     string
	progress *runstate.Progress

	mu       sync.Mutex
	hopeless error // the error that every further question would meet
}

func requestOf(q *advice.Question) model.Request {
	return model.Request{System: q.System, Schema: q.Schema, MaxTokens: advice.MaxAnswer, Temperature: new(float64), Messages: []model.Message{{Role: model.User, Text: q.Prompt}}}
}

func (j *judge) answer(ctx context.Context, q *advice.Question) (string, error) {
	defer j.progress.Count(1, 0)
	j.mu.Lock()
	err := j.hopeless
	j.mu.Unlock()
	if err != nil {
		return "", err
	}
	j.progress.Step("asking %s: %s", j.client.Model(), j.set.Spent())
	text, err := ask(ctx, j.client, j.lane, 0, requestOf(q))
	if err != nil && model.Hopeless(err) {
		j.mu.Lock()
		j.hopeless = err
		j.mu.Unlock()
	}
	return text, err
}

// ask returns a model's whole answer.
func ask(ctx context.Context, c *model.Client, lane string, run int, r model.Request) (string, error) {
	a, err := c.Ask(ctx, lane, run, r)
	switch {
	case err != nil:
		return "", err
	case a.Stop == model.Refused:
		return "", fmt.Errorf("the model refused: %s", a.Refusal)
	case a.Stop == model.Truncated:
		return "", errors.New("the answer was cut off")
	}
	return a.Text, nil
}

// fenced puts a stranger's text between two lines with a mark that depends on it, which the text cannot hold.
func fenced(seed, text string) string {
	sum := sha256.Sum256([]byte(seed))
	mark := "=====" + hex.EncodeToString(sum[:16])
	return mark + "\n" + text + "\n" + mark
}

// withoutSecrets removes likely secrets from a text that a model is asked about.
func withoutSecrets(text string) string {
	return secret.Replace(text, func(string) string { return "[a secret stood here]" })
}
