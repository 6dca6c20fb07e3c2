package oatf

import (
	"strings"

	"gauntlet/rawjson"
)

// The operators of a condition (§5.4) and the forms of their operands, in the order of the
// specification.
var operators = []field{
	{name: "contains", form: text},
	{name: "starts_with", form: text},
	{name: "ends_with", form: text},
	{name: "regex", form: text},
	{name: "any_of", form: list(1, anything)},
	{name: "gt", form: number},
	{name: "lt", form: number},
	{name: "gte", form: number},
	{name: "lte", form: number},
	{name: "exists", form: boolean},
}

// shortOperators are those that a pattern takes without the word condition: all but exists (§6.2).
var shortOperators = operators[:len(operators)-1]

var conditionShape = &shape{name: "a condition", fields: operators}

// isOperators reports whether a condition is one of operators: a mapping with at least one
// of them. Any other value is to be equal to.
func isOperators(v rawjson.Value) bool {
	for m := range v.Members() {
		if conditionShape.field(m.Key.Text()) != nil {
			return true
		}
	}
	return false
}

// conditionForm takes a bare value or operators.
func conditionForm(r *report, v rawjson.Value) {
	if isOperators(v) {
		object(conditionShape)(r, v)
	}
}

// predicateForm is a mapping from paths to conditions (§5.4).
func predicateForm(r *report, v rawjson.Value) {
	mapping(r, v)
	for m := range v.Members() {
		conditionForm(r, m.Value)
	}
}

// patternForm takes the standard form, a condition with or without a target, or the short
// form, one operator alone (§6.2).
func patternForm(r *report, v rawjson.Value) {
	if v.Kind() != rawjson.Object {
		mapping(r, v)
		return
	}
	short := &shape{name: "a pattern", fields: append([]field{
		{name: "target", form: text},
		{name: "condition", form: conditionForm, null: true},
	}, shortOperators...)}
	object(short)(r, v)
	var found []string
	for _, o := range shortOperators {
		if v.Get(o.name).Exists() {
			found = append(found, o.name)
		}
	}
	switch standard := v.Get("condition").Exists(); {
	case standard && len(found) > 0:
		r.mismatch("", v, "", "a pattern has either a condition or one operator: move %s into the condition", strings.Join(found, ", "))
	case !standard && len(found) == 0 && v.Get("exists").Exists():
		r.mismatch("", v, "", "exists has no short form: write condition: {exists: …}")
	case !standard && len(found) == 0:
		r.mismatch("", v, "", "a pattern needs a condition, or one operator such as contains or regex")
	case len(found) > 1:
		r.mismatch("", v, "", "the short form of a pattern takes one operator: put %s into a condition", strings.Join(found, ", "))
	}
}

// actionForm takes one action: send, log, or one key of a binding (SDK §2.7a). How many
// there are is V-041.
func actionForm(r *report, v rawjson.Value) {
	mapping(r, v)
	for m := range v.Members() {
		switch m.Key.Text() {
		case "send":
			object(sendShape)(r, m.Value)
		case "log":
			object(logShape)(r, m.Value)
		}
	}
}
