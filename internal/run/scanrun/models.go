package scanrun

import (
	"context"
	"slices"

	"gauntlet/capability"
	"gauntlet/classify"
	"gauntlet/internal/engine/advice"
	"gauntlet/internal/run/advise"
	"gauntlet/internal/run/modelset"
	"gauntlet/internal/run/redaction"
	"gauntlet/internal/run/sourcecode"
	"gauntlet/result"
)

// ModelPlans estimates the questions to models, after Read.
func (s *Scan) ModelPlans() []modelset.Plan {
	plans := advise.Plan(s.Advisers, s.adviceQuestions())
	if s.Layer3 != "" {
		l, servers := s.beginLayer3()
		plans = slices.Concat(plans, l.Plan(servers, s.Gathered.Catalog.Servers))
	}
	return plans
}

// adviceQuestions returns the questions about all definitions, without what servers were given.
func (s *Scan) adviceQuestions() []*advice.Question {
	opt := advice.Options{Mask: redaction.New(s.Gathered.Secrets).Replace}
	if s.source.Sources != nil {
		opt.Source = s.handlerText
	}
	return advice.Questions(&s.Gathered.Catalog, opt)
}

// handlerText returns the source from the beginning of a tool's handler.
func (s *Scan) handlerText(tool string) string {
	return sourcecode.HandlerText(s.source.Sources, s.source.Text, tool)
}

// askAdvisers adds models' opinions to the report, if requested.
func (s *Scan) askAdvisers(ctx context.Context, r *result.Report) error {
	if s.Advisers == nil {
		return nil
	}
	questions := s.adviceQuestions()
	s.Advisers.TellPlans(advise.Plan(s.Advisers, questions), s.Note)
	s.Progress.ResetCount()
	s.Progress.CountOf("questions")
	opinions, err := advise.Judge(ctx, s.Advisers, questions, s.Parallel, s.Progress)
	if err != nil {
		return err
	}
	r.Advisory = opinions
	if err := s.labelByModels(ctx, r); err != nil {
		return err
	}
	s.Note("models: %s", s.Advisers.Spent())
	for i := range opinions {
		if n := len(opinions[i].Unjudged); n > 0 {
			s.Note("%s: %d definitions were not judged, the first: %s", opinions[i].Model, n, opinions[i].Unjudged[0].Reason)
		}
	}
	return nil
}

// beginLayer3 labels all tools anew, so that models can be asked about those in doubt.
func (s *Scan) beginLayer3() (*advise.Layer3, []capability.Server) {
	servers := classify.Catalog(&s.Gathered.Catalog)
	l := &advise.Layer3{Set: s.Advisers, All: s.Layer3 == "all", Parallel: s.Parallel, Mask: redaction.New(s.Gathered.Secrets).Replace, Progress: s.Progress}
	l.Begin(servers)
	if s.source.Sources != nil && len(servers) == 1 {
		classify.WithSources(&servers[0], s.source.Sources)
		l.Source = s.handlerText
	}
	return l, servers
}

// labelByModels adds the labels models assign, if requested. The labels that checks use do not change.
func (s *Scan) labelByModels(ctx context.Context, r *result.Report) error {
	if s.Layer3 == "" {
		return nil
	}
	l, servers := s.beginLayer3()
	if _, _, err := l.Label(ctx, servers, s.Gathered.Catalog.Servers); err != nil {
		return err
	}
	for i := range r.Advisory {
		r.Advisory[i].Labels = advise.Inferred(servers, r.Advisory[i].Model)
	}
	return nil
}
