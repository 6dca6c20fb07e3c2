// Package agui defines the vocabulary of AG-UI, the protocol between an agent and its front end, and assembles a run's stream. It
// is pure: live streams and recordings are read alike.
package agui

import (
	"strings"

	"gauntlet/rawjson"
)

// Names of the protocol in traces and documents, including those without an event (§7.3.2).
const (
	Protocol      = "ag_ui"
	RunAgentInput = "run_agent_input" // starts a run
	// Answer is the trace event with everything an agent said to its user in one run: over AG-UI, or what it printed. Its content
	// is {"response":{"content":"…"}}, with "failed": true for a program that failed.
	Answer = "agent_answer"
	// Control is the trace event that says whether an agent that answered only in words called a harmless tool when asked, or gave a
	// sum: {"called":true,"sum":false,"ended":"how it ended"}. If the attack was played again for a sum, it says whether the agent
	// complied: {"called":true,"again":true,"complied":false}. For a server that said one thing, it is what it answered to ordinary
	// values: {"ordinary":"…","again":"the same call once more"}.
	Control = "agent_control"
	// OwnTool is the trace event for an agent's use of its own tool, from its event stream:
	// {"tool":"Bash","arguments":{…},"result":"…"}. Observed says whether these are all, and whether the agent failed in the end:
	// {"whole":true,"crashed":true}.
	OwnTool = "agent_own_tool"
	// LeftFile is the tool in such an event for a file that the agent's working directory held in the end, whatever wrote it.
	LeftFile = "file left behind"
	Observed = "agent_observed"
)

// Protocol events that are used here.
const (
	RunStarted         = "run_started"
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

// EventName returns the name of an event type in documents: TOOL_CALL_START is tool_call_start.
func EventName(eventType string) string { return strings.ToLower(eventType) }

// AnswerContent returns the content of an Answer; failed says that the program failed, so the text may be a mere error message.
func AnswerContent(text string, failed bool) string {
	content := `{"response":{"content":` + rawjson.Quote(text) + `}`
	if failed {
		content += `,"failed":true`
	}
	return content + `}`
}

// SaidIn returns the text of a message's content: a string, or the text parts of a list.
func SaidIn(content rawjson.Value) string {
	var parts []string
	for _, p := range content.Elements() {
		if text := p.Get("text").Text(); text != "" {
			parts = append(parts, text)
		}
	}
	return content.Text() + strings.Join(parts, "\n")
}
