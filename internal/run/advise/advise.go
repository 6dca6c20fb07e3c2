// Package advise has models judge definitions beside a scan, label tools, score texts, and write texts that attack documents leave
// to them.
package advise

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"gauntlet/capability"
	"gauntlet/catalog"
	"gauntlet/classify"
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

const labelLane = "labels"

// Layer3 is the classifier's third layer: models are asked about tools left in doubt by the other layers.
type Layer3 struct {
	Set      *modelset.Set
	All      bool // including tools without any label
	Parallel int
	Mask     func(string) string      // removes what servers were given; may be nil
	Source   func(tool string) string // source of a tool's handler; nil if none was read
	Progress *runstate.Progress

	before map[string][]capability.Tag // tags that layer 1 gave low confidence, by server and tool
}

// Begin records what layer 1 left in doubt, before a server's source is considered.
func (l *Layer3) Begin(servers []capability.Server) {
	l.before = map[string][]capability.Tag{}
	for i := range servers {
		for t := range servers[i].Tools {
			l.before[placeOf(i, t)] = classify.Doubts(&servers[i].Tools[t])
		}
	}
}

func placeOf(server, tool int) string { return fmt.Sprintf("%d/%d", server, tool) }

// An asking is one server's questions.
type asking struct {
	server    int
	questions []advice.LabelQuestion
}

func (l *Layer3) questions(servers []capability.Server, of []*catalog.Server) (out []asking) {
	for i := range servers {
		want := func(t int) bool { return classify.InDoubt(&servers[i].Tools[t], l.before[placeOf(i, t)], l.All) }
		if q := advice.LabelQuestions(of[i], want, advice.Options{Mask: l.Mask, Source: l.Source}); q != nil {
			out = append(out, asking{i, q})
		}
	}
	return out
}

// Plan estimates the questions to each model.
func (l *Layer3) Plan(servers []capability.Server, of []*catalog.Server) (out []modelset.Plan) {
	var requests []model.Request
	for _, a := range l.questions(servers, of) {
		for _, q := range a.questions {
			requests = append(requests, requestOf(q.Question))
		}
	}
	for _, c := range l.Set.Clients {
		out = append(out, l.Set.Plan(c, labelLane, requests))
	}
	return out
}

// Label gives tools in doubt the labels that models assign; of are the catalog's servers in the order of servers. A model that does
// not answer leaves a warning. Nothing else changes. The error is that of an interrupted run.
func (l *Layer3) Label(ctx context.Context, servers []capability.Server, of []*catalog.Server) (asked, unanswered int, err error) {
	all := l.questions(servers, of)
	for _, a := range all {
		asked += len(a.questions)
	}
	l.Progress.Count(0, asked*len(l.Set.Clients))
	for _, c := range l.Set.Clients {
		j := &judge{client: c, progress: l.Progress, set: l.Set, lane: labelLane}
		for _, a := range all {
			answers := advice.Labels(ctx, a.questions, l.Parallel, j.answer)
			if ctx.Err() != nil {
				return asked, unanswered, interrupt.Err
			}
			for n, q := range a.questions {
				t := &servers[a.server].Tools[q.Tool]
				if answers[n].Err != nil {
					unanswered++
					classify.NoteUnasked(t, c.Model()+": "+strings.TrimPrefix(answers[n].Err.Error(), c.Model()+": "))
				} else {
					classify.AddInferred(t, answers[n].Tags, c.Model())
				}
			}
		}
	}
	for i := range servers {
		classify.AtLeast(&servers[i], capability.Low) // summarises labels from models alone
	}
	return asked, unanswered, nil
}

// Inferred returns the labels assigned by one model.
func Inferred(servers []capability.Server, by string) []result.InferredLabel {
	out := []result.InferredLabel{}
	for i := range servers {
		for t := range servers[i].Tools {
			tool := &servers[i].Tools[t]
			for _, l := range tool.Capabilities {
				if l.Confidence == capability.Inferred && slices.Contains(l.Evidence, "llm:"+by) {
					out = append(out, result.InferredLabel{Server: servers[i].Name, Tool: tool.Name, Tag: string(l.Tag)})
				}
			}
		}
	}
	return out
}
