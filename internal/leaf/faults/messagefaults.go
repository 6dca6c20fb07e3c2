package faults

import (
	"fmt"
	"strings"

	"gauntlet/rawjson"
)

// Faults in whole messages: ids, repetition, further messages.

func (r *Rule) planWrongID(m Message) (Plan, string) {
	id := parseObject(m.Text).Get("id")
	if !id.Exists() {
		return Plan{}, "the message has no id"
	}
	var other string
	switch raw := id.Raw(); r.texts["as"] {
	case "other":
		other = "900719925474099"
	case "null_id":
		other = "null"
	case "text":
		if other = `"` + raw + `"`; id.Kind() == rawjson.String {
			other = "1"
		}
	case "float":
		if other = raw + ".5"; id.Kind() == rawjson.String {
			other = "0.5"
		}
	case "object":
		other = `{"id":` + raw + `}`
	case "huge":
		other = strings.Repeat("9", 10_000)
	case "missing":
		return replaceMessage(withoutID(parseObject(m.Text))), ""
	}
	return replaceMessage(m.Text[:id.Offset()] + other + m.Text[id.Offset()+len(id.Raw()):]), ""
}

func withoutID(v rawjson.Value) string {
	var parts []string
	for m := range v.Members() {
		if m.Key.Text() != "id" {
			parts = append(parts, m.Key.Raw()+":"+m.Value.Raw())
		}
	}
	return "{" + strings.Join(parts, ",") + "}"
}

func (r *Rule) planDuplicate(m Message) (Plan, string) {
	n, other := r.numbers["count"], m.Text
	if r.texts["as"] == "error" {
		id := parseObject(m.Text).Get("id")
		if !m.Answer || !id.Exists() {
			return Plan{}, "the message is no answer with an id"
		}
		other = `{"jsonrpc":"2.0","id":` + id.Raw() + `,"error":{"code":-32603,"message":"another answer under the same id"}}`
	}
	return Plan{Many: true, Steps: func(yield func(Step) bool) {
		if !yield(wholeMessage(m.Text)) {
			return
		}
		for range n - 1 {
			if !yield(wholeMessage(other)) {
				return
			}
		}
	}}, ""
}

const logNotification = `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"%d"}}`

func (r *Rule) planBatch(m Message) (Plan, string) {
	n := r.numbers["count"]
	return Plan{Steps: func(yield func(Step) bool) {
		if !yield(Step{Begin: true, Data: []byte("[")}) {
			return
		}
		for i := range n {
			if !yield(Step{Data: fmt.Appendf(nil, logNotification+",", i)}) {
				return
			}
		}
		yield(Step{Data: []byte(m.Text + "]"), End: true})
	}}, ""
}

// floods are the messages of a flood, each with a placeholder for its number.
var floods = map[string]string{
	"log":      logNotification,
	"changed":  `{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"n":%d}}}`,
	"progress": `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"nobody-%[1]d","progress":%[1]d}}`,
	"ping":     `{"jsonrpc":"2.0","id":"flood-%d","method":"ping"}`,
	"answer":   `{"jsonrpc":"2.0","id":"flood-%d","result":{}}`,
}

func (r *Rule) planFlood(m Message) (Plan, string) {
	n, every, form := r.numbers["count"], r.durationOf("every"), floods[r.texts["as"]]
	return Plan{Many: true, Steps: func(yield func(Step) bool) {
		for i := range n {
			if !yield(wholeMessage(fmt.Sprintf(form, i))) || every > 0 && !yield(Step{Wait: every}) {
				return
			}
		}
		yield(wholeMessage(m.Text))
	}}, ""
}

func (r *Rule) planCursorLoop(m Message) (Plan, string) {
	result := parseObject(m.Text).Get("result")
	if result.Kind() != rawjson.Object {
		return Plan{}, "the message is not a result"
	}
	if m.Number >= r.numbers["count"] {
		return replaceMessage(m.Text), ""
	}
	cursor := "again"
	if r.texts["as"] == "fresh" {
		cursor = fmt.Sprintf("page-%d-%016x", m.Number+1, r.messageRand(m).Uint64())
	}
	return replaceMessage(setMember(m.Text, result, "nextCursor", `"`+cursor+`"`)), ""
}

func (r *Rule) planCache(m Message) (Plan, string) {
	result := parseObject(m.Text).Get("result")
	if result.Kind() != rawjson.Object {
		return Plan{}, "the message is not a result"
	}
	text := setMember(m.Text, result, "ttlMs", r.texts["ttl"])
	return replaceMessage(setMember(text, parseObject(text).Get("result"), "cacheScope", r.texts["scope"])), ""
}

// setMember sets a member of the object o, which is part of text.
func setMember(text string, o rawjson.Value, name, value string) string {
	if there := o.Get(name); there.Exists() {
		return text[:there.Offset()] + value + text[there.Offset()+len(there.Raw()):]
	}
	at := o.Offset() + 1
	member := `"` + name + `":` + value
	if o.Len() > 0 {
		member += ","
	}
	return text[:at] + member + text[at:]
}

// WithID returns an answer changed to answer another request.
func WithID(text, id string) string {
	if there := parseObject(text).Get("id"); there.Exists() {
		return text[:there.Offset()] + id + text[there.Offset()+len(there.Raw()):]
	}
	return text
}
