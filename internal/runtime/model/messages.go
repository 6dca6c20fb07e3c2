package model

import (
	"encoding/json"
	"errors"
	"fmt"
)

// The Messages form, documented by Anthropic.

// messagesVersion is the value of the header anthropic-version.
const messagesVersion = "2023-06-01"

type messagesRequest struct {
	Model       string             `json:"model"`
	System      string             `json:"system,omitempty"`
	Messages    []messagesTurn     `json:"messages"`
	Tools       []messagesTool     `json:"tools,omitempty"`
	ToolChoice  *messagesToolToUse `json:"tool_choice,omitempty"`
	MaxTokens   int                `json:"max_tokens"`
	Temperature *float64           `json:"temperature,omitempty"`
}

type messagesTurn struct {
	Role    Role            `json:"role"`
	Content []messagesBlock `json:"content"`
}

// A messagesBlock is a block of any type; of unused types only Type is kept.
type messagesBlock struct {
	Type      string          `json:"type"`
	Text      *string         `json:"text,omitempty"`
	ID        string          `json:"id,omitempty"`
	Name      string          `json:"name,omitempty"`
	Input     json.RawMessage `json:"input,omitempty"`
	ToolUseID string          `json:"tool_use_id,omitempty"`
	Content   json.RawMessage `json:"content,omitempty"`
	IsError   bool            `json:"is_error,omitempty"`
}

type messagesTool struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	InputSchema json.RawMessage `json:"input_schema"`
}

type messagesToolToUse struct {
	Type string `json:"type"`
	Name string `json:"name"`
}

// encodeMessages requests a structured answer as the input of a tool that the model must call, which every model with tools
// supports.
func encodeMessages(id string, r *Request, omit omitted) ([]byte, error) {
	out := messagesRequest{Model: id, System: r.System, MaxTokens: r.MaxTokens}
	for i := range r.Messages {
		out.Messages = append(out.Messages, messagesTurnOf(&r.Messages[i]))
	}
	for _, t := range r.Tools {
		out.Tools = append(out.Tools, messagesTool{t.Name, t.Description, objectSchema(t.Schema)})
	}
	if r.Schema != "" {
		out.Tools = []messagesTool{{schemaName, "Takes the answer.", json.RawMessage(r.Schema)}}
		if !omit.has(paramSchema) {
			out.ToolChoice = &messagesToolToUse{"tool", schemaName}
		}
	}
	if !omit.has(paramTemperature) {
		out.Temperature = r.Temperature
	}
	return json.Marshal(out)
}

func messagesTurnOf(m *Message) messagesTurn {
	turn := messagesTurn{Role: m.Role, Content: []messagesBlock{}}
	for _, res := range m.Results {
		text, _ := json.Marshal(res.Text) // a string always encodes
		turn.Content = append(turn.Content, messagesBlock{Type: "tool_result", ToolUseID: res.CallID, Content: text, IsError: res.Failed})
	}
	if m.Text != "" { // empty text blocks are rejected
		turn.Content = append(turn.Content, messagesBlock{Type: "text", Text: &m.Text})
	}
	for _, c := range m.Calls {
		turn.Content = append(turn.Content, messagesBlock{Type: "tool_use", ID: c.ID, Name: c.Name, Input: objectOrEmpty(c.Arguments)})
	}
	return turn
}

// objectOrEmpty returns an object, which this form requires as input.
func objectOrEmpty(arguments string) json.RawMessage {
	var object map[string]json.RawMessage
	if json.Unmarshal([]byte(arguments), &object) != nil || object == nil {
		return json.RawMessage(`{}`)
	}
	return json.RawMessage(arguments)
}

type messagesAnswer struct {
	Type       string          `json:"type"`
	Model      string          `json:"model"`
	Content    []messagesBlock `json:"content"`
	StopReason string          `json:"stop_reason"`
	Usage      struct {
		Input      int `json:"input_tokens"`
		CacheWrite int `json:"cache_creation_input_tokens"`
		CacheRead  int `json:"cache_read_input_tokens"`
		Output     int `json:"output_tokens"`
	} `json:"usage"`
}

func decodeMessages(body []byte, structured bool) (Answer, error) {
	var in messagesAnswer
	if err := decodeBody(body, &in); err != nil {
		return Answer{}, fmt.Errorf("the answer is not a message: %v", describeJSON(err))
	}
	if in.Content == nil && in.StopReason == "" {
		return Answer{}, errors.New("the answer has neither content nor a stop_reason")
	}
	u := in.Usage
	out := Answer{Model: in.Model, Usage: Usage{max(0, u.Input) + max(0, u.CacheWrite) + max(0, u.CacheRead), max(0, u.Output)}}
	for _, b := range in.Content {
		switch {
		case b.Type == "text" && b.Text != nil:
			out.Text += *b.Text
		case b.Type == "tool_use" && structured && b.Name == schemaName:
			out.Text = string(b.Input) // replaces any text before it
		case b.Type == "tool_use":
			out.Calls = append(out.Calls, ToolCall{b.ID, b.Name, string(b.Input)})
		}
	}
	if err := out.end(in.StopReason); err != nil {
		return Answer{}, err
	}
	return out, nil
}
