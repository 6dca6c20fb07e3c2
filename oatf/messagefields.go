package oatf

import (
	"slices"
	"strings"
	"sync"
)

// A messageField lists the top-level fields of messages by protocol, surface and side. A field with [] is a list.
type messageField struct {
	protocol string
	surfaces string
	side     Direction
	fields   string
}

const (
	asks    = DirectionRequest // and notifications
	answers = DirectionResponse
)

// messageFields are the top-level fields of all messages that the bindings know, over all revisions: MCP 2024-11-05 to
// 2026-07-28, A2A 0.3.0 and AG-UI. A surface that is not listed is not judged.
var messageFields = []messageField{
	{"mcp", "initialize", asks, "protocolVersion capabilities clientInfo"},
	{"mcp", "initialize", answers, "protocolVersion capabilities serverInfo instructions"},
	{"mcp", "server/discover", asks, ""},
	{"mcp", "server/discover", answers, "supportedVersions[] capabilities instructions"},
	{"mcp", "ping", asks, ""},
	{"mcp", "ping", answers, ""},
	{"mcp", "tools/list resources/list resources/templates/list prompts/list tasks/list", asks, "cursor"},
	{"mcp", "tools/list", answers, "tools[] nextCursor"},
	{"mcp", "resources/list", answers, "resources[] nextCursor"},
	{"mcp", "resources/templates/list", answers, "resourceTemplates[] nextCursor"},
	{"mcp", "prompts/list", answers, "prompts[] nextCursor"},
	{"mcp", "tools/call", asks, "name arguments task inputResponses requestState"},
	{"mcp", "tools/call", answers, "content[] structuredContent isError task inputRequests requestState"},
	{"mcp", "prompts/get", asks, "name arguments inputResponses requestState"},
	{"mcp", "prompts/get", answers, "description messages[] inputRequests requestState"},
	{"mcp", "resources/read", asks, "uri inputResponses requestState"},
	{"mcp", "resources/read", answers, "contents[] inputRequests requestState"},
	{"mcp", "resources/subscribe resources/unsubscribe", asks, "uri"},
	{"mcp", "resources/subscribe resources/unsubscribe logging/setLevel", answers, ""},
	{"mcp", "subscriptions/listen", asks, "notifications"},
	{"mcp", "subscriptions/listen", answers, ""},
	{"mcp", "completion/complete", asks, "ref argument context"},
	{"mcp", "completion/complete", answers, "completion"},
	{"mcp", "logging/setLevel", asks, "level"},
	{"mcp", "sampling/createMessage", asks, "messages[] modelPreferences systemPrompt includeContext temperature maxTokens stopSequences[] metadata tools[] toolChoice task"},
	{"mcp", "sampling/createMessage", answers, "role content model stopReason task"},
	{"mcp", "elicitation/create", asks, "message requestedSchema mode url elicitationId task"},
	{"mcp", "elicitation/create", answers, "action content task"},
	{"mcp", "roots/list", asks, ""},
	{"mcp", "roots/list", answers, "roots[]"},
	{"mcp", "tasks/get tasks/result tasks/cancel", asks, "taskId"},
	{"mcp", "tasks/update", asks, "taskId inputResponses requestState"},
	{"mcp", "tasks/get tasks/cancel tasks/update", answers, "taskId status statusMessage createdAt lastUpdatedAt ttl pollInterval task result error inputRequests requestState"},
	{"mcp", "tasks/result", answers, "content structuredContent isError role model stopReason action"},
	{"mcp", "tasks/list", answers, "tasks[] nextCursor"},
	{"mcp", "notifications/initialized notifications/roots/list_changed notifications/tools/list_changed notifications/resources/list_changed notifications/prompts/list_changed", asks, ""},
	{"mcp", "notifications/cancelled", asks, "requestId reason"},
	{"mcp", "notifications/progress", asks, "progressToken progress total message"},
	{"mcp", "notifications/message", asks, "level logger data"},
	{"mcp", "notifications/resources/updated", asks, "uri title"},
	{"mcp", "notifications/tasks/status", asks, "taskId status statusMessage createdAt lastUpdatedAt ttl pollInterval"},
	{"mcp", "notifications/elicitation/complete", asks, "elicitationId"},
	{"mcp", "notifications/subscriptions/acknowledged", asks, "notifications"},

	{"a2a", "message/send message/stream", asks, "message configuration metadata"},
	{"a2a", "message/send message/stream", answers, "kind id contextId status history[] artifacts[] metadata role parts[] messageId taskId extensions[] referenceTaskIds[] final artifact append lastChunk"},
	{"a2a", "tasks/get", asks, "id historyLength metadata"},
	{"a2a", "tasks/cancel tasks/resubscribe", asks, "id metadata"},
	{"a2a", "tasks/get tasks/cancel", answers, "kind id contextId status history[] artifacts[] metadata"},
	{"a2a", "tasks/resubscribe", answers, "kind id contextId taskId status history[] artifacts[] metadata final artifact append lastChunk"},
	{"a2a", "task/status", answers, "kind taskId contextId status final metadata"},
	{"a2a", "task/artifact", answers, "kind taskId contextId artifact append lastChunk metadata"},
	{"a2a", "agent_card/get agent/getAuthenticatedExtendedCard", asks, ""},
	{"a2a", "agent_card/get agent/getAuthenticatedExtendedCard", answers, "protocolVersion name description url preferredTransport additionalInterfaces[] iconUrl provider version documentationUrl capabilities securitySchemes security[] defaultInputModes[] defaultOutputModes[] skills[] supportsAuthenticatedExtendedCard signatures[]"},

	{"ag_ui", "run_agent_input", asks, "threadId runId parentRunId messages[] tools[] context[] state forwardedProps"},
	{"ag_ui", "run_started run_finished run_error step_started step_finished", answers, "type timestamp rawEvent threadId runId parentRunId input result outcome message code stepName"},
	{"ag_ui", "text_message_start text_message_content text_message_end text_message_chunk", answers, "type timestamp rawEvent messageId role delta name content"},
	{"ag_ui", "tool_call_start tool_call_args tool_call_end tool_call_chunk tool_call_result", answers, "type timestamp rawEvent toolCallId toolCallName parentMessageId delta messageId content role arguments"},
	{"ag_ui", "tool_call_result", asks, "type timestamp rawEvent messageId toolCallId content role"},
	{"ag_ui", "state_snapshot state_delta messages_snapshot activity_snapshot activity_delta", answers, "type timestamp rawEvent snapshot delta[] messages[] messageId activityType content patch[] replace"},
	{"ag_ui", "raw custom", answers, "type timestamp rawEvent event source name value"},
	{"ag_ui", "thinking_start thinking_end thinking_text_message_start thinking_text_message_content thinking_text_message_end", answers, "type timestamp rawEvent title delta"},
	{"ag_ui", "reasoning_start reasoning_end reasoning_message_start reasoning_message_content reasoning_message_end reasoning_message_chunk reasoning_encrypted_value", answers, "type timestamp rawEvent messageId role delta subtype entityId encryptedValue"},
	{"ag_ui", "meta_event", answers, "type timestamp rawEvent metaType payload"},
}

