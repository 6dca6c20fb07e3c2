package indicator

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"gauntlet/internal/leaf/agui"
	"gauntlet/internal/leaf/excerpt"
	"gauntlet/oatf"
	"gauntlet/oatf/match"
	"gauntlet/rawjson"
	"gauntlet/verdict"
)

// Options configure an evaluation. The zero value is deterministic.
type Options struct {
	// Semantic judges the intent of texts. nil, the default, skips semantic indicators.
	Semantic SemanticEvaluator
	// WithoutCEL skips expression indicators.
	WithoutCEL bool
	// Time limits judging one document; default JudgeTime. Asking a model needs more.
	Time time.Duration
}

// An Indicator is a compiled indicator, safe for concurrent use.
type Indicator struct {
	id, tier string
	filter   filter
	method   method
	skip     string // why it is not evaluated, "" if it is
	unseen   string // why what it examines cannot occur, "" if it can
}

// A method judges a message.
type method interface {
	// evaluate reports whether a message matches, and on what evidence.
	evaluate(ctx context.Context, message rawjson.Value) (matched bool, evidence string, err error)
}

// Compile compiles an indicator of a document. It accepts the result of [oatf.Normalize] as well as short forms:
// targets only on the indicator, and a pattern without the word condition. Validation rejects whatever fails here.
func Compile(i *oatf.Indicator, o Options) (*Indicator, error) {
	out := &Indicator{
		id: i.ID, tier: string(i.Tier),
		filter: filter{i.Protocol, i.Surface, i.Actor, i.Direction, ReadsAnswer(i)},
		unseen: i.Unobservable(),
	}
	var err error
	switch i.DetectionMethod() {
	case oatf.MethodPattern:
		out.method, err = newPattern(i)
	case oatf.MethodExpression:
		out.method, err = newExpression(i.Expression)
		if o.WithoutCEL {
			out.skip = "CEL expressions are not evaluated here"
		}
	case oatf.MethodSemantic:
		out.method, err = newSemantic(i, o.Semantic)
		if o.Semantic == nil {
			out.skip = "there is no engine for semantic indicators: they need a model, and verdicts here come without one"
		}
	default:
		err = errors.New("it needs exactly one of pattern, expression and semantic")
	}
	if err != nil {
		return nil, fmt.Errorf("indicator %q: %w", i.ID, err)
	}
	return out, nil
}

// ReadsAnswer reports whether an indicator examines the agent's final answer (response.content).
func ReadsAnswer(i *oatf.Indicator) bool {
	target := i.Target
	switch {
	case i.Expression != nil:
		return i.Surface == agui.Answer
	case i.Pattern != nil && i.Pattern.Target != nil:
		target = *i.Pattern.Target
	case i.Semantic != nil && i.Semantic.Target != nil:
		target = *i.Semantic.Target
	}
	return target == "response" || strings.HasPrefix(target, "response.")
}

// Evaluate judges one message: its content without the envelope, as returned by [trace.Message.Content] (SDK §4.4). It
// does not check whether the indicator's filter accepts the message.
func (i *Indicator) Evaluate(ctx context.Context, message rawjson.Value) verdict.Indicator {
	v := i.verdict()
	if i.skip != "" {
		v.Result, v.Evidence = verdict.Skipped, i.skip
		return v
	}
	v.Examined = 1
	matched, evidence, err := i.method.evaluate(ctx, message)
	switch {
	case err != nil:
		v.Result, v.Evidence, v.Kind, v.Failed = verdict.Error, err.Error(), errorKind(err), 1
	case matched:
		v.Result, v.Evidence = verdict.Matched, evidence
	default:
		v.Result = verdict.NotMatched
	}
	return v
}

func (i *Indicator) verdict() verdict.Indicator { return verdict.Indicator{ID: i.id, Tier: i.tier} }

// errorKind returns the kind of an error as in SDK §2.20.
func errorKind(err error) string {
	var cel *match.EvalError
	var semantic *SemanticError
	switch {
	case errors.As(err, &cel):
		return string(cel.Kind)
	case errors.As(err, &semantic):
		return "semantic_error"
	}
	return "path_resolution"
}

// pattern compares the values at a target (SDK §4.2).
type pattern struct {
	target    match.Target
	condition *match.Condition
}

func newPattern(i *oatf.Indicator) (*pattern, error) {
	target, err := targetOf(i.Target, i.Pattern.Target)
	if err != nil {
		return nil, err
	}
	condition := i.Pattern.Condition
	if !condition.Exists() {
		condition = i.Pattern.Shorthand
	}
	c, err := match.ParseCondition(condition)
	return &pattern{target, c}, err
}

func (p *pattern) evaluate(_ context.Context, message rawjson.Value) (bool, string, error) {
	v, ok, err := p.condition.Search(p.target, message)
	if !ok {
		return false, "", err
	}
	if !v.Exists() {
		return true, "nothing stands at the target", nil
	}
	return true, quoteClipped(textOf(v)), nil
}

// targetOf parses the target of a detection key, which overrides the indicator's.
func targetOf(whole string, own *string) (match.Target, error) {
	if own != nil {
		whole = *own
	}
	t, err := match.ParseTarget(whole)
	if err != nil {
		return t, fmt.Errorf("target %w", err)
	}
	return t, nil
}

// expression evaluates CEL on the message (SDK §4.3).
type expression struct {
	cel       *match.Expression
	variables []variable
}

type variable struct {
	name string
	path match.Path
}

func newExpression(e *oatf.ExpressionMatch) (*expression, error) {
	out := &expression{}
	names := make([]string, len(e.Variables))
	for i, v := range e.Variables {
		path, err := match.ParsePath(v.Path)
		if err != nil {
			return nil, fmt.Errorf("variable %q: %w", v.Name, err)
		}
		out.variables = append(out.variables, variable{v.Name, path})
		names[i] = v.Name
	}
	var err error
	out.cel, err = match.ParseExpression(e.CEL, names...)
	return out, err
}

// evaluate binds variables with a missing value to null.
func (e *expression) evaluate(ctx context.Context, message rawjson.Value) (bool, string, error) {
	bindings := make([]match.Binding, 1, 1+len(e.variables))
	bindings[0] = match.Binding{Name: "message", Value: message}
	for _, v := range e.variables {
		bindings = append(bindings, match.Binding{Name: v.name, Value: v.path.Find(message)})
	}
	ok, err := e.cel.Eval(ctx, bindings...)
	return ok, "", err
}

// textOf returns a string itself, anything else as compact JSON.
func textOf(v rawjson.Value) string {
	if v.Kind() == rawjson.String {
		return v.Text()
	}
	return v.Compact()
}

// maxEvidence limits the bytes of a message quoted as evidence.
const maxEvidence = 300

// quoteClipped returns the evidence quoted from a text. It copies, since texts share their message's memory.
func quoteClipped(s string) string {
	return strings.Clone(excerpt.Clip(s, maxEvidence))
}
