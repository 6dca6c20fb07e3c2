package indicator

import (
	"context"
	"fmt"

	"gauntlet/oatf"
	"gauntlet/oatf/match"
	"gauntlet/rawjson"
)

// DefaultThreshold is the minimum score for an intent if an indicator sets none (§6.4).
const DefaultThreshold = 0.7

// A SemanticEvaluator scores how much a text has an intent, from 0 (not at all) to 1 (SDK §6.2). This package ships
// none: a verdict must not depend on a model unless the user chose one.
type SemanticEvaluator interface {
	Score(ctx context.Context, q Question) (float64, error)
}

// A Question is what a SemanticEvaluator answers.
type Question struct {
	Text      string
	Intent    string           // in natural language
	Class     oatf.IntentClass // a hint; may be empty
	Threshold *float64         // as written; nil for DefaultThreshold
	Examples  *oatf.SemanticExamples
}

// A SemanticError is an error of a SemanticEvaluator.
type SemanticError struct{ Err error }

func (e *SemanticError) Error() string { return "semantic evaluation: " + e.Err.Error() }

func (e *SemanticError) Unwrap() error { return e.Err }

type semantic struct {
	target    match.Target
	threshold float64
	question  Question // without the text
	engine    SemanticEvaluator
}

func newSemantic(i *oatf.Indicator, engine SemanticEvaluator) (*semantic, error) {
	target, err := targetOf(i.Target, i.Semantic.Target)
	s := &semantic{target, DefaultThreshold, Question{
		Intent: i.Semantic.Intent, Class: i.Semantic.IntentClass,
		Threshold: i.Semantic.Threshold, Examples: i.Semantic.Examples,
	}, engine}
	if t := i.Semantic.Threshold; t != nil {
		s.threshold = *t
	}
	return s, err
}

// evaluate uses the highest score of all values at the target. Without a value it does not match, and the evaluator is not asked.
func (s *semantic) evaluate(ctx context.Context, message rawjson.Value) (matched bool, evidence string, err error) {
	best := -1.0
	s.target.Each(message, func(v rawjson.Value) bool {
		q := s.question
		q.Text = textOf(v)
		var score float64
		if score, err = s.engine.Score(ctx, q); err != nil {
			err = &SemanticError{err}
			return false
		}
		best = max(best, score)
		return true
	})
	if err != nil || best < s.threshold {
		return false, "", err
	}
	return true, fmt.Sprintf("score %.2f, threshold %.2f", best, s.threshold), nil
}
