package boundary

import (
	"slices"

	"gauntlet/internal/leaf/mcp"
	"gauntlet/rawjson"
)

// A capabilityUse is a server's request to a client, with the capabilities that it requires.
type capabilityUse struct {
	needs  []string
	what   string // method or result type
	offset int    // in the message, of the value that shows it, in bytes
}

// asksOf returns what a result asks for: its inputRequests, and a result type defined by an extension.
func asksOf(result rawjson.Value) []capabilityUse {
	var out []capabilityUse
	for m := range result.Get("inputRequests").Members() {
		method := m.Value.Get("method")
		if needs := neededCapabilities(method.Text(), m.Value.Get("params"), true); needs != nil {
			out = append(out, capabilityUse{needs, method.Text(), method.Offset()})
		}
	}
	switch t := result.Get("resultType"); t.Text() {
	case "", "complete", "input_required":
	case "task":
		out = append(out, capabilityUse{[]string{tasksExtension}, "resultType task", t.Offset()})
	default:
		out = append(out, capabilityUse{[]string{anyExtension}, "resultType " + t.Text(), t.Offset()})
	}
	return out
}

const (
	tasksExtension = "extensions.io.modelcontextprotocol/tasks"
	// anyExtension stands for the extension that defines a result type unknown to MCP.
	anyExtension = "extensions"
)

// neededCapabilities returns the capabilities that a request to a client requires; nil for none. Before 2026-07-28,
// asking for context without the capability was only discouraged.
func neededCapabilities(method string, params rawjson.Value, modern bool) []string {
	switch method {
	case mcp.ElicitationCreate:
		if mode := params.Get("mode").Text(); mode != "" {
			return []string{"elicitation." + mode}
		}
		return []string{"elicitation.form"}
	case mcp.SamplingCreateMessage:
		needs := []string{"sampling"}
		if isClaimed(params.Get("tools")) && params.Get("tools").Exists() || isClaimed(params.Get("toolChoice")) && params.Get("toolChoice").Exists() {
			needs = append(needs, "sampling.tools")
		}
		if c := params.Get("includeContext").Text(); modern && (c == "thisServer" || c == "allServers") {
			needs = append(needs, "sampling.context")
		}
		return needs
	case mcp.RootsList:
		return []string{"roots"}
	case mcp.TasksGet, mcp.TasksList, mcp.TasksResult, mcp.TasksCancel:
		return []string{"tasks"}
	}
	return nil
}

// lackingFrom returns the required capabilities that were not claimed.
func (a capabilityUse) lackingFrom(set map[string]bool) []string {
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
