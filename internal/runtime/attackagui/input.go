package attackagui

import (
	"fmt"
	"slices"
	"strings"

	"gauntlet/internal/leaf/agui"
	"gauntlet/rawjson"
)

// An input is a run's input in parts: the document's, messages added since, and required members that the document omits.
type input struct {
	thread, run string   // as JSON
	messages    []string // as JSON
	rest        []string // members, unchanged
}

// readInput parses a RunAgentInput with templates expanded. Documents may omit what every agent requires: ids of thread, run and
// messages, and empty lists.
func readInput(text string, serial int) (*input, error) {
	v := rawjson.Read(text)
	if v.Kind() != rawjson.Object {
		return nil, fmt.Errorf("%s is a mapping", agui.RunAgentInput)
	}
	in := &input{
		thread: rawjson.Quote("thread-1"), run: rawjson.Quote(fmt.Sprintf("run-%d", serial)),
	}
	given := map[string]bool{}
	for m := range v.Members() {
		name := m.Key.Text()
		given[name] = true
		switch {
		case name == "synthesize":
		case name == "threadId":
			in.thread = m.Value.Raw()
		case name == "runId":
			in.run = m.Value.Raw()
		case name == "messages" && m.Value.Kind() == rawjson.Array:
			for i, one := range m.Value.Elements() {
				in.messages = append(in.messages, withID(one, i))
			}
		case name == "messages":
			in.rest = append(in.rest, `"messages":`+m.Value.Raw()) // not a list, as the document wants
			given["messages as they stand"] = true
		default:
			in.rest = append(in.rest, m.Key.Raw()+":"+m.Value.Raw())
		}
	}
	for _, d := range [][2]string{{"tools", "[]"}, {"context", "[]"}, {"state", "{}"}, {"forwardedProps", "{}"}} {
		if !given[d[0]] {
			in.rest = append(in.rest, rawjson.Quote(d[0])+":"+d[1])
		}
	}
	if given["messages as they stand"] {
		in.messages = nil
	} else if in.messages == nil {
		in.messages = []string{}
	}
	return in, nil
}

// JSON Schemas of what a model may write in this protocol.
const (
	messagesForm = `{"type":"object","properties":{"messages":{"type":"array","minItems":1,"items":{"type":"object","properties":{"role":{"enum":["user","assistant","system","developer"]},"content":{"type":"string"}},"required":["role","content"],"additionalProperties":false}}},"required":["messages"],"additionalProperties":false}`
	resultForm   = `{"type":"object","properties":{"content":{"type":"string"}},"required":["content"],"additionalProperties":false}`
)

// setMessages replaces the document's messages by a model's.
func (in *input) setMessages(list rawjson.Value) {
	in.messages, in.rest = nil, slices.DeleteFunc(in.rest, func(m string) bool { return strings.HasPrefix(m, `"messages":`) })
	for i, one := range list.Elements() {
		in.messages = append(in.messages, withID(one, i))
	}
}

// withID gives a message the id the protocol requires.
func withID(message rawjson.Value, place int) string {
	if message.Kind() != rawjson.Object || message.Get("id").Exists() {
		return message.Raw()
	}
	return rawjson.Join(rawjson.Build("id", rawjson.Quote(fmt.Sprintf("message-%d", place+1))), message.Raw())
}

func (in *input) body() string {
	parts := []string{`"threadId":` + in.thread, `"runId":` + in.run}
	if in.messages != nil {
		parts = append(parts, `"messages":[`+strings.Join(in.messages, ",")+`]`)
	}
	return "{" + strings.Join(append(parts, in.rest...), ",") + "}"
}

// addCalls adds the agent's last message, its pending calls, and their results.
func (in *input) addCalls(text string, calls []*agui.ToolCall, results []string, round int) {
	var made []string
	for _, c := range calls {
		made = append(made, `{"id":`+rawjson.Quote(c.ID)+`,"type":"function","function":{"name":`+rawjson.Quote(c.Name)+`,"arguments":`+rawjson.Quote(c.ArgsJSON())+`}}`)
	}
	in.messages = append(in.messages, `{"id":`+rawjson.Quote(fmt.Sprintf("assistant-%d", round+1))+`,"role":"assistant","content":`+rawjson.Quote(text)+`,"toolCalls":[`+strings.Join(made, ",")+`]}`)
	in.messages = append(in.messages, results...)
	in.run = rawjson.Quote(fmt.Sprintf("%s-%d", strings.Trim(rawjson.Unquote(in.run), " "), round+2))
}
