package delivery

import (
	"gauntlet/internal/leaf/mcp"
	"gauntlet/rawjson"
)

// lists are the lists in an adversarial server's state: the method that lists members, the one that uses a member, and
// the keys of a member's results and name.
var lists = []usedList{
	{"tools", mcp.ToolsList, mcp.ToolsCall, "name"},
	{"prompts", mcp.PromptsList, mcp.PromptsGet, "name"},
	{"resources", mcp.ResourcesList, mcp.ResourcesRead, "uri"},
	{"resource_templates", mcp.ResourceTemplatesList, mcp.ResourcesRead, "uriTemplate"},
}

// answers are members of a definition that are not listed but returned on use.
var answers = []string{"responses", "content"}

type usedList struct{ key, list, use, id string }

// mcpParts returns what an actor says over MCP.
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

// clientAnswers returns what a client answers to the attacked server.
func clientAnswers(state rawjson.Value) []part {
	return append(choiceParts(mcp.SamplingCreateMessage, "", state.Get("sampling_responses")),
		choiceParts(mcp.ElicitationCreate, "", state.Get("elicitation_responses"))...)
}

func isAnswerKey(key string) bool { return key == answers[0] || key == answers[1] }
