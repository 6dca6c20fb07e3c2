package advice

import (
	"context"
	"sync"

	"gauntlet/internal/leaf/excerpt"
	"gauntlet/result"
)

// A Judge answers a question with text that should be JSON. It may be called concurrently.
type Judge func(ctx context.Context, q *Question) (answer string, err error)

// longestReason limits the reason why a definition was not judged, in bytes.
const longestReason = 300

// Run asks a judge all distinct questions, at most parallel at a time. Any error leaves definitions unjudged.
func Run(ctx context.Context, model string, questions []*Question, parallel int, judge Judge) result.Advisory {
	out := result.Advisory{Model: model, Prompt: PromptVersion, Findings: []result.AdvisoryFinding{}, Unjudged: []result.NotJudged{}}
	answers := askAll(ctx, questions, parallel, judge)
	for _, q := range questions {
		a := answers[q.Prompt]
		findings, dropped, err := q.read(a.text)
		if a.err != nil {
			findings, dropped, err = nil, 0, a.err
		}
		if err != nil {
			out.Unjudged = append(out.Unjudged, result.NotJudged{Location: q.location, Reason: excerpt.Clip(err.Error(), longestReason)})
			continue
		}
		out.Judged++
		out.Dropped += dropped
		out.Findings = append(out.Findings, findings...)
	}
	return out
}

type answer struct {
	text string
	err  error
}

func askAll(ctx context.Context, questions []*Question, parallel int, judge Judge) map[string]*answer {
	answers := map[string]*answer{}
	slots := make(chan struct{}, max(1, parallel))
	var all sync.WaitGroup
	for _, q := range questions {
		if answers[q.Prompt] != nil {
			continue
		}
		a := &answer{}
		answers[q.Prompt] = a
		slots <- struct{}{}
		all.Go(func() { // ends with its judge, which has its own timeout
			defer func() { <-slots }()
			a.text, a.err = judge(ctx, q)
		})
	}
	all.Wait()
	return answers
}
