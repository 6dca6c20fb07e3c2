package model

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"

	"gauntlet/internal/leaf/lazyregexp"
)

// The chat completions form, documented by OpenAI and understood by Gemini, Mistral, Ollama, vLLM and llama.cpp.

type chatRequest struct {
	Model               string          `json:"model"`
	Messages            []chatMessage   `json:"messages"`
	Tools               []chatTool      `json:"tools,omitempty"`
	ResponseFormat      *responseFormat `json:"response_format,omitempty"`
	MaxTokens           int             `json:"max_tokens,omitempty"`
	MaxCompletionTokens int             `json:"max_completion_tokens,omitempty"`
	Temperature         *float64        `json:"temperature,omitempty"`
}

type chatMessage struct {
	Role       string     `json:"role"`
	Content    *string    `json:"content"` // null beside calls
	ToolCalls  []chatCall `json:"tool_calls,omitempty"`
	ToolCallID string     `json:"tool_call_id,omitempty"`
}

type chatCall struct {
	ID       string       `json:"id"`
	Type     string       `json:"type"`
	Function chatFunction `json:"function"`
}

type chatFunction struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"` // a string holding JSON; some servers send the object itself
}

type chatTool struct {
	Type     string `json:"type"`
	Function struct {
		Name        string          `json:"name"`
		Description string          `json:"description,omitempty"`
		Parameters  json.RawMessage `json:"parameters"`
	} `json:"function"`
}

type responseFormat struct {
	Type       string `json:"type"`
	JSONSchema *struct {
		Name   string          `json:"name"`
		Schema json.RawMessage `json:"schema"`
	} `json:"json_schema,omitempty"`
}

// schemaName is the name of a structured answer's schema, for forms that require one.
const schemaName = "answer"

func encodeChat(id string, r *Request, omit omitted) ([]byte, error) {
	out := chatRequest{Model: id}
	if r.System != "" {
		out.Messages = append(out.Messages, chatMessage{Role: "system", Content: &r.System})
	}
	for i := range r.Messages {
		out.Messages = append(out.Messages, chatMessages(&r.Messages[i])...)
	}
	for _, t := range r.Tools {
		one := chatTool{Type: "function"}
		one.Function.Name, one.Function.Description, one.Function.Parameters = t.Name, t.Description, objectSchema(t.Schema)
		out.Tools = append(out.Tools, one)
	}
	if r.Schema != "" && !omit.has(paramSchema) {
		out.ResponseFormat = &responseFormat{Type: "json_schema"}
		out.ResponseFormat.JSONSchema = &struct {
			Name   string          `json:"name"`
			Schema json.RawMessage `json:"schema"`
		}{schemaName, json.RawMessage(r.Schema)}
	}
	if omit.has(paramMaxTokens) {
		out.MaxCompletionTokens = r.MaxTokens
	} else {
		out.MaxTokens = r.MaxTokens
	}
	if !omit.has(paramTemperature) {
		out.Temperature = r.Temperature
	}
	return json.Marshal(out)
}

func chatMessages(m *Message) (out []chatMessage) {
	if m.Role == Assistant {
		one := chatMessage{Role: "assistant"}
		if m.Text != "" || len(m.Calls) == 0 {
			one.Content = &m.Text
		}
		for _, c := range m.Calls {
			arguments, _ := json.Marshal(c.Arguments) // a string always encodes
			one.ToolCalls = append(one.ToolCalls, chatCall{c.ID, "function", chatFunction{c.Name, arguments}})
		}
		return []chatMessage{one}
	}
	for i := range m.Results {
		out = append(out, chatMessage{Role: "tool", ToolCallID: m.Results[i].CallID, Content: &m.Results[i].Text})
	}
	if m.Text != "" || len(m.Results) == 0 {
		out = append(out, chatMessage{Role: "user", Content: &m.Text})
	}
	return out
}

// A chatReply is a message of an answer.
type chatReply struct {
	Content   chatText   `json:"content"`
	ToolCalls []chatCall `json:"tool_calls"`
	Refusal   string     `json:"refusal"`
}

// A chatText is the text of a message, which is a string, null, or a list of parts, as Magistral sends it: [{"type":"thinking",…},{"type":"text","text":"Done."}].
// Parts that are no text are left out.
type chatText string

// UnmarshalJSON reads any of the forms.
func (t *chatText) UnmarshalJSON(raw []byte) error {
	if len(raw) == 0 || raw[0] != '[' {
		return json.Unmarshal(raw, (*string)(t))
	}
	var parts []struct{ Type, Text string }
	if err := json.Unmarshal(raw, &parts); err != nil {
		return err
	}
	var text strings.Builder
	for _, p := range parts {
		if p.Type == "text" {
			text.WriteString(p.Text)
		}
	}
	*t = chatText(text.String())
	return nil
}

// chatEnd is how an answer ended; null is what the parts of an answer have before its end.
type chatEnd string

