package faults

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// Schema returns a JSON Schema of the extension's value, for editors.
func Schema() string {
	type object = map[string]any
	var every []any
	for _, k := range kinds {
		properties := object{
			"do":    object{"const": k.Name, "description": k.Says + "."},
			"on":    object{"description": "Methods whose messages it is for; all of them if left out. An answer has the method of its request.", "type": "array", "minItems": 1, "maxItems": maxMethods, "items": object{"type": "string", "minLength": 1}},
			"times": object{"description": "How often; always if left out.", "type": "integer", "minimum": 1, "maximum": maxTimes},
			"seed":  object{"description": "Of what is generated; 0 if left out.", "type": "integer", "minimum": 0, "maximum": int64(1) << 53},
		}
		for _, p := range k.Params {
			one := object{"description": fmt.Sprintf("%s. Default %s.", capitalise(p.Says), p.Show(p.Default))}
			switch p.Sort {
			case Integer:
				one["type"], one["minimum"], one["maximum"] = "integer", p.Least, p.Most
			case Duration:
				one["type"], one["pattern"] = "string", `^([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$|^0$`
			case Word:
				one["enum"] = p.Words
			case Text:
				one["type"] = "string"
			}
			properties[p.Name] = one
		}
		every = append(every, object{"type": "object", "required": []string{"do"}, "properties": properties, "additionalProperties": false})
	}
	out, _ := json.MarshalIndent(object{
		"description": "What gauntlet does to messages of this phase below the level of messages. The first rule that is for a message, and has not been used up, is done to it.",
		"type":        "array", "minItems": 1, "maxItems": maxRules, "items": object{"oneOf": every},
	}, "", "  ")
	return string(out)
}

// Show returns a parameter value as written in a document.
func (p *Param) Show(v any) string {
	if n, ok := v.(int64); ok && p.Sort == Duration {
		return time.Duration(n).String()
	}
	if v == "" {
		return `""`
	}
	return fmt.Sprint(v)
}

// Limit describes the allowed values, in particular the ceiling.
func (p *Param) Limit() string {
	switch p.Sort {
	case Duration:
		return "up to " + time.Duration(p.Most).String()
	case Word:
		return strings.Join(p.Words, ", ")
	case Text, Anything:
		return fmt.Sprintf("up to %d bytes", p.Most)
	}
	return fmt.Sprintf("%d to %d", p.Least, p.Most)
}

func capitalise(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
