package scriptedmodel

import (
	"encoding/json"
	"strings"
)

// writeMessage writes what an attack document leaves to a model, in the form that the schema wants: the words behind "write:" in the
// prompt, to the end of their line.
func (c *conversation) writeMessage(wanted map[string]json.RawMessage) string {
	_, words, _ := strings.Cut(c.lastText(), "write:")
	words, _, _ = strings.Cut(strings.TrimSpace(words), "\n")
	item := object{"type": "text", "text": words}
	var out object
	switch {
	case wanted["answer"] != nil:
		out = object{"answer": object{"kind": "message", "role": "agent", "messageId": "m1", "parts": []object{{"kind": "text", "text": words}}}}
	case wanted["messages"] != nil:
		var content any = words
		if strings.Contains(string(wanted["messages"]), "resource_link") { // of a prompt, and not of a front end
			content = item
		}
		out = object{"messages": []object{{"role": "user", "content": content}}}
	case wanted["contents"] != nil:
		out = object{"contents": []object{{"uri": "made://up", "text": words}}}
	case wanted["role"] != nil:
		out = object{"role": "assistant", "content": item, "model": "scripted"}
	default:
		out = contentOf(wanted["content"], words, item)
	}
	if schema := wanted["structuredContent"]; schema != nil {
		out["structuredContent"] = filled(schema, words)
	}
	text, _ := json.Marshal(out)
	return string(text)
}

// contentOf is a tool's result, the text of one, or a form that was filled in.
func contentOf(schema json.RawMessage, words string, item object) object {
	var kind struct {
		Type string `json:"type"`
	}
	_ = json.Unmarshal(schema, &kind)
	switch kind.Type {
	case "array":
		return object{"content": []object{item}}
	case "string":
		return object{"content": words}
	}
	return object{"content": filled(schema, words)}
}

// filled gives each string of an object's schema the words.
func filled(schema json.RawMessage, words string) object {
	var s struct {
		Properties map[string]struct{ Type string } `json:"properties"`
	}
	_ = json.Unmarshal(schema, &s)
	out := object{}
	for name, p := range s.Properties {
		if p.Type == "string" {
			out[name] = words
		}
	}
	return out
}
