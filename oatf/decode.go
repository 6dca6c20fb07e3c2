package oatf

import (
	"strconv"
	"strings"

	"gauntlet/rawjson"
)

// decodeDocument builds the model of a tree. What does not fit is omitted: the shapes report it.
func decodeDocument(src *source) *Document {
	root := src.rootValue()
	return &Document{
		OATF: textOf(root, "oatf"), Schema: textOf(root, "$schema"),
		Attack: decodeAttack(memberOfKind(root, "attack", rawjson.Object)),
		source: src,
	}
}

func decodeAttack(v rawjson.Value) Attack {
	return Attack{
		ID: textOf(v, "id"), Name: textOf(v, "name"), Version: intOf(v, "version"), Status: Status(textOf(v, "status")),
		Created: Date(textOf(v, "created")), Modified: Date(textOf(v, "modified")),
		Author: textOf(v, "author"), Description: textOf(v, "description"), GracePeriod: textOf(v, "grace_period"),
		Severity: decodeSeverity(v.Get("severity")), Impact: decodeWords[Impact](v, "impact"),
		Classification: maybe(v, "classification", decodeClassification),
		References:     decodeEach(v, "references", decodeReference),
		Execution:      decodeExecution(memberOfKind(v, "execution", rawjson.Object)),
		Indicators:     decodeEach(v, "indicators", decodeIndicator),
		Correlation: maybe(v, "correlation", func(v rawjson.Value) Correlation {
			return Correlation{CorrelationLogic(textOf(v, "logic"))}
		}),
		Extensions: decodeExtensions(v),
	}
}

func decodeSeverity(v rawjson.Value) *Severity {
	switch v.Kind() {
	case rawjson.String:
		return &Severity{Level: SeverityLevel(v.Text())}
	case rawjson.Object:
		return &Severity{Level: SeverityLevel(textOf(v, "level")), Confidence: pointerTo(v, "confidence")}
	}
	return nil
}

func decodeClassification(v rawjson.Value) Classification {
	return Classification{
		Category: Category(textOf(v, "category")),
		Mappings: decodeEach(v, "mappings", func(v rawjson.Value) FrameworkMapping {
			return FrameworkMapping{textOf(v, "framework"), textOf(v, "id"), textOf(v, "name"), textOf(v, "url"), Relationship(textOf(v, "relationship"))}
		}),
		Tags: decodeWords[string](v, "tags"),
	}
}

func decodeReference(v rawjson.Value) Reference {
	return Reference{URL: textOf(v, "url"), Title: textOf(v, "title"), Description: textOf(v, "description")}
}

func decodeExecution(v rawjson.Value) Execution {
	return Execution{
		Mode: textOf(v, "mode"), State: memberOfKind(v, "state", rawjson.Object),
		Phases: decodeEach(v, "phases", decodePhase), Actors: decodeEach(v, "actors", decodeActor),
		Extensions: decodeExtensions(v),
	}
}

func decodeActor(v rawjson.Value) Actor {
	return Actor{Name: textOf(v, "name"), Mode: textOf(v, "mode"), Phases: decodeEach(v, "phases", decodePhase), Extensions: decodeExtensions(v)}
}

func decodePhase(v rawjson.Value) Phase {
	return Phase{
		Name: textOf(v, "name"), Description: textOf(v, "description"), Mode: textOf(v, "mode"),
		State: memberOfKind(v, "state", rawjson.Object), Extractors: decodeEach(v, "extractors", decodeExtractor),
		OnEnter: decodeEach(v, "on_enter", decodeAction), Trigger: maybe(v, "trigger", decodeTrigger),
		Extensions: decodeExtensions(v),
	}
}

func decodeTrigger(v rawjson.Value) Trigger {
	return Trigger{Event: textOf(v, "event"), Count: intOf(v, "count"), Match: memberOfKind(v, "match", rawjson.Object), After: textOf(v, "after")}
}

func decodeExtractor(v rawjson.Value) Extractor {
	return Extractor{textOf(v, "name"), ExtractorSource(textOf(v, "source")), ExtractorType(textOf(v, "type")), textOf(v, "selector")}
}

func decodeAction(v rawjson.Value) Action {
	a := Action{Extensions: decodeExtensions(v)}
	for m := range v.Members() {
		switch name := m.Key.Text(); {
		case name == "send":
			a.Send = &Send{Method: textOf(m.Value, "method"), Params: m.Value.Get("params")}
		case name == "log":
			a.Log = &Log{Message: textOf(m.Value, "message"), Level: LogLevel(textOf(m.Value, "level"))}
		case !strings.HasPrefix(name, "x-") && a.Binding == nil:
			a.Binding = &BindingAction{Name: name, Value: m.Value}
		}
	}
	return a
}

