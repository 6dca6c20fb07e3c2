package oatf

import (
	"strings"

	"gauntlet/internal/leaf/excerpt"
	"gauntlet/internal/leaf/faults"
	"gauntlet/internal/leaf/planted"
	"gauntlet/rawjson"
)

// The shapes of the format, with fields in the specification's order. Reading checks a tree against them once.
var (
	documentShape = &shape{name: "a document", doc: "An attack document of the Open Agent Threat Format " + Version + ", as gauntlet reads it.", fields: []field{
		{name: "oatf", form: oatfForm, doc: "Version of the format; first of all keys.", required: true, rule: "V-001"},
		{name: "$schema", form: textForm, doc: "URL of a schema such as this one, for editors."},
		{name: "attack", form: attackForm, required: true, rule: "V-003"},
	}}

	attackShape = &shape{name: "an attack", doc: "What the attack is, what it does and how to tell that it worked.", extensions: true, fields: []field{
		{name: "id", form: textForm.with(patternKeyword(attackIDPattern)), doc: "Stable id, such as ACME-007."},
		{name: "name", form: textForm.with(`"default":"Untitled"`), doc: "Name for people."},
		{name: "version", form: integerForm.with(`"minimum":1,"default":1`), doc: "Counts up from 1."},
		{name: "status", form: wordForm(StatusDraft, StatusExperimental, StatusStable, StatusDeprecated).with(`"default":"draft"`), doc: "Life-cycle status of the document."},
		{name: "created", form: textForm, doc: dateDoc},
		{name: "modified", form: textForm, doc: dateDoc},
		{name: "author", form: textForm, doc: "Person or organization."},
		{name: "description", form: textForm, doc: "What the attack does, why it matters, what it needs."},
		{name: "grace_period", form: durationForm, doc: "How long to keep observing after the last actor ended."},
		{name: "severity", form: severityForm, doc: "Severity of the attack."},
		{name: "impact", form: listForm(1, wordForm(ImpactBehaviorManipulation, ImpactDataExfiltration, ImpactDataTampering, ImpactUnauthorizedActions,
			ImpactInformationDisclosure, ImpactCredentialTheft, ImpactServiceDisruption, ImpactPrivilegeEscalation)).with(`"uniqueItems":true`), doc: "Kinds of harm."},
		{name: "classification", form: objectForm(classificationShape)},
		{name: "references", form: listForm(0, objectForm(referenceShape)), doc: "Further reading."},
		{name: "execution", form: objectForm(executionShape), required: true, rule: "V-004"},
		{name: "indicators", form: listForm(0, objectForm(indicatorShape)).with(`"minItems":1`), doc: "Signs that the agent complied. Without any, the document can be run but not judged."}, // V-006 rejects an empty list
		{name: "correlation", form: objectForm(&shape{name: "a correlation", fields: []field{
			{name: "logic", form: wordForm(LogicAny, LogicAll).with(`"default":"any"`), doc: "One indicator is enough, or all must match."}}}), doc: "How indicators combine."},
		{name: planted.Key, form: filesForm},
	}, also: `"dependentRequired":{"correlation":["indicators"]},"if":{"properties":{"execution":{"not":{"required":["mode"]}}}},` +
		`"then":{"properties":{"indicators":{"items":{"required":["protocol"]}}}}`}

	levelForm     = wordForm(SeverityInformational, SeverityLow, SeverityMedium, SeverityHigh, SeverityCritical)
	severityShape = &shape{name: "a severity", doc: "Level and confidence.", fields: []field{
		{name: "level", form: levelForm, doc: "Severity level, as in CVSS.", required: true},
		{name: "confidence", form: percentForm.with(`"default":50`), doc: "The author's confidence, in percent."},
	}}
	percentForm = integerForm.with(`"minimum":0,"maximum":100`)

	classificationShape = &shape{name: "a classification", doc: "Mappings to taxonomies.", fields: []field{
		{name: "category", form: wordForm(CategoryCapabilityPoisoning, CategoryResponseFabrication, CategoryContextManipulation,
			CategoryOversightBypass, CategoryTemporalManipulation, CategoryAvailabilityDisruption, CategoryCrossProtocolChain), doc: "How the attack works."},
		{name: "mappings", form: listForm(0, objectForm(mappingShape)), doc: "Entries of external frameworks."},
		{name: "tags", form: listForm(0, textForm), doc: "Search keywords, lower case with hyphens."},
	}}

	mappingShape = &shape{name: "a framework mapping", fields: []field{
		{name: "framework", form: textForm, doc: "atlas, mitre_attack, owasp_llm, owasp_mcp, owasp_agentic, cwe, other or one of your own.", required: true},
		{name: "id", form: textForm, doc: "Its id there.", required: true},
		{name: "name", form: textForm, doc: "Its name there."},
		{name: "url", form: textForm, doc: "Its address."},
		{name: "relationship", form: wordForm(RelationshipPrimary, RelationshipRelated).with(`"default":"primary"`), doc: "How close the relationship is."},
	}}

	referenceShape = &shape{name: "a reference", fields: []field{
		{name: "url", form: textForm, doc: "Address.", required: true},
		{name: "title", form: textForm, doc: "Title."},
		{name: "description", form: textForm, doc: "What it is."},
	}}

	executionShape = &shape{name: "an execution", doc: "What the adversarial side does: one of state, phases and actors.", extensions: true, fields: []field{
		{name: "mode", form: modeForm},
		{name: "state", form: mappingForm, doc: stateDoc},
		{name: "phases", form: phasesForm}, // V-007 rejects an empty list
		{name: "actors", form: listForm(0, objectForm(actorShape)).with(`"minItems":1`), doc: "Endpoints that run at the same time."},
	}, also: `"oneOf":[{"required":["mode","state"]},` +
		`{"required":["phases"],"if":{"not":{"required":["mode"]}},"then":{"properties":{"phases":{"items":{"required":["mode"]}}}}},` +
		`{"required":["actors"],"not":{"required":["mode"]}}],` +
		`"not":{"anyOf":[{"required":["state","phases"]},{"required":["state","actors"]},{"required":["phases","actors"]}]}`}

	modeForm   = textForm.with(patternKeyword(modePattern) + `,"examples":["mcp_server","mcp_client","a2a_server","a2a_client","ag_ui_client"]`).documented("Protocol and role, such as mcp_server.")
	phasesForm = definedForm("phases", "Stages, in order. The first has a state.", listForm(0, definedForm("phase", phaseShape.doc, objectForm(phaseShape))).with(`"minItems":1,"prefixItems":[{"$ref":"#/$defs/phase","required":["state"]}]`))

	actorShape = &shape{name: "an actor", doc: "One endpoint.", extensions: true, fields: []field{
		{name: "name", form: textForm.with(patternKeyword(identifierPattern)), doc: "Name for templates and indicators.", required: true, rule: "V-031"},
		{name: "mode", form: modeForm, required: true, rule: "V-031"},
		{name: "phases", form: phasesForm, required: true, rule: "V-031"},
	}}

	phaseShape = &shape{name: "a phase", doc: "One stage.", extensions: true, fields: []field{
		{name: "name", form: textForm, doc: "Its name; phase-1 and so on by default."},
		{name: "description", form: textForm, doc: "What it is for."},
		{name: "mode", form: modeForm},
		{name: "state", form: mappingForm, doc: stateDoc},
		{name: "extractors", form: listForm(0, objectForm(extractorShape)).with(`"minItems":1`), doc: "Values to extract from messages."}, // V-038 rejects an empty list
		{name: "on_enter", form: listForm(0, actionForm).with(`"minItems":1`), doc: "What to do when it begins."},                         // V-043 rejects an empty list
		{name: "trigger", form: objectForm(triggerShape), doc: "What ends the phase. The last phase has no trigger."},
		{name: faults.Key, form: faultsForm},
	}}

	triggerShape = &shape{name: "a trigger", doc: "Ends a phase after a number of events or a duration.", fields: []field{
		{name: "event", form: textForm.with(`"minLength":1`), doc: "Method or event of the protocol."},
		{name: "count", form: countForm, doc: "How many."},
		{name: "match", form: predicateForm},
		{name: "after", form: durationForm},
	}, also: `"anyOf":[{"required":["event"]},{"required":["after"]}],"dependentRequired":{"count":["event"],"match":["event"]}`}

	extractorShape = &shape{name: "an extractor", doc: "A value extracted from a message for templates.", fields: []field{
		{name: "name", form: textForm.with(patternKeyword(identifierPattern)), doc: "Name for templates: {{name}}.", required: true},
		{name: "source", form: wordForm(SourceRequest, SourceResponse), doc: "Which side of the exchange.", required: true},
		{name: "type", form: wordForm(ExtractJSONPath, ExtractRegex), doc: "Language of the selector.", required: true},
		{name: "selector", form: textForm, doc: "JSONPath of RFC 9535, or an RE2 expression with a capture group.", required: true},
	}}

	sendShape = &shape{name: "a send action", doc: "Send a message.", fields: []field{
		{name: "method", form: textForm, doc: "Method.", required: true},
		{name: "params", form: anyForm, doc: "Parameters, with templates in their strings.", null: true},
	}}

	logShape = &shape{name: "a log action", doc: "Write a log line.", fields: []field{
		{name: "message", form: textForm, doc: "Text, a template.", required: true},
		{name: "level", form: wordForm(LogInfo, LogWarn, LogError), doc: "Its weight."},
	}}

	indicatorShape = &shape{name: "an indicator", doc: "A sign that the agent complied.", extensions: true, fields: []field{
		{name: "id", form: textForm, doc: "The attack's id with a suffix -01, -02, …"},
		{name: "protocol", form: textForm.with(patternKeyword(identifierPattern)), doc: "Protocol, such as mcp."},
		{name: "surface", form: textForm, doc: "Method or event to examine."},
		{name: "target", form: targetForm, required: true},
		{name: "actor", form: textForm, doc: "Actor whose connection to examine."},
		{name: "direction", form: wordForm(DirectionRequest, DirectionResponse), doc: "Side of the exchange to examine."},
		{name: "method", form: wordForm(MethodPattern, MethodExpression, MethodSemantic), doc: "Which of the three follows."},
		{name: "description", form: textForm, doc: "What it shows."},
		{name: "pattern", form: patternForm},
		{name: "expression", form: objectForm(expressionShape)},
		{name: "semantic", form: objectForm(semanticShape)},
		{name: "confidence", form: percentForm, doc: "Confidence, in percent."},
		{name: "severity", form: levelForm, doc: "Severity level, as in CVSS."},
		{name: "false_positives", form: listForm(0, textForm), doc: "Honest situations that match."},
		{name: "tier", form: wordForm(TierIngested, TierLocalAction, TierBoundaryBreach), doc: "How far the agent went (of the public scenario library)."},
	}, also: `"oneOf":[{"required":["pattern"]},{"required":["expression"]},{"required":["semantic"]}],"allOf":[` +
		methodRequires("pattern") + `,` + methodRequires("expression") + `,` + methodRequires("semantic") + `]`}

	expressionShape = &shape{name: "an expression", doc: "A CEL expression on the message.", fields: []field{
		{name: "cel", form: textForm, doc: "Expression; message is the message.", required: true},
		{name: "variables", form: pathsForm, doc: "Names for simple paths into the message."},
	}}

	semanticShape = &shape{name: "a semantic block", doc: "A question to a model. Experimental.", fields: []field{
		{name: "target", form: targetForm},
		{name: "intent", form: textForm, doc: "The intent to find.", required: true},
		{name: "intent_class", form: wordForm(IntentPromptInjection, IntentDataExfiltration, IntentPrivilegeEscalation, IntentSocialEngineering, IntentInstructionOverride), doc: "Its class."},
		{name: "threshold", form: numberForm.with(`"minimum":0,"maximum":1`), doc: "Minimum score for a match; 0.7 if absent."},
		{name: "examples", form: examplesForm, doc: "Texts to check the model with."},
	}}

	examplesShape = &shape{name: "a set of examples", fields: []field{
		{name: "positive", form: listForm(0, textForm), doc: "Should match."},
		{name: "negative", form: listForm(0, textForm), doc: "Should not."},
	}, also: `"minProperties":1`}
)

