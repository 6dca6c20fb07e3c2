package advise

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"gauntlet/capability"
	"gauntlet/catalog"
	"gauntlet/classify"
	"gauntlet/internal/engine/advice"
	"gauntlet/internal/run/interrupt"
	"gauntlet/internal/run/modelset"
	"gauntlet/internal/run/runstate"
	"gauntlet/internal/runtime/model"
	"gauntlet/result"
)

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