// A topField is a top-level field of the messages of one surface and side.
type topField struct {
	protocol, surface, name string
	side                    Direction
}

// messageTable indexes messageFields: whether a field exists, and whether it is a list. "" as surface or name stands for any.
var messageTable = sync.OnceValue(func() map[topField]fieldKind {
	table := map[topField]fieldKind{}
	note := func(f topField, k fieldKind) {
		if old, ok := table[f]; ok && old != k {
			k = scalarField // a list in some messages only
		}
		table[f] = k
	}
	for _, m := range messageFields {
		for _, surface := range append(strings.Fields(m.surfaces), "") {
			table[topField{m.protocol, surface, "", ""}] = scalarField
			for _, field := range strings.Fields(m.fields) {
				name, list := strings.CutSuffix(field, "[]")
				for _, side := range []Direction{m.side, ""} {
					note(topField{m.protocol, surface, name, side}, map[bool]fieldKind{true: listField, false: scalarField}[list])
				}
			}
		}
	}
	return table
})

type fieldKind uint8

const (
	noField fieldKind = iota
	scalarField
	listField // a list in every message that has it
)

// fieldOf classifies a top-level field of the messages that an indicator sees; "" as surface means any, as side both.
func fieldOf(protocol, surface string, side Direction, name string) fieldKind {
	if name == answerField && side != DirectionRequest || slices.Contains(runtimeFields[protocol], name) && side != DirectionResponse {
		return scalarField
	}
	if slices.Contains(anyMessage, name) || side != DirectionRequest && slices.Contains(errorFields, name) {
		return scalarField
	}
	return messageTable()[topField{protocol, surface, name, side}]
}

// anyMessage are fields that any message may have: metadata, result fields of MCP 2026-07-28, and the request that a
// runtime adds to a client's response (SDK §4.1).
var anyMessage = []string{"_meta", "_request", "resultType", "ttlMs", "cacheScope"}

// answerField is the agent's final answer to its user (response.content) for indicators of any protocol. It is part of
// no message; the runtime records it as a separate event.
const answerField = "response"

// runtimeFields are added by the runtime to messages between agents: the text sent (a2a.task.message), the skill and
// arguments it refers to, and the whole message (body). The public scenarios use them.
var runtimeFields = map[string][]string{"a2a": {"a2a", "name", "arguments", "body"}}

// errorFields are the fields of an error response (§7.1.3).
var errorFields = []string{"code", "message", "data"}
