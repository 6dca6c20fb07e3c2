package faults

import (
	"fmt"
	"strings"

	"gauntlet/rawjson"
)

// Faults in whole messages: ids, repetition, further messages.

func (r *Rule) planWrongID(m Message) (Plan, string) {
	id := rawjson.Read(m.Text).Get("id")
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
		return replaceMessage(rawjson.Without(m.Text, "id")), ""
	}
	return replaceMessage(rawjson.Replace(m.Text, "id", other)), ""
}

func (r *Rule) planDuplicate(m Message) (Plan, string) {
	n, other := r.numbers["count"], m.Text
	if r.texts["as"] == "error" {
		id := rawjson.Read(m.Text).Get("id")
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
	result := rawjson.Read(m.Text).Get("result")
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
	return replaceMessage(rawjson.Replace(m.Text, "result", setMember(result.Raw(), "nextCursor", `"`+cursor+`"`))), ""
}

func (r *Rule) planCache(m Message) (Plan, string) {
	result := rawjson.Read(m.Text).Get("result")
	if result.Kind() != rawjson.Object {
		return Plan{}, "the message is not a result"
	}
	changed := setMember(setMember(result.Raw(), "ttlMs", r.texts["ttl"]), "cacheScope", r.texts["scope"])
	return replaceMessage(rawjson.Replace(m.Text, "result", changed)), ""
}

func setMember(object, name, value string) string {
	if rawjson.LastMember(object, name) != "" {
		return rawjson.Replace(object, name, value)
	}
	return rawjson.Join(rawjson.Build(name, value), object)
}
