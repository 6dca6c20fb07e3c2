package foreign

import (
	"strings"

	"gauntlet/rawjson"
	"gauntlet/trace"
)

// sideOf returns which side of MCP sends this request or notification, "" where both may.
func sideOf(method string) trace.Role {
	switch method {
	case "sampling/createMessage", "elicitation/create", "roots/list", "notifications/message", "notifications/elicitation/complete":
		return trace.AsServer
	case "initialize", "server/discover", "logging/setLevel", "completion/complete", "notifications/initialized", "notifications/roots/list_changed":
		return trace.AsClient
	case "ping", "notifications/cancelled", "notifications/progress":
		return ""
	}
	switch {
	case strings.HasPrefix(method, "tools/"), strings.HasPrefix(method, "resources/"), strings.HasPrefix(method, "prompts/"), strings.HasPrefix(method, "subscriptions/"):
		return trace.AsClient
	case strings.HasPrefix(method, "message/"), strings.HasPrefix(method, "agent_card"): // of A2A, which has such sides too
		return trace.AsClient
	case strings.HasPrefix(method, "notifications/tools/"), strings.HasPrefix(method, "notifications/resources/"), strings.HasPrefix(method, "notifications/prompts/"):
		return trace.AsServer
	}
	return ""
}

// resultMembers are members that a result of the method has and its params have not.
var resultMembers = map[string][]string{
	"initialize":             {"serverInfo"},
	"server/discover":        {"serverInfo", "supportedVersions"},
	"tools/list":             {"tools"},
	"tools/call":             {"content", "structuredContent", "isError"},
	"resources/list":         {"resources"},
	"resources/read":         {"contents"},
	"prompts/list":           {"prompts"},
	"prompts/get":            {"messages"},
	"sampling/createMessage": {"role", "model", "stopReason"},
	"elicitation/create":     {"action"},
	"roots/list":             {"roots"},
	"completion/complete":    {"completion"},
	"agent_card/get":         {"skills", "url"},
}

// looksLikeResult reports whether a content can only be an answer to the method.
func looksLikeResult(method, content string) bool {
	var tree rawjson.Tree
	if tree.Parse(content, 0) != nil {
		return false
	}
	for _, name := range resultMembers[method] {
		if tree.Root().Get(name).Exists() {
			return true
		}
	}
	return false
}
