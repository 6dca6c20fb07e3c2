package oatf

import (
	"slices"
	"strings"

	"gauntlet/internal/leaf/mcp"
)

// An operation is a known method or event of a protocol (§7.1.2, §7.2.2, §7.3.2). The table only serves warnings: an
// unknown name is used like any other.
type operation struct {
	name  string
	modes string // which roles see it as an event
	since string // first MCP revision with it
	until string // last MCP revision with it, "" for none yet
}

// Roles in the column modes.
const (
	atServer = "s"
	atClient = "c"
	atBoth   = "sc"
)

// operations by protocol. In MCP both sides see each other's requests, the sender through the response. A notification
// is seen by its receiver.
var operations = map[string][]operation{
	"mcp": mcpOperations(),
	"a2a": append(seen(atBoth, "message/send", "message/stream", "tasks/get", "tasks/list", "tasks/cancel", "tasks/resubscribe",
		"tasks/pushNotificationConfig/set", "tasks/pushNotificationConfig/get", "tasks/pushNotificationConfig/list", "tasks/pushNotificationConfig/delete",
		"agent/getAuthenticatedExtendedCard", "agent_card/get",
		"agent_card/keys", "agent_card/signature", // ours, for signed cards
	), seen(atClient, "task/status", "task/artifact")...),
	"ag_ui": seen(atClient, "run_agent_input",
		"run_started", "run_finished", "run_error", "step_started", "step_finished",
		"text_message_start", "text_message_content", "text_message_end", "text_message_chunk",
		"tool_call_start", "tool_call_args", "tool_call_end", "tool_call_chunk", "tool_call_result",
		"state_snapshot", "state_delta", "messages_snapshot", "activity_snapshot", "activity_delta",
		"thinking_start", "thinking_end", "thinking_text_message_start", "thinking_text_message_content", "thinking_text_message_end",
		"reasoning_start", "reasoning_end", "reasoning_message_start", "reasoning_message_content", "reasoning_message_end",
		"reasoning_message_chunk", "reasoning_encrypted_value", "raw", "custom", "meta_event", "agent_answer"),
}

func mcpOperations() []operation {
	var all []operation
	for _, m := range mcp.Methods() {
		seenBy := atBoth
		switch {
		case m.IsNotification() && !m.ToClient:
			seenBy = atServer
		case m.IsNotification() && !m.ToServer:
			seenBy = atClient
		}
		all = append(all, operation{m.Name, seenBy, m.Since(), m.Until()})
	}
	return all
}

// seen returns operations that these roles see.
func seen(modes string, names ...string) []operation {
	all := make([]operation, len(names))
	for i, n := range names {
		all[i] = operation{name: n, modes: modes}
	}
	return all
}

func operationOf(protocol, name string) (operation, bool) {
	all := operations[protocol]
	if i := slices.IndexFunc(all, func(o operation) bool { return o.name == name }); i >= 0 {
		return all[i], true
	}
	return operation{}, false
}

// knowsSurface reports whether a protocol has an operation; unknown protocols have any (V-018).
func knowsSurface(protocol, name string) bool {
	_, known := operationOf(protocol, name)
	return known || !slices.Contains(KnownProtocols(), protocol)
}

// knowsEvent reports whether actors of a mode see an event; those of unknown modes see all (V-029).
func knowsEvent(mode, event string) bool {
	if !isKnownMode(mode) {
		return true
	}
	o, ok := operationOf(ProtocolOf(mode), event)
	return ok && strings.Contains(o.modes, roleOfMode(mode))
}

func operationNames(protocol string) []string {
	var names []string
	for _, o := range operations[protocol] {
		names = append(names, o.name)
	}
	return names
}

// eventAdvice says which side sees an event that a mode does not see.
func eventAdvice(mode, event string) string {
	if o, ok := operationOf(ProtocolOf(mode), event); ok && !strings.Contains(o.modes, roleOfMode(mode)) {
		return ": it goes to the other side"
	}
	return ""
}

func roleOfMode(mode string) string {
	if IsServer(mode) {
		return atServer
	}
	return atClient
}

func isKnownMode(mode string) bool { return slices.Contains(KnownModes(), mode) }

// meantEvent suggests a known event for an unknown one.
func meantEvent(mode, event string) string {
	if _, known := operationOf(ProtocolOf(mode), event); known {
		return ""
	}
	return meant(event, operationNames(ProtocolOf(mode)))
}

// KnownModes returns the modes of the bindings in version 0.1 (SDK §3.2). Other modes are legal but cause warning W-002.
func KnownModes() []string {
	return []string{"mcp_server", "mcp_client", "a2a_server", "a2a_client", "ag_ui_client"}
}

// KnownProtocols returns the protocols of [KnownModes].
func KnownProtocols() []string { return []string{"mcp", "a2a", "ag_ui"} }

// ProtocolOf returns the protocol of a mode, the part before its last _server or _client (SDK §5.10): mcp for
// mcp_server, ag_ui for ag_ui_client. A mode without either suffix is returned unchanged.
func ProtocolOf(mode string) string {
	for _, role := range []string{"_server", "_client"} {
		if p, ok := strings.CutSuffix(mode, role); ok {
			return p
		}
	}
	return mode
}

// IsServer reports whether a mode is a server's, which waits for the agent to connect.
func IsServer(mode string) bool { return strings.HasSuffix(mode, "_server") }
