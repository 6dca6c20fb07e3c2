package delivery

import (
	"gauntlet/internal/leaf/a2a"
	"gauntlet/rawjson"
)

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

// saysPart reports whether a run's input contains a part.
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
