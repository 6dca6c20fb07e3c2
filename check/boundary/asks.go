package boundary

import (
	"slices"

	"gauntlet/rawjson"
)

// An ask is what a server wanted of a client, as the capabilities that it takes.
type ask struct {
	needs  []string
	what   string // the method or the result type
	offset int    // of the value that shows it in its message, in bytes
}

// asksOf reads a result: what it asks for in inputRequests, and a type that an extension
// defines.
func asksOf(result rawjson.Value) []ask {
	var out []ask
	for m := range result.Get("inputRequests").Members() {
		method := m.Value.Get("method")
		if needs := needed(method.Text(), m.Value.Get("params"), true); needs != nil {
			out = append(out, ask{needs, method.Text(), method.Offset()})
		}
	}
	switch t := result.Get("resultType"); t.Text() {
	case "", "complete", "input_required":
	case "task":
		out = append(out, ask{[]string{tasksExtension}, "resultType task", t.Offset()})
	default:
		out = append(out, ask{[]string{anyExtension}, "resultType " + t.Text(), t.Offset()})
	}
	return out
}

const (
	tasksExtension = "extensions.io.modelcontextprotocol/tasks"
	// anyExtension stands for whichever extension defines a result type that MCP does not.
	anyExtension = "extensions"
)

// needed returns the capabilities that a request to a client takes; nil for none. Before
// 2026-07-28 asking for context without the capability was discouraged only.
func needed(method string, params rawjson.Value, modern bool) []string {
	switch method {
	case "elicitation/create":
		if mode := params.Get("mode").Text(); mode != "" {
			return []string{"elicitation." + mode}
		}
		return []string{"elicitation.form"}
	case "sampling/createMessage":
		needs := []string{"sampling"}
		if on(params.Get("tools")) && params.Get("tools").Exists() || on(params.Get("toolChoice")) && params.Get("toolChoice").Exists() {
			needs = append(needs, "sampling.tools")
		}
		if c := params.Get("includeContext").Text(); modern && (c == "thisServer" || c == "allServers") {
			needs = append(needs, "sampling.context")
		}
		return needs
	case "roots/list":
		return []string{"roots"}
	case "tasks/get", "tasks/list", "tasks/result", "tasks/cancel":
		return []string{"tasks"}
	}
	return nil
}

// lacking returns what of an ask was not claimed.
func (a ask) lacking(set map[string]bool) []string {
	return slices.DeleteFunc(slices.Clone(a.needs), func(path string) bool {
		if path == anyExtension {
			for claimed := range set {
				if len(claimed) > len("extensions.") && claimed[:len("extensions.")] == "extensions." {
					return true
				}
			}
		}
		return set[path]
	})
}
