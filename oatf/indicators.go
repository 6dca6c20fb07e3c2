package oatf

import "gauntlet/rawjson"

// An Indicator is a sign that the agent complied with the attack (§6.1). It examines the messages of its protocol, filtered
// by Surface, Actor and Direction, and matches if any of them does. Exactly one of Pattern, Expression and Semantic is set.
type Indicator struct {
	ID       string `oatf:"id"`       // "OATF-027-01", or "indicator-01" without an attack id, once normalized
	Protocol string `oatf:"protocol"` // such as mcp; from the execution's mode once normalized
	Surface  string `oatf:"surface"`  // a protocol method or event; "" is any
	// Target is a wildcard path into the message (tools[*].description); "" is the whole message. It is required, so ""
	// does not mean absent.
	Target      string           `oatf:"target,always"`
	Actor       string           `oatf:"actor"`     // the actor of the connection; "" is any
	Direction   Direction        `oatf:"direction"` // "" is both
	Method      IndicatorMethod  `oatf:"method"`    // names the one of the three below that is set
	Description string           `oatf:"description"`
	Pattern     *PatternMatch    `oatf:"pattern"`
	Expression  *ExpressionMatch `oatf:"expression"`
	Semantic    *SemanticMatch   `oatf:"semantic"`
	Confidence  *int             `oatf:"confidence"` // 0 to 100, overrides the attack's
	Severity    SeverityLevel    `oatf:"severity"`
	// FalsePositives describe honest situations that would match.
	FalsePositives []string `oatf:"false_positives"`
	// Tier is how far the agent went if the indicator matches. It is not part of the specification yet; the public
	// scenario library uses it on nearly every indicator.
	Tier       Tier `oatf:"tier"`
	Extensions []Extension
}

// DetectionMethod returns the detection key that is set, "" for none or several.
func (i *Indicator) DetectionMethod() IndicatorMethod {
	var found IndicatorMethod
	n := 0
	for _, m := range []struct {
		set  bool
		name IndicatorMethod
	}{{i.Pattern != nil, MethodPattern}, {i.Expression != nil, MethodExpression}, {i.Semantic != nil, MethodSemantic}} {
		if m.set {
			found = m.name
			n++
		}
	}
	if n != 1 {
		return ""
	}
	return found
}

// A PatternMatch compares the value at a target (§6.2).
type PatternMatch struct {
	Target *string `oatf:"target"` // overrides the indicator's; set once normalized
	// Condition is a value to equal, or an object of operators that must all hold. Absent in the short form.
	Condition rawjson.Value `oatf:"condition"`
	// Shorthand is the short form (pattern: {regex: …}): an object with one operator. [Normalize] moves it to Condition (N-005).
	Shorthand rawjson.Value
}

func (p *PatternMatch) readRest(v rawjson.Value) {
	switch {
	case p.Condition.Exists():
	case p.Target == nil && v.Len() == 1:
		p.Shorthand = v
	default:
		var members []string
		for _, o := range shortOperators {
			members = append(members, o.name, v.Get(o.name).Raw())
		}
		p.Shorthand = rawjson.Read(rawjson.Build(members...))
	}
}

func (p *PatternMatch) writeRest(w *objectWriter) {
	for m := range p.Shorthand.Members() {
		w.writeValue(m.Key.Text(), m.Value)
	}
}

// An ExpressionMatch evaluates a CEL expression on the message (§6.3).
type ExpressionMatch struct {
	CEL       string     `oatf:"cel,always"`
	Variables []Variable // in document order
}

func (e *ExpressionMatch) readRest(v rawjson.Value) {
	for m := range v.Get("variables").Members() {
		e.Variables = append(e.Variables, Variable{Name: m.Key.Text(), Path: m.Value.Text()})
	}
}

func (e *ExpressionMatch) writeRest(w *objectWriter) {
	var members []string
	for _, v := range e.Variables {
		members = append(members, v.Name, rawjson.Quote(v.Path))
	}
	w.writeField("variables", e.Variables != nil, func() { w.b.WriteString(rawjson.Build(members...)) })
}

// A Variable names a nested value of the message for an expression.
type Variable struct {
	Name string // a CEL identifier
	Path string // a simple path; "" is the whole message
}

// A SemanticMatch asks a model whether a text has an intent (§6.4). It is experimental and model-dependent.
type SemanticMatch struct {
	Target      *string           `oatf:"target"` // overrides the indicator's; set once normalized
	Intent      string            `oatf:"intent,always"`
	IntentClass IntentClass       `oatf:"intent_class"`
	Threshold   *float64          `oatf:"threshold"` // 0 to 1; nil means 0.7 and stays nil when normalized
	Examples    *SemanticExamples `oatf:"examples"`
}

// SemanticExamples are texts that should and should not match.
type SemanticExamples struct {
	Positive []string `oatf:"positive"`
	Negative []string `oatf:"negative"`
}