const (
	dateDoc  = "Date, or date and time with a zone, in quotes."
	stateDoc = "What the actor presents. It replaces the previous state entirely; its content depends on the protocol."
)

var (
	durationForm = textForm.documented("30s, 5m, 1h, 2d, or ISO 8601 as PT1H30M.").with(
		patternKeyword(`^([0-9]+[smhd]|P[0-9]+D(T([0-9]+H([0-9]+M)?([0-9]+S)?|[0-9]+M([0-9]+S)?|[0-9]+S))?|PT([0-9]+H([0-9]+M)?([0-9]+S)?|[0-9]+M([0-9]+S)?|[0-9]+S))$`))
	targetForm = textForm.documented("Wildcard path into the message, such as tools[*].description; empty for all of it.").with(
		patternKeyword(`^([A-Za-z0-9_-]+(\[\*\])?(\.[A-Za-z0-9_-]+(\[\*\])?)*)?$`))
)

// faultsForm leaves checking to the rules.
var faultsForm = definedForm("wire", "", form{check: anyForm.check, keywords: func(definitions) string {
	return strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(faults.Schema()), "{"), "}")
}})

// filesForm leaves checking to the rules.
var filesForm = form{check: anyForm.check, keywords: func(definitions) string { return planted.Schema() }}

// methodRequires is the schema of an indicator whose method names a block.
func methodRequires(block string) string {
	return `{"if":{"properties":{"method":{"const":"` + block + `"}},"required":["method"]},"then":{"required":["` + block + `"]}}`
}