func (e *chatEnd) UnmarshalJSON(raw []byte) error {
	if string(raw) == "null" {
		*e = "null"
		return nil
	}
	return json.Unmarshal(raw, (*string)(e))
}

type chatAnswer struct {
	Model   string `json:"model"`
	Choices []struct {
		Message      chatReply `json:"message"`
		FinishReason chatEnd   `json:"finish_reason"`
	} `json:"choices"`
	Usage struct {
		PromptTokens     int `json:"prompt_tokens"`
		CompletionTokens int `json:"completion_tokens"`
	} `json:"usage"`
}

func decodeChat(body []byte) (Answer, error) {
	var in chatAnswer
	if err := decodeBody(body, &in); err != nil {
		return Answer{}, fmt.Errorf("the answer is not a chat completion: %v", describeJSON(err))
	}
	if len(in.Choices) == 0 {
		return Answer{}, errors.New("the answer has no choices")
	}
	first := &in.Choices[0]
	out := Answer{Model: in.Model, Text: string(first.Message.Content), Usage: Usage{max(0, in.Usage.PromptTokens), max(0, in.Usage.CompletionTokens)}}
	for _, c := range first.Message.ToolCalls {
		out.Calls = append(out.Calls, ToolCall{c.ID, c.Function.Name, argumentText(c.Function.Arguments)})
	}
	if err := out.end(string(first.FinishReason)); err != nil {
		return Answer{}, err
	}
	if refusal := first.Message.Refusal; refusal != "" {
		out.Stop, out.Refusal = Refused, refusal
	}
	out.dropThoughts()
	return out, nil
}

// dropThoughts removes what servers of open models leave at the beginning of the text. Thoughts without an end were cut off.
func (a *Answer) dropThoughts() {
	thoughts, ok := strings.CutPrefix(strings.TrimSpace(a.Text), "<think>")
	if !ok {
		return
	}
	_, said, closed := strings.Cut(thoughts, "</think>")
	if a.Text = strings.TrimSpace(said); !closed && a.Stop == Ended {
		a.Stop = Truncated
	}
}

// argumentText returns arguments sent as a string or as an object.
func argumentText(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	return string(raw)
}

// objectSchema returns a schema that providers accept: a server's may be missing or no object, and one bad tool must not fail the
// request.
func objectSchema(raw string) json.RawMessage {
	var schema map[string]json.RawMessage
	if json.Unmarshal([]byte(raw), &schema) != nil || schema == nil {
		return json.RawMessage(`{"type":"object","properties":{}}`)
	}
	if string(schema["type"]) == `"object"` && schema["properties"] != nil {
		return json.RawMessage(strings.Clone(raw))
	}
	schema["type"] = json.RawMessage(`"object"`)
	if schema["properties"] == nil {
		schema["properties"] = json.RawMessage(`{}`)
	}
	out, _ := json.Marshal(schema) // it was just decoded
	return out
}

// decodeBody decodes an answer. Some servers begin it with a byte order mark.
func decodeBody(body []byte, into any) error {
	return json.Unmarshal(bytes.TrimPrefix(body, []byte("\ufeff")), into)
}

// describeJSON keeps the body, which may be long and contain secrets, out of an error.
func describeJSON(err error) string {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return fmt.Sprintf("broken JSON at byte %d", syntax.Offset)
	case errors.As(err, &kind):
		return fmt.Sprintf("%s is no %s", kind.Field, kind.Type)
	}
	return "broken JSON"
}

// A parameter is a request parameter that some models reject.
type parameter uint8

const (
	paramTemperature parameter = 1 << iota
	paramMaxTokens             // replaced by max_completion_tokens
	paramSchema                // enforced structure: the request also describes it in words
)

type omitted parameter

func (o omitted) has(p parameter) bool { return o&omitted(p) != 0 }

// reasoning matches models known to reject temperature and max_tokens.
var reasoning = lazyregexp.New(`^(o\d|gpt-[5-9])`)

// refusals match the messages by which endpoints reject a parameter.
var refusals = []struct {
	parameter parameter
	words     []string
}{
	{paramMaxTokens, []string{"max_completion_tokens"}},
	{paramTemperature, []string{"temperature"}},
	{paramSchema, []string{"response_format", "json_schema", "tool_choice"}},
}

// An adaptation records which parameters a model accepts.
type adaptation struct {
	mu   sync.Mutex
	omit omitted
}

func newAdaptation(id string) *adaptation {
	a := &adaptation{}
	if reasoning.MatchString(id) {
		a.omit = omitted(paramTemperature | paramMaxTokens)
	}
	return a
}

func (a *adaptation) current() omitted {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.omit
}

// learn reads the rejected parameter from the body of an HTTP 400, and reports whether a request without it is worth a try.
func (a *adaptation) learn(sent omitted, body string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	body = strings.ToLower(body)
	for _, r := range refusals {
		for _, w := range r.words {
			if !sent.has(r.parameter) && strings.Contains(body, w) {
				a.omit |= omitted(r.parameter)
				return true
			}
		}
	}
	return a.omit != sent // another request learnt it in the meantime
}
