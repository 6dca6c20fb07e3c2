package oatf

import "gauntlet/rawjson"

// The shapes of the format, each in the specification's order of fields. Reading checks a
// tree against them, once.
var (
	documentShape = &shape{name: "a document", fields: []field{
		{name: "oatf", form: oatfForm, required: true, rule: "V-001"},
		{name: "$schema", form: text},
		{name: "attack", form: attackForm, required: true, rule: "V-003"},
	}}

	attackShape = &shape{name: "an attack", extensions: true, fields: []field{
		{name: "id", form: text},
		{name: "name", form: text},
		{name: "version", form: integer},
		{name: "status", form: word(StatusDraft, StatusExperimental, StatusStable, StatusDeprecated)},
		{name: "created", form: text},
		{name: "modified", form: text},
		{name: "author", form: text},
		{name: "description", form: text},
		{name: "grace_period", form: text},
		{name: "severity", form: severityForm},
		{name: "impact", form: list(1, word(ImpactBehaviorManipulation, ImpactDataExfiltration, ImpactDataTampering, ImpactUnauthorizedActions,
			ImpactInformationDisclosure, ImpactCredentialTheft, ImpactServiceDisruption, ImpactPrivilegeEscalation))},
		{name: "classification", form: object(classificationShape)},
		{name: "references", form: list(0, object(referenceShape))},
		{name: "execution", form: object(executionShape), required: true, rule: "V-004"},
		{name: "indicators", form: list(0, object(indicatorShape))}, // an empty one is V-006
		{name: "correlation", form: object(&shape{name: "a correlation", fields: []field{{name: "logic", form: word(LogicAny, LogicAll)}}})},
	}}

	levelForm     = word(SeverityInformational, SeverityLow, SeverityMedium, SeverityHigh, SeverityCritical)
	severityShape = &shape{name: "a severity", fields: []field{
		{name: "level", form: levelForm, required: true},
		{name: "confidence", form: integer},
	}}

	classificationShape = &shape{name: "a classification", fields: []field{
		{name: "category", form: word(CategoryCapabilityPoisoning, CategoryResponseFabrication, CategoryContextManipulation,
			CategoryOversightBypass, CategoryTemporalManipulation, CategoryAvailabilityDisruption, CategoryCrossProtocolChain)},
		{name: "mappings", form: list(0, object(mappingShape))},
		{name: "tags", form: list(0, text)},
	}}

	mappingShape = &shape{name: "a framework mapping", fields: []field{
		{name: "framework", form: text, required: true},
		{name: "id", form: text, required: true},
		{name: "name", form: text},
		{name: "url", form: text},
		{name: "relationship", form: word(RelationshipPrimary, RelationshipRelated)},
	}}

	referenceShape = &shape{name: "a reference", fields: []field{
		{name: "url", form: text, required: true},
		{name: "title", form: text},
		{name: "description", form: text},
	}}

	executionShape = &shape{name: "an execution", extensions: true, fields: []field{
		{name: "mode", form: text},
		{name: "state", form: mapping},
		{name: "phases", form: list(0, object(phaseShape))}, // an empty one is V-007
		{name: "actors", form: list(0, object(actorShape))},
	}}

	actorShape = &shape{name: "an actor", extensions: true, fields: []field{
		{name: "name", form: text, required: true, rule: "V-031"},
		{name: "mode", form: text, required: true, rule: "V-031"},
		{name: "phases", form: list(0, object(phaseShape)), required: true, rule: "V-031"},
	}}

	phaseShape = &shape{name: "a phase", extensions: true, fields: []field{
		{name: "name", form: text},
		{name: "description", form: text},
		{name: "mode", form: text},
		{name: "state", form: mapping},
		{name: "extractors", form: list(0, object(extractorShape))}, // an empty one is V-038
		{name: "on_enter", form: list(0, actionForm)},               // an empty one is V-043
		{name: "trigger", form: object(triggerShape)},
	}}

	triggerShape = &shape{name: "a trigger", fields: []field{
		{name: "event", form: text},
		{name: "count", form: countForm},
		{name: "match", form: predicateForm},
		{name: "after", form: text},
	}}

	extractorShape = &shape{name: "an extractor", fields: []field{
		{name: "name", form: text, required: true},
		{name: "source", form: word(SourceRequest, SourceResponse), required: true},
		{name: "type", form: word(ExtractJSONPath, ExtractRegex), required: true},
		{name: "selector", form: text, required: true},
	}}

	sendShape = &shape{name: "a send action", fields: []field{
		{name: "method", form: text, required: true},
		{name: "params", form: anything, null: true},
	}}

	logShape = &shape{name: "a log action", fields: []field{
		{name: "message", form: text, required: true},
		{name: "level", form: word(LogInfo, LogWarn, LogError)},
	}}

	indicatorShape = &shape{name: "an indicator", extensions: true, fields: []field{
		{name: "id", form: text},
		{name: "protocol", form: text},
		{name: "surface", form: text},
		{name: "target", form: text, required: true},
		{name: "actor", form: text},
		{name: "direction", form: word(DirectionRequest, DirectionResponse)},
		{name: "method", form: word(MethodPattern, MethodExpression, MethodSemantic)},
		{name: "description", form: text},
		{name: "pattern", form: patternForm},
		{name: "expression", form: object(expressionShape)},
		{name: "semantic", form: object(semanticShape)},
		{name: "confidence", form: integer},
		{name: "severity", form: levelForm},
		{name: "false_positives", form: list(0, text)},
		{name: "tier", form: word(TierIngested, TierLocalAction, TierBoundaryBreach)},
	}}

	expressionShape = &shape{name: "an expression", fields: []field{
		{name: "cel", form: text, required: true},
		{name: "variables", form: pathsForm},
	}}

	semanticShape = &shape{name: "a semantic block", fields: []field{
		{name: "target", form: text},
		{name: "intent", form: text, required: true},
		{name: "intent_class", form: word(IntentPromptInjection, IntentDataExfiltration, IntentPrivilegeEscalation, IntentSocialEngineering, IntentInstructionOverride)},
		{name: "threshold", form: number},
		{name: "examples", form: examplesForm},
	}}

	examplesShape = &shape{name: "a set of examples", fields: []field{
		{name: "positive", form: list(0, text)},
		{name: "negative", form: list(0, text)},
	}}
)

