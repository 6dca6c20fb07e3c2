package delivery

import (
	"strings"

	"gauntlet/internal/leaf/a2a"
	"gauntlet/internal/leaf/agui"
	"gauntlet/internal/leaf/mcp"
	"gauntlet/rawjson"
	"gauntlet/trace"
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

func clientAnswers(state rawjson.Value) []part {
	return append(choiceParts(mcp.SamplingCreateMessage, "", state.Get("sampling_responses")),
		choiceParts(mcp.ElicitationCreate, "", state.Get("elicitation_responses"))...)
}

func isAnswerKey(key string) bool { return key == answers[0] || key == answers[1] }

// a2aParts returns what an actor says over A2A (§7.2.4, §7.2.5).
func a2aParts(state rawjson.Value, server bool) []part {
	if !server {
		out := clientParts(state)
		for i := range out {
			out[i].Method, _ = a2a.Canonical(out[i].Method)
		}
		return out
	}
	out := []part{newPart("agent_card/get", "", textsOf(state.Get("agent_card")))}
	return withText(append(out, choiceParts("message/send", "", state.Get("task_responses"))...))
}

// What an AG-UI client sends to begin a run and to answer an agent's call.
const (
	runAgentInput  = "run_agent_input"
	toolCallResult = "tool_call_result"
)

// agUIParts returns what a front end says over AG-UI (§7.3.4). Each role of its messages and each other member of the
// input is a separate part, since some agents only see the user's request.
func agUIParts(state rawjson.Value, _ bool) []part {
	var out []part
	roles := map[string]int{}
	for m := range state.Get(runAgentInput).Members() {
		name := m.Key.Text()
		if name != "messages" {
			out = append(out, newPart(runAgentInput, name, textsOf(m.Value)))
			continue
		}
		for _, said := range m.Value.Elements() {
			role := said.Get("role").Text()
			at, ok := roles[role]
			if !ok {
				at = len(out)
				roles[role] = at
				p := newPart(runAgentInput, role, nil)
				p.task = role == "user"
				out = append(out, p)
			}
			for f := range said.Members() {
				if key := f.Key.Text(); key != "role" && key != "id" {
					out[at].texts = append(out[at].texts, textsOf(f.Value)...)
				}
			}
		}
	}
	return withText(append(dropIDs(out), choiceParts(toolCallResult, "", state.Get("tool_responses"))...))
}

// dropIDs removes what only names the run.
func dropIDs(parts []part) []part {
	var out []part
	for _, p := range parts {
		if p.Name != "threadId" && p.Name != "runId" && p.Name != "parentRunId" {
			out = append(out, p)
		}
	}
	return out
}

func saysPart(input rawjson.Value, name string) bool {
	if v := input.Get(name); v.Exists() && v.Kind() != rawjson.Null {
		return true
	}
	for _, m := range input.Get("messages").Elements() {
		if m.Get("role").Is(name) {
			return true
		}
	}
	return false
}

// A planted file is delivered once a message has its marker: the result of a tool that showed it, or words of the agent, which can
// have them from there only. Clients read some files without a call that anybody sees, so nothing else shows it.

// addRead marks the planted files that a message shows to have been read.
func (w *Watch) addRead(m *trace.Message) {
	if m.Method == agui.RunAgentInput || w.isLeftFile(m) {
		return // the user's words, and a copy that a program may have made
	}
	for i := range w.parts {
		if p := &w.parts[i]; p.marker != "" && strings.Contains(m.Raw, p.marker) {
			w.deliver(p, m)
		}
	}
}

func (w *Watch) isLeftFile(m *trace.Message) bool {
	if m.Method != agui.OwnTool {
		return false
	}
	content, err := m.Content(&w.tree)
	return err == nil && content.Get("tool").Is(agui.LeftFile)
}

// quotes reports whether the agent repeats a marker by itself, which only an agent at work does, in what it says or passes to its own tools.
func (w *Watch) quotes(m *trace.Message) bool {
	content, err := m.Content(&w.tree)
	if err != nil || m.Method != agui.Answer && (m.Method != agui.OwnTool || content.Get("tool").Is(agui.LeftFile)) {
		return false
	}
	said := content.Get("response").Raw() + content.Get("arguments").Raw()
	for i := range w.parts {
		if p := &w.parts[i]; p.marker != "" && strings.Contains(said, p.marker) {
			return true
		}
	}
	return false
}
