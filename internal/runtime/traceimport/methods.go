package traceimport

import (
	"slices"
	"strings"

	"gauntlet/internal/leaf/mcp"
	"gauntlet/rawjson"
	"gauntlet/trace"
)

// sideOf returns which side of MCP sends this request or notification, "" if both may.
func sideOf(method string) trace.Role {
	switch method {
	case mcp.SamplingCreateMessage, mcp.ElicitationCreate, mcp.RootsList, mcp.NotifyMessage, mcp.NotifyElicitationComplete:
		return trace.AsServer
	case mcp.Initialize, mcp.Discover, mcp.LoggingSetLevel, mcp.CompletionComplete, mcp.NotifyInitialized, mcp.NotifyRootsListChanged:
		return trace.AsClient
	case mcp.Ping, mcp.NotifyCancelled, mcp.NotifyProgress:
		return ""
	}
	switch {
	case strings.HasPrefix(method, "tools/"), strings.HasPrefix(method, "resources/"), strings.HasPrefix(method, "prompts/"), strings.HasPrefix(method, "subscriptions/"):
		return trace.AsClient
	case strings.HasPrefix(method, "message/"), strings.HasPrefix(method, "agent_card"): // A2A has these sides too
		return trace.AsClient
	case strings.HasPrefix(method, "notifications/tools/"), strings.HasPrefix(method, "notifications/resources/"), strings.HasPrefix(method, "notifications/prompts/"):
		return trace.AsServer
	}
	return ""
}

// resultMembers are members that a method's result has and its params lack.
var resultMembers = map[string][]string{
	mcp.Initialize:            {"serverInfo"},
	mcp.Discover:              {"serverInfo", "supportedVersions"},
	mcp.ToolsList:             {"tools"},
	mcp.ToolsCall:             {"content", "structuredContent", "isError"},
	mcp.ResourcesList:         {"resources"},
	mcp.ResourcesRead:         {"contents"},
	mcp.PromptsList:           {"prompts"},
	mcp.PromptsGet:            {"messages"},
	mcp.SamplingCreateMessage: {"role", "model", "stopReason"},
	mcp.ElicitationCreate:     {"action"},
	mcp.RootsList:             {"roots"},
	mcp.CompletionComplete:    {"completion"},
	"agent_card/get":          {"skills", "url"},
}

// looksLikeResult reports whether a content can only be an answer to the method.
func looksLikeResult(method, content string) bool {
	v := rawjson.Read(content)
	return slices.ContainsFunc(resultMembers[method], func(name string) bool { return v.Get(name).Exists() })
}
