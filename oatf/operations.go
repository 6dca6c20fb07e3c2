package oatf

import (
	"slices"
	"strings"

	"gauntlet/internal/leaf/mcp"
)

// An operation is a method or event that a protocol is known to have (§7.1.2, §7.2.2,
// §7.3.2). The table serves warnings alone: a name that it lacks is used like any other.
type operation struct {
	name  string
	modes string // which actors see it as an event, by the roles below
	since string // first MCP revision with it
	until string // last MCP revision with it, "" for none yet
}

// Roles in the column modes.
const (
	atServer = "s" // an actor in the role of the server sees it
	atClient = "c" // an actor in the role of the client sees it
	atBoth   = "sc"
)

// operations by protocol. In MCP a request of the client is seen by both sides, by the
// client as its answer; so is one of the server. A notification is seen by who receives it.
var operations = map[string][]operation{
	"mcp": mcpOperations(),
	"a2a": {
		{"message/send", atBoth, "", ""},
		{"message/stream", atBoth, "", ""},
		{"tasks/get", atBoth, "", ""},
		{"tasks/list", atBoth, "", ""},
		{"tasks/cancel", atBoth, "", ""},
		{"tasks/resubscribe", atBoth, "", ""},
		{"tasks/pushNotificationConfig/set", atBoth, "", ""},
		{"tasks/pushNotificationConfig/get", atBoth, "", ""},
		{"tasks/pushNotificationConfig/list", atBoth, "", ""},
		{"tasks/pushNotificationConfig/delete", atBoth, "", ""},
		{"agent/getAuthenticatedExtendedCard", atBoth, "", ""},
		{"agent_card/get", atBoth, "", ""},
		{"agent_card/keys", atBoth, "", ""}, // and the next: ours, of signed cards
		{"agent_card/signature", atBoth, "", ""},
		{"task/status", atClient, "", ""},
		{"task/artifact", atClient, "", ""},
	},
	"ag_ui": agUI("run_agent_input",
		"run_started", "run_finished", "run_error", "step_started", "step_finished",
		"text_message_start", "text_message_content", "text_message_end", "text_message_chunk",
		"tool_call_start", "tool_call_args", "tool_call_end", "tool_call_chunk", "tool_call_result",
		"state_snapshot", "state_delta", "messages_snapshot", "activity_snapshot", "activity_delta",
		"thinking_start", "thinking_end", "thinking_text_message_start", "thinking_text_message_content", "thinking_text_message_end",
		"reasoning_start", "reasoning_end", "reasoning_message_start", "reasoning_message_content", "reasoning_message_end",
		"reasoning_message_chunk", "reasoning_encrypted_value", "raw", "custom", "meta_event", "agent_answer"),
}

// mcpOperations makes operations of the methods of all revisions.
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

// agUI makes operations of event names; the protocol has a client's side only.
func agUI(names ...string) []operation {
	all := make([]operation, len(names))
	for i, n := range names {
		all[i] = operation{name: n, modes: atClient}
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

// knowsSurface reports whether a protocol is known to have an operation. Of a protocol
// that is not known everything is (V-018).
func knowsSurface(protocol, name string) bool {
	_, known := operationOf(protocol, name)
	return known || !slices.Contains(KnownProtocols(), protocol)
}

// knowsEvent reports whether actors of a mode are known to see an event. For a mode that
// is not known they see all (V-029).
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

// eventAdvice says which side sees an event that a mode does not.
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

// meantEvent asks whether an event that the protocol does not have was meant for one that
// it has.
func meantEvent(mode, event string) string {
	if _, known := operationOf(ProtocolOf(mode), event); known {
		return ""
	}
	return meant(event, operationNames(ProtocolOf(mode)))
}
