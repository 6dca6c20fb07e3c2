package delivery

import (
	"gauntlet/internal/leaf/mcp"
	"gauntlet/rawjson"
)

// lists are the lists of an adversarial server's state: by what method one is read, by
// which its members are used one by one, and under which names a member holds what a use of
// it gives and how it is called.
var lists = []usedList{
	{"tools", mcp.ToolsList, mcp.ToolsCall, "name"},
	{"prompts", mcp.PromptsList, mcp.PromptsGet, "name"},
	{"resources", mcp.ResourcesList, mcp.ResourcesRead, "uri"},
	{"resource_templates", mcp.ResourceTemplatesList, mcp.ResourcesRead, "uriTemplate"},
}

// answers are the members of a definition that are not listed but given when it is used.
var answers = []string{"responses", "content"}

type usedList struct{ key, list, use, id string }

// mcpParts are what an actor says over MCP.
func mcpParts(state rawjson.Value, server bool) []part {
	if !server {
		return append(clientParts(state), clientAnswers(state)...)
	}
	out := []part{newPart(mcp.Initialize, "", append(textsOf(state.Get("instructions")), textsOf(state.Get("server_info"))...))}
	overlay := state.Get("x-gauntlet-overlay")
	out = append(out,
		newPart(mcp.ToolsList, "", append(textsOf(overlay.Get("append_description")), textsOf(overlay.Get("replace_description"))...)),
		newPart(mcp.ToolsCall, "", textsOf(overlay.Get("append_result"))),
	)
	for _, l := range lists {
		var listed []string
		for _, item := range state.Get(l.key).Elements() {
			for m := range item.Members() {
				if !isAnswerKey(m.Key.Text()) {
					listed = append(listed, textsOf(m.Value)...)
				}
			}
		}
		out = append(out, newPart(l.list, "", listed))
		for _, item := range state.Get(l.key).Elements() {
			name := item.Get(l.id).Text()
			out = append(out, choiceParts(l.use, name, item.Get("responses"))...)
			out = append(out, newPart(l.use, name, textsOf(item.Get("content"))))
		}
	}
	for _, e := range state.Get("elicitations").Elements() {
		out = append(out, newPart(mcp.ElicitationCreate, "", textsOf(e)))
	}
	return withText(out)
}

// clientAnswers are what a client answers to the server under attack.
func clientAnswers(state rawjson.Value) []part {
	return append(choiceParts(mcp.SamplingCreateMessage, "", state.Get("sampling_responses")),
		choiceParts(mcp.ElicitationCreate, "", state.Get("elicitation_responses"))...)
}

func isAnswerKey(key string) bool { return key == answers[0] || key == answers[1] }
