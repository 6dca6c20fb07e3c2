package oatf

import "gauntlet/rawjson"

// An Indicator is a sign that the agent complied with the attack (§6.1). It examines the messages of its protocol, filtered
// by Surface, Actor and Direction, and matches if any of them does. Exactly one of Pattern, Expression and Semantic is set.
type Indicator struct {
	ID       string // "OATF-027-01", or "indicator-01" without an attack id, once normalized
	Protocol string // such as mcp; from the execution's mode once normalized
	Surface  string // a protocol method or event; "" is any
	// Target is a wildcard path into the message (tools[*].description); "" is the whole message. It is required, so ""
	// does not mean absent.
	Target      string
	Actor       string          // the actor of the connection; "" is any
	Direction   Direction       // "" is both
	Method      IndicatorMethod // names the one of the three below that is set
	Description string
	Pattern     *PatternMatch
	Expression  *ExpressionMatch
	Semantic    *SemanticMatch
	Confidence  *int // 0 to 100, overrides the attack's
	Severity    SeverityLevel
	// FalsePositives describe honest situations that would match.
	FalsePositives []string
	// Tier is how far the agent went if the indicator matches. It is not part of the specification yet; the public
	// scenario library uses it on nearly every indicator.
	Tier       Tier
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
	Target *string // overrides the indicator's; set once normalized
	// Condition is a value to equal, or an object of operators that must all hold. Absent in the short form.
	Condition rawjson.Value
	// Shorthand is the short form (pattern: {regex: …}): an object with one operator. [Normalize] moves it to Condition (N-005).
	Shorthand rawjson.Value
}

// An ExpressionMatch evaluates a CEL expression on the message (§6.3).
type ExpressionMatch struct {
	CEL       string
	Variables []Variable // in document order
}

// A Variable names a nested value of the message for an expression.
type Variable struct {
	Name string // a CEL identifier
	Path string // a simple path; "" is the whole message
}

// A SemanticMatch asks a model whether a text has an intent (§6.4). It is experimental and model-dependent.
type SemanticMatch struct {
	Target      *string // overrides the indicator's; set once normalized
	Intent      string
	IntentClass IntentClass
	Threshold   *float64 // 0 to 1; nil means 0.7 and stays nil when normalized
	Examples    *SemanticExamples
}

// SemanticExamples are texts that should and should not match.
type SemanticExamples struct {
	Positive []string
	Negative []string
}
