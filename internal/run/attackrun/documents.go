package attackrun

import (
	"context"
	"io"

	"gauntlet/finding"
	"gauntlet/internal/run/attackdoc"
	"gauntlet/oatf"
	"gauntlet/result"
)

// JudgeDocuments judges a recording by documents and returns a run for each, including those that cannot be judged. An error means
// that nothing of the recording was read.
func JudgeDocuments(ctx context.Context, file string, stdin io.Reader, texts []attackdoc.Text, limits oatf.Limits, scorer *Scorer) ([]result.AttackRun, []finding.Problem, error) {
	out := make([]result.AttackRun, 0, len(texts))
	var docs []*oatf.Document
	var places []int
	for i, t := range texts {
		d, problem := t.Load(limits)
		out = append(out, result.AttackRun{Document: t.Name, Problem: problem})
		if problem == "" {
			docs, places = append(docs, d), append(places, i)
		}
	}
	runs, err := JudgeTrace(ctx, file, stdin, docs, scorer)
	if runs == nil && err != nil {
		return nil, nil, err
	}
	var problems []finding.Problem
	if err != nil {
		problems = []finding.Problem{{Kind: finding.Unread, Message: "the trace was not read to its end: " + err.Error(), Location: finding.Location{Kind: finding.Message, File: file}}}
	}
	for n, i := range places {
		runs[n].Document, runs[n].Trace = out[i].Document, file
		out[i] = runs[n]
	}
	return out, problems, nil
}
