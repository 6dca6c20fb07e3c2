// Package model speaks to language models: one seam for every command that asks one, be it as
// an adviser or as what is tested. A model's id says whose it is; two wire forms, chat
// completions and Messages, cover all providers. What an answer means is the caller's: nothing
// here knows findings, verdicts or gates.
//
// Whatever a provider answers is a stranger's: its length is bounded, it never panics a reader,
// and keys never stand in what this package returns.
package model

// A Role says who speaks.
type Role string

// The roles of a [Message]. What a system says is [Request.System].
const (
	User      Role = "user"
	Assistant Role = "assistant"
)

// A Request is one question to a model, the same for every provider.
type Request struct {
	System   string    `json:"system,omitempty"`
	Messages []Message `json:"messages"`
	Tools    []Tool    `json:"tools,omitempty"`
	// Schema, a JSON Schema of an object, is what the answer has to be an instance of; "" for
	// prose. Whether it is one is the caller's to check: not every provider enforces it. It
	// does not go together with Tools.
	Schema string `json:"schema,omitempty"`
	// MaxTokens bounds the answer; required.
	MaxTokens int `json:"max_tokens"`
	// Temperature is left out of the request where it is nil, or where the model refuses it.
	Temperature *float64 `json:"temperature,omitempty"`
}

// A Message is one turn: text, the calls that a model made, or the results that it gets for them.
type Message struct {
	Role    Role         `json:"role"`
	Text    string       `json:"text,omitempty"`
	Calls   []ToolCall   `json:"calls,omitempty"`   // of an assistant
	Results []ToolResult `json:"results,omitempty"` // of a user, one for each call before
}

// A Tool is what a model may call. Schema is a JSON Schema of an object.
type Tool struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	Schema      string `json:"schema"`
}

// A ToolCall is one that a model made. Arguments is text that should be a JSON object and need
// not be one: a model wrote it.
type ToolCall struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// A ToolResult is what a model is told about a call of its own.
type ToolResult struct {
	CallID string `json:"call_id"`
	Text   string `json:"text"`
	Failed bool   `json:"failed,omitempty"`
}

// A Stop says why an answer ended.
type Stop string

// The stops.
const (
	Ended     Stop = "end"       // the model had no more to say
	Calls     Stop = "tools"     // it waits for the results of its calls
	Truncated Stop = "truncated" // Request.MaxTokens or the context was full: what is there is a part
	Refused   Stop = "refused"   // the model or its provider declined to answer
	Paused    Stop = "paused"    // the provider wants to be asked again with what is there
)

// Usage counts tokens as the provider counted them.
type Usage struct {
	Input  int `json:"input"`
	Output int `json:"output"`
}

// Add adds what another answer used.
func (u *Usage) Add(other Usage) { u.Input += other.Input; u.Output += other.Output }

// An Answer is what a model said.
type Answer struct {
	Text  string     `json:"text,omitempty"`
	Calls []ToolCall `json:"calls,omitempty"` // none where the answer was truncated: its last call may be a part
	Stop  Stop       `json:"stop"`
	// Refusal is what the provider said when it declined, "" if nothing.
	Refusal string `json:"refusal,omitempty"`
	Usage   Usage  `json:"usage"`
	// Model is the id by which the provider calls what answered, often with a date.
	Model string `json:"model,omitempty"`
	// Cached says that the answer was recorded earlier and cost nothing now.
	Cached bool `json:"-"`
}
