// Package model talks to language models: the one interface for every command that uses one, as an adviser or as the subject of a
// test. A model's id determines its provider; two wire forms, chat completions and Messages, cover all of them. Interpreting
// answers is the caller's: this package knows no findings, verdicts or gates.
//
// A provider's response is untrusted: its length is bounded, it cannot cause a panic, and keys never appear in what this package
// returns.
package model

import (
	"fmt"
	"strings"

	"gauntlet/internal/leaf/excerpt"
)

// A Role says who speaks.
type Role string

// Roles of a [Message]. The system's text is [Request.System].
const (
	User      Role = "user"
	Assistant Role = "assistant"
)

// A Request is one question to a model, independent of the provider.
type Request struct {
	System   string    `json:"system,omitempty"`
	Messages []Message `json:"messages"`
	Tools    []Tool    `json:"tools,omitempty"`
	// Schema is a JSON Schema of an object that the answer must match; "" for prose. The caller must check, since not every
	// provider enforces it. It cannot be combined with Tools.
	Schema string `json:"schema,omitempty"`
	// MaxTokens bounds the answer; required.
	MaxTokens int `json:"max_tokens"`
	// Temperature is omitted if nil, or if the model rejects it.
	Temperature *float64 `json:"temperature,omitempty"`
}

// A Message is one turn: text, the model's calls, or their results.
type Message struct {
	Role    Role         `json:"role"`
	Text    string       `json:"text,omitempty"`
	Calls   []ToolCall   `json:"calls,omitempty"`   // from an assistant
	Results []ToolResult `json:"results,omitempty"` // from a user, one for each preceding call
}

// A Tool is a tool the model may call. Schema is a JSON Schema of an object.
type Tool struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	Schema      string `json:"schema"`
}

// A ToolCall is a call made by the model. Arguments should be a JSON object but need not be: a model wrote it.
type ToolCall struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// A ToolResult is the result of a call, as shown to the model.
type ToolResult struct {
	CallID string `json:"call_id"`
	Text   string `json:"text"`
	Failed bool   `json:"failed,omitempty"`
}

// A Stop is why an answer ended.
type Stop string

// The stops.
const (
	Ended     Stop = "end"       // the model had nothing more to say
	Calls     Stop = "tools"     // it waits for the results of its calls
	Truncated Stop = "truncated" // Request.MaxTokens or the context was exhausted: the answer is incomplete
	Refused   Stop = "refused"   // the model or its provider declined to answer
	Paused    Stop = "paused"    // the provider asks to be called again with the answer so far
)

// Usage counts tokens as reported by the provider.
type Usage struct {
	Input  int `json:"input"`
	Output int `json:"output"`
}

// Add adds another answer's usage.
func (u *Usage) Add(other Usage) { u.Input += other.Input; u.Output += other.Output }

// An Answer is a model's answer.
type Answer struct {
	Text  string     `json:"text,omitempty"`
	Calls []ToolCall `json:"calls,omitempty"` // none if truncated: the last call may be incomplete
	Stop  Stop       `json:"stop"`
	// Refusal is the provider's text when it declined, or "".
	Refusal string `json:"refusal,omitempty"`
	Usage   Usage  `json:"usage"`
	// Model is the id the provider reports, often with a date.
	Model string `json:"model,omitempty"`
	// Cached says that the answer came from the cache at no cost.
	Cached bool `json:"-"`
}

// ends are what the providers of both forms call the end of an answer. Some of chat completions leave it out or call it as their
// own engine does.
var ends = map[string]Stop{
	"": Ended, "stop": Ended, "end_turn": Ended, "stop_sequence": Ended, "eos": Ended, "eos_token": Ended,
	"tool_calls": Ended, "tool_use": Ended, "function_call": Ended,
	"length": Truncated, "max_tokens": Truncated, "model_length": Truncated, "model_context_window_exceeded": Truncated,
	"content_filter": Refused, "refusal": Refused, "pause_turn": Paused,
}

// end sets Stop from the provider's word. Any other word, such as the "error" of a router whose provider failed, says that the text
// is no answer of the model.
func (a *Answer) end(reason string) error {
	stop, ok := ends[strings.ToLower(reason)]
	switch a.Stop = stop; {
	case !ok:
		return fmt.Errorf("the answer did not end by itself, but with %s", excerpt.Quote(reason, 100))
	case stop == Truncated:
		a.Calls = nil
	case stop == Refused:
		a.Refusal = "the provider declined (" + strings.ToLower(reason) + ")"
	case stop == Ended && len(a.Calls) > 0: // some servers say "stop" beside calls
		a.Stop = Calls
	}
	return nil
}
