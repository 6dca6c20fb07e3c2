package cli

import (
	"context"

	"gauntlet/internal/engine/advice"
	"gauntlet/internal/run/advise"
	"gauntlet/internal/run/redaction"
	"gauntlet/internal/run/sourcecode"
	"gauntlet/result"
)

// adviceQuestions are the questions about all definitions that were read, without what was given to servers.
func (s *scanCommand) adviceQuestions() []*advice.Question {
	opt := advice.Options{Mask: redaction.New(s.gathered.Secrets).Replace}
	if s.source.Sources != nil {
		opt.Source = s.handlerText
	}
	return advice.Questions(&s.gathered.Catalog, opt)
}

// handlerText is the source from the beginning of a tool's handler on.
func (s *scanCommand) handlerText(tool string) string {
	return sourcecode.HandlerText(s.source.Sources, s.source.Text, tool)
}

// askAdvisers puts the opinions of models into the report, where any are asked for.
func (s *scanCommand) askAdvisers(ctx context.Context, r *result.Report) error {
	if s.advisers == nil {
		return nil
	}
	questions := s.adviceQuestions()
	s.tellPlans(s.advisers, advise.Plan(s.advisers, questions))
	s.progress.ResetCount()
	s.progress.countOf("questions")
	opinions, err := advise.Judge(ctx, s.advisers, questions, s.models.parallel, s.progress)
	if err != nil {
		return err
	}
	r.Advisory = opinions
	if err := s.labelByModels(ctx, r); err != nil {
		return err
	}
	s.note("models: %s", s.advisers.Spent())
	for i := range opinions {
		if n := len(opinions[i].Unjudged); n > 0 {
			s.note("%s: %d definitions were not judged, the first: %s", opinions[i].Model, n, opinions[i].Unjudged[0].Reason)
		}
	}
	return nil
}