// oatfForm is V-001: a version that is a string and supported.
func oatfForm(r *report, v rawjson.Value) {
	switch {
	case v.Kind() != rawjson.String:
		r.mismatch("V-001", v, "", `want the version as a string: oatf: "%s"`, Version)
	case v.Text() != Version:
		r.rule("V-001", v, "", "version %q is not supported: want %q", clip(v.Text()), Version)
	}
}

// attackForm is V-003: one attack, which is a mapping.
func attackForm(r *report, v rawjson.Value) {
	if v.Kind() != rawjson.Object {
		r.mismatch("V-003", v, "", "a document has exactly one attack, which is a mapping and not %s", article(v))
		return
	}
	object(attackShape)(r, v)
}

// severityForm takes a level alone or a level with a confidence (§4.3).
func severityForm(r *report, v rawjson.Value) {
	if v.Kind() == rawjson.String {
		levelForm(r, v)
		return
	}
	object(severityShape)(r, v)
}

func countForm(r *report, v rawjson.Value) {
	if n, ok := v.Int(); !ok || n < 1 {
		r.mismatch("", v, "", "want a count of at least 1 and not %s", article(v))
	}
}

// pathsForm is a mapping from names to strings.
func pathsForm(r *report, v rawjson.Value) {
	mapping(r, v)
	for m := range v.Members() {
		text(r, m.Value)
	}
}

func examplesForm(r *report, v rawjson.Value) {
	object(examplesShape)(r, v)
	if v.Kind() == rawjson.Object && v.Len() == 0 {
		r.mismatch("", v, "", "give positive or negative examples, or leave examples out")
	}
}
