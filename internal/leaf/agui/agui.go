// Package agui has the words of AG-UI, the protocol between an agent and its front end, and puts the
// pieces of a run's stream together. It is pure: who reads a stream and who judges the recording of one
// see the same.
package agui

import (
	"strings"

	"gauntlet/rawjson"
)

// The protocol, as traces and documents call it, and what it has no event for (§7.3.2).
const (
	Protocol      = "ag_ui"
	RunAgentInput = "run_agent_input" // what begins a run
	// Answer is the event by which a trace holds what an agent said to its user in one run, whole: over
	// AG-UI or, of an agent that does not speak it, what it printed. Its content is
	// {"response":{"content":"…"}}, and "failed": true of a program that ended badly.
	Answer = "agent_answer"
	// Control is the event by which a trace holds whether an agent of which only words were heard called a harmless
	// tool when its user asked for that: {"called":true}.
	Control = "agent_control"
	// OwnTool is the event by which a trace holds that an agent used a tool of its own, as its stream of events says:
	// {"tool":"Bash","arguments":{…},"result":"…"}. Observed holds whether these are all: {"whole":true}.
	OwnTool  = "agent_own_tool"
	Observed = "agent_observed"
)

// Events of the protocol that mean something here.
const (
	RunFinished        = "run_finished"
	RunError           = "run_error"
	ToolCallResult     = "tool_call_result"
	ToolCallStart      = "tool_call_start"
	toolCallArgs       = "tool_call_args"
	toolCallEnd        = "tool_call_end"
	ToolCallChunk      = "tool_call_chunk"
	textMessageStart   = "text_message_start"
	textMessageContent = "text_message_content"
	textMessageEnd     = "text_message_end"
	textMessageChunk   = "text_message_chunk"
	messagesSnapshot   = "messages_snapshot"
)

// EventName returns the name that documents have for an event type of the protocol: TOOL_CALL_START is
// tool_call_start.
func EventName(eventType string) string { return strings.ToLower(eventType) }

// AnswerContent is the content of an Answer; failed says that its program ended badly, so that it may be no more
// than an error message.
func AnswerContent(text string, failed bool) string {
	content := `{"response":{"content":` + rawjson.Quote(text) + `}`
	if failed {
		content += `,"failed":true`
	}
	return content + `}`
}

// SaidIn returns the words of a message's content: a text, or a list of parts of which those
// of text count.
func SaidIn(content rawjson.Value) string {
	var parts []string
	for _, p := range content.Elements() {
		if text := p.Get("text").Text(); text != "" {
			parts = append(parts, text)
		}
	}
	return content.Text() + strings.Join(parts, "\n")
}
