package faults

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"gauntlet/rawjson"
)

// Key is the extension of a phase under which its rules stand:
//
//	x-gauntlet-wire:
//	  - {do: drip, on: [tools/call], times: 1, piece: 1, every: 10ms}
const Key = "x-gauntlet-wire"

// Limits on a list of rules.
const (
	maxRules   = 100
	maxMethods = 100
	maxTimes   = 1_000_000
)

// A Rule applies one kind of fault to matching messages.
type Rule struct {
	*Kind
	On    []string // methods; empty for all. An answer has its request's method
	Times int64    // number of applications over all clients; 0 for unlimited
	Seed  int64

	numbers map[string]int64
	texts   map[string]string
}

// A Fault is an error in a list of rules.
type Fault struct {
	At  rawjson.Value
	Key string // the member of At concerned, possibly missing; "" for At itself
	// Name says that the member's name is wrong, not its value.
	Name bool
	Text string
}

// Read parses the extension's value, and returns all its errors.
func Read(v rawjson.Value) ([]*Rule, []Fault) {
	var r reader
	if v.Kind() != rawjson.Array || v.Len() == 0 {
		r.addFault(v, "", "want a list of rules, each as {do: drip, on: [tools/call]}")
		return nil, r.faults
	}
	if v.Len() > maxRules {
		r.addFault(v, "", "%d rules are more than the %d that are read", v.Len(), maxRules)
		return nil, r.faults
	}
	var rules []*Rule
	for _, e := range v.Elements() {
		if one := r.readRule(e); one != nil {
			rules = append(rules, one)
		}
	}
	return rules, r.faults
}

type reader struct{ faults []Fault }

func (r *reader) addFault(at rawjson.Value, key, format string, args ...any) {
	r.faults = append(r.faults, Fault{At: at, Key: key, Text: fmt.Sprintf(format, args...)})
}

func (r *reader) readRule(v rawjson.Value) *Rule {
	if v.Kind() != rawjson.Object {
		r.addFault(v, "", "want a rule, which is a mapping with the key do")
		return nil
	}
	do := v.Get("do")
	k := slices.Index(Names(), do.Text())
	if do.Kind() != rawjson.String || k < 0 {
		r.addFault(v, "do", "want one of %s", strings.Join(Names(), ", "))
		return nil
	}
	out := &Rule{Kind: &kinds[k], numbers: map[string]int64{}, texts: map[string]string{}}
	for _, p := range out.Params {
		out.setParam(p.Name, p.Default)
	}
	for m := range v.Members() {
		r.readRuleMember(out, v, m)
	}
	return out
}

func (r *reader) readRuleMember(out *Rule, v rawjson.Value, m rawjson.Member) {
	name := m.Key.Text()
	switch name {
	case "do":
	case "on":
		out.On = r.readMethods(v, m.Value)
	case "times":
		out.Times = r.readInteger(v, name, m.Value, 1, maxTimes)
	case "seed":
		out.Seed = r.readInteger(v, name, m.Value, 0, 1<<53)
	default:
		i := slices.IndexFunc(out.Params, func(p Param) bool { return p.Name == name })
		if i < 0 {
			names := []string{"do", "on", "times", "seed"}
			for _, p := range out.Params {
				names = append(names, p.Name)
			}
			r.faults = append(r.faults, Fault{At: v, Key: name, Name: true, Text: fmt.Sprintf("%s has no such key: it has %s", out.Name, strings.Join(names, ", "))})
			return
		}
		r.readRuleParam(out, v, m.Value, out.Params[i])
	}
}

func (r *reader) readMethods(v, list rawjson.Value) []string {
	out := list.Texts()
	if list.Kind() != rawjson.Array || len(out) != list.Len() || len(out) == 0 || slices.Contains(out, "") || len(out) > maxMethods {
		r.addFault(v, "on", "want a list of 1 to %d methods, such as [tools/list, tools/call]", maxMethods)
	}
	return out
}

func (r *reader) readInteger(v rawjson.Value, name string, n rawjson.Value, least, most int64) int64 {
	i, ok := n.Int()
	if !ok || i < least || i > most {
		r.addFault(v, name, "want an integer from %d to %d", least, most)
		return least
	}
	return i
}

func (r *reader) readRuleParam(out *Rule, v, value rawjson.Value, p Param) {
	switch p.Sort {
	case Integer:
		out.numbers[p.Name] = r.readInteger(v, p.Name, value, p.Least, p.Most)
	case Duration:
		d, err := time.ParseDuration(value.Text())
		if err != nil || d < 0 || int64(d) > p.Most {
			r.addFault(v, p.Name, "want a duration as 10ms or 1m30s, up to %s", time.Duration(p.Most))
			return
		}
		out.numbers[p.Name] = int64(d)
	case Word:
		if value.Kind() != rawjson.String || !slices.Contains(p.Words, value.Text()) {
			r.addFault(v, p.Name, "want one of %s", strings.Join(p.Words, ", "))
			return
		}
		out.texts[p.Name] = value.Text()
	case Text:
		if value.Kind() != rawjson.String || int64(len(value.Text())) > p.Most || strings.ContainsAny(value.Text(), "\r\n\x00") {
			r.addFault(v, p.Name, "want a text of up to %d bytes on one line", p.Most)
			return
		}
		out.texts[p.Name] = value.Text()
	case Anything:
		if text := value.Compact(); int64(len(text)) > p.Most {
			r.addFault(v, p.Name, "want at most %d bytes", p.Most)
		} else {
			out.texts[p.Name] = text
		}
	}
}

func (r *Rule) setParam(name string, value any) {
	switch v := value.(type) {
	case int64:
		r.numbers[name] = v
	case string:
		r.texts[name] = v
	}
}

// For reports whether the rule applies to messages of a method.
func (r *Rule) For(method string) bool { return len(r.On) == 0 || slices.Contains(r.On, method) }

// String returns the rule with its parameters, as in "drip piece=1 every=10ms".
func (r *Rule) String() string {
	text := r.Name
	for _, p := range r.Params {
		text += " " + p.Name + "="
		switch p.Sort {
		case Integer:
			text += fmt.Sprint(r.numbers[p.Name])
		case Duration:
			text += time.Duration(r.numbers[p.Name]).String()
		default:
			text += r.texts[p.Name]
		}
	}
	if r.Seed != 0 {
		text += fmt.Sprintf(" seed=%d", r.Seed)
	}
	return text
}

func (r *Rule) durationOf(name string) time.Duration { return time.Duration(r.numbers[name]) }

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