func decodeIndicator(v rawjson.Value) Indicator {
	return Indicator{
		ID: textOf(v, "id"), Protocol: textOf(v, "protocol"), Surface: textOf(v, "surface"), Target: textOf(v, "target"),
		Actor: textOf(v, "actor"), Direction: Direction(textOf(v, "direction")), Method: IndicatorMethod(textOf(v, "method")),
		Description: textOf(v, "description"), Pattern: maybe(v, "pattern", decodePattern),
		Expression: maybe(v, "expression", decodeExpression), Semantic: maybe(v, "semantic", decodeSemantic),
		Confidence: pointerTo(v, "confidence"), Severity: SeverityLevel(textOf(v, "severity")),
		FalsePositives: decodeWords[string](v, "false_positives"), Tier: Tier(textOf(v, "tier")),
		Extensions: decodeExtensions(v),
	}
}

func decodePattern(v rawjson.Value) PatternMatch {
	p := PatternMatch{Target: textPointer(v, "target"), Condition: v.Get("condition")}
	if p.Condition.Exists() {
		return p
	}
	if p.Target == nil && v.Len() == 1 {
		p.Shorthand = v
		return p
	}
	var b strings.Builder
	w := beginObject(&b, nil)
	for _, o := range shortOperators {
		w.writeValue(o.name, v.Get(o.name))
	}
	w.endObject()
	p.Shorthand = parseValue(b.String())
	return p
}

func decodeExpression(v rawjson.Value) ExpressionMatch {
	e := ExpressionMatch{CEL: textOf(v, "cel")}
	for m := range memberOfKind(v, "variables", rawjson.Object).Members() {
		e.Variables = append(e.Variables, Variable{Name: m.Key.Text(), Path: m.Value.Text()})
	}
	return e
}

func decodeSemantic(v rawjson.Value) SemanticMatch {
	s := SemanticMatch{Target: textPointer(v, "target"), Intent: textOf(v, "intent"), IntentClass: IntentClass(textOf(v, "intent_class"))}
	if f, ok := floatOf(v.Get("threshold")); ok {
		s.Threshold = &f
	}
	s.Examples = maybe(v, "examples", func(v rawjson.Value) SemanticExamples {
		return SemanticExamples{Positive: decodeWords[string](v, "positive"), Negative: decodeWords[string](v, "negative")}
	})
	return s
}

// decodeExtensions returns the fields x-*, each with the field of the format that it follows.
func decodeExtensions(v rawjson.Value) []Extension {
	var all []Extension
	after := ""
	for m := range v.Members() {
		if name := m.Key.Text(); strings.HasPrefix(name, "x-") {
			all = append(all, Extension{Name: name, Value: m.Value, After: after})
		} else {
			after = name
		}
	}
	return all
}

// decodeEach decodes a list of mappings, nil if there is none.
func decodeEach[T any](v rawjson.Value, name string, decode func(rawjson.Value) T) []T {
	list := memberOfKind(v, name, rawjson.Array)
	if !list.Exists() {
		return nil
	}
	all := make([]T, 0, list.Len())
	for _, e := range list.Elements() {
		all = append(all, decode(e))
	}
	return all
}

// decodeWords decodes a list of strings, nil if there is none.
func decodeWords[T ~string](v rawjson.Value, name string) []T {
	return decodeEach(v, name, func(v rawjson.Value) T { return T(v.Text()) })
}

// maybe decodes an optional mapping.
func maybe[T any](v rawjson.Value, name string, decode func(rawjson.Value) T) *T {
	m := memberOfKind(v, name, rawjson.Object)
	if !m.Exists() {
		return nil
	}
	t := decode(m)
	return &t
}

func intOf(v rawjson.Value, name string) int {
	n, _ := v.Get(name).Int() // a non-integer was reported
	return int(n)
}

func pointerTo(v rawjson.Value, name string) *int {
	n, ok := v.Get(name).Int()
	if !ok {
		return nil
	}
	return new(int(n))
}

func textPointer(v rawjson.Value, name string) *string {
	t := memberOfKind(v, name, rawjson.String)
	if !t.Exists() {
		return nil
	}
	return new(t.Text())
}

func floatOf(v rawjson.Value) (float64, bool) {
	if v.Kind() != rawjson.Number {
		return 0, false
	}
	f, err := strconv.ParseFloat(v.Raw(), 64)
	return f, err == nil
}
