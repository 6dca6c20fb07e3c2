package oatf

import (
	"strings"

	"gauntlet/rawjson"
)

// The operators of a condition (§5.4) and the forms of their operands, in the specification's order.
var operators = []field{
	{name: "contains", form: textForm, doc: "Part of the text. Anything but a string is compared as compact JSON."},
	{name: "starts_with", form: textForm, doc: "Beginning of the text."},
	{name: "ends_with", form: textForm, doc: "End of the text."},
	{name: "regex", form: textForm, doc: "RE2 expression that matches any part of the text."},
	{name: "any_of", form: listForm(1, anyForm), doc: "Equal to one of these."},
	{name: "gt", form: numberForm, doc: "Greater than this number."},
	{name: "lt", form: numberForm, doc: "Less than this number."},
	{name: "gte", form: numberForm, doc: "At least this number."},
	{name: "lte", form: numberForm, doc: "At most this number."},
	{name: "exists", form: booleanForm, doc: "Whether the value is present."},
}

// shortOperators are those that a pattern accepts without the word condition: all but exists (§6.2).
var shortOperators = operators[:len(operators)-1]

var conditionShape = &shape{name: "a condition", doc: "Operators that must all hold.", fields: operators, also: `"minProperties":1`}

// isOperators reports whether a condition is a mapping with at least one operator. Any other value is compared for equality.
func isOperators(v rawjson.Value) bool {
	for m := range v.Members() {
		if conditionShape.fieldNamed(m.Key.Text()) != nil {
			return true
		}
	}
	return false
}

// conditionForm accepts a bare value or operators.
var conditionForm = definedForm("condition", "A value to equal, or operators.", form{
	check: func(r *report, v rawjson.Value) {
		if isOperators(v) {
			objectForm(conditionShape).check(r, v)
		}
	},
	keywords: func(d definitions) string {
		return joinMembers(`"if":{"type":"object","anyOf":[`+requireEach(operators)+`]}`, `"then":{`+objectForm(conditionShape).schema(d)+`}`)
	},
})

// predicateForm is a mapping from paths to conditions (§5.4).
var predicateForm = definedForm("predicate", "Conditions by simple path; all must hold.", form{
	check: func(r *report, v rawjson.Value) {
		mappingForm.check(r, v)
		for m := range v.Members() {
			conditionForm.check(r, m.Value)
		}
	},
	keywords: func(d definitions) string {
		return joinMembers(mappingForm.keywords(d), `"propertyNames":{`+simplePathPattern+`}`, `"additionalProperties":{`+conditionForm.schema(d)+`}`)
	},
})

// simplePathPattern is the grammar of simple paths as a JSON Schema keyword.
const simplePathPattern = `"pattern":"^([A-Za-z0-9_-]+(\\.[A-Za-z0-9_-]+)*)?$"`

var patternShape = &shape{name: "a pattern", doc: "A comparison: a condition, or one operator alone.", fields: append([]field{
	{name: "target", form: targetForm},
	{name: "condition", form: conditionForm, null: true},
}, shortOperators...), also: `"oneOf":[` + requireEach(append([]field{{name: "condition"}}, shortOperators...)) + `]`}

// patternForm accepts the standard form, a condition with or without a target, or the short form, a single operator (§6.2).
var patternForm = form{doc: patternShape.doc, keywords: patternShape.keywords, check: func(r *report, v rawjson.Value) {
	if v.Kind() != rawjson.Object {
		mappingForm.check(r, v)
		return
	}
	objectForm(patternShape).check(r, v)
	var found []string
	for _, o := range shortOperators {
		if v.Get(o.name).Exists() {
			found = append(found, o.name)
		}
	}
	switch standard := v.Get("condition").Exists(); {
	case standard && len(found) > 0:
		r.mismatch("", v, "", "a pattern has either a condition or a single operator: move %s into the condition", strings.Join(found, ", "))
	case !standard && len(found) == 0 && v.Get("exists").Exists():
		r.mismatch("", v, "", "exists has no short form: write condition: {exists: …}")
	case !standard && len(found) == 0:
		r.mismatch("", v, "", "a pattern needs a condition, or one operator such as contains or regex")
	case len(found) > 1:
		r.mismatch("", v, "", "the short form of a pattern takes one operator: put %s into a condition", strings.Join(found, ", "))
	}
}}

// actionForm accepts an action: send, log, or a key of a binding (SDK §2.7a). V-041 checks that there is exactly one.
var actionForm = definedForm("action", "One action: send, log, or one that the protocol's binding knows.", form{
	check: func(r *report, v rawjson.Value) {
		mappingForm.check(r, v)
		for m := range v.Members() {
			switch m.Key.Text() {
			case "send":
				objectForm(sendShape).check(r, m.Value)
			case "log":
				objectForm(logShape).check(r, m.Value)
			}
		}
	},
	keywords: func(d definitions) string {
		own := func(name string, s *shape) string {
			return objectForm(&shape{fields: []field{{name: name, form: objectForm(s), required: true}}, extensions: true}).schema(d)
		}
		return `"type":"object","oneOf":[{` + own("send", sendShape) + `},{` + own("log", logShape) + `},` +
			`{"description":"An action of a binding.","allOf":[{"not":{"required":["send"]}},{"not":{"required":["log"]}},{"not":{"propertyNames":{"pattern":"^x-"}}}]}]`
	},
})