// oatfForm is V-001: a supported version as a string.
var oatfForm = checkedBy(func(r *report, v rawjson.Value) {
	switch {
	case v.Kind() != rawjson.String:
		r.mismatch("V-001", v, "", `want the version as a string: oatf: "%s"`, Version)
	case v.Text() != Version:
		r.rule("V-001", v, "", "version %q is not supported: want %q", excerpt.Clip(v.Text(), mostQuoted), Version)
	}
}, `"const":"`+Version+`"`)

// attackForm is V-003: one attack, a mapping.
var attackForm = form{doc: attackShape.doc, keywords: attackShape.keywords, check: func(r *report, v rawjson.Value) {
	if v.Kind() != rawjson.Object {
		r.mismatch("V-003", v, "", "a document has exactly one attack, which is a mapping and not %s", articleFor(v))
		return
	}
	objectForm(attackShape).check(r, v)
}}

// severityForm accepts a level alone or with a confidence (§4.3).
var severityForm = form{
	check: func(r *report, v rawjson.Value) {
		if v.Kind() == rawjson.String {
			levelForm.check(r, v)
			return
		}
		objectForm(severityShape).check(r, v)
	},
	keywords: func(d definitions) string {
		return `"anyOf":[{` + levelForm.schema(d) + `},{` + objectForm(severityShape).schema(d) + `}]`
	},
}

var countForm = checkedBy(func(r *report, v rawjson.Value) {
	if n, ok := v.Int(); !ok || n < 1 {
		r.mismatch("", v, "", "want a count of at least 1, not %s", articleFor(v))
	}
}, `"type":"integer","minimum":1,"default":1`)

// pathsForm is a mapping from names to simple paths.
var pathsForm = checkedBy(func(r *report, v rawjson.Value) {
	mappingForm.check(r, v)
	for m := range v.Members() {
		textForm.check(r, m.Value)
	}
}, `"type":"object","propertyNames":{"pattern":"^[_a-zA-Z][_a-zA-Z0-9]*$"},"additionalProperties":{"type":"string",`+simplePathPattern+`}`)

var examplesForm = form{keywords: examplesShape.keywords, check: func(r *report, v rawjson.Value) {
	objectForm(examplesShape).check(r, v)
	if v.Kind() == rawjson.Object && v.Len() == 0 {
		r.mismatch("", v, "", "add positive or negative examples, or omit examples")
	}
}}
