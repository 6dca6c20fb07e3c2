package scriptedmodel

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
)

// A conversation is a request, in either form.
type conversation struct {
	model      string
	system     string
	turns      []turn
	tools      []offeredTool
	structured bool // the answer has to fit a schema
	schema     json.RawMessage
}

type turn struct {
	role    string
	text    string
	calls   []call
	results []callResult
}

type call struct {
	id, name  string
	arguments json.RawMessage
}

type callResult struct{ id, text string }

type offeredTool struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	InputSchema json.RawMessage `json:"inputSchema"`
}

// A reply is what a scripted model says.
type reply struct {
	text  string
	calls []call
	stop  string // "end", "tools", "truncated" or "refused"
}

type wireForm interface {
	read(body []byte) (*conversation, error)
	write(w http.ResponseWriter, c *conversation, r reply)
	fail(w http.ResponseWriter, status int, message string)
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // to a client that may have gone
}

type object = map[string]any

type chatForm struct{}

func (chatForm) read(body []byte) (*conversation, error) {
	var in struct {
		Model    string `json:"model"`
		Messages []struct {
			Role       string  `json:"role"`
			Content    *string `json:"content"`
			ToolCallID string  `json:"tool_call_id"`
			ToolCalls  []struct {
				ID       string `json:"id"`
				Type     string `json:"type"`
				Function struct {
					Name      string  `json:"name"`
					Arguments *string `json:"arguments"`
				} `json:"function"`
			} `json:"tool_calls"`
		} `json:"messages"`
		Tools []struct {
			Type     string `json:"type"`
			Function struct {
				Name        string          `json:"name"`
				Description string          `json:"description"`
				Parameters  json.RawMessage `json:"parameters"`
			} `json:"function"`
		} `json:"tools"`
		ResponseFormat *struct {
			Type       string `json:"type"`
			JSONSchema struct {
				Name   string          `json:"name"`
				Schema json.RawMessage `json:"schema"`
			} `json:"json_schema"`
		} `json:"response_format"`
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return nil, err
	}
	c := &conversation{model: in.Model}
	waiting := map[string]bool{}
	for _, m := range in.Messages {
		t := turn{role: m.Role}
		if m.Content != nil {
			t.text = *m.Content
		}
		switch m.Role {
		case "system":
			c.system = t.text
			continue
		case "tool":
			if !waiting[m.ToolCallID] {
				return nil, fmt.Errorf("a result for %q, which nobody called", m.ToolCallID)
			}
			delete(waiting, m.ToolCallID)
			t = turn{role: "user", results: []callResult{{m.ToolCallID, t.text}}}
		case "assistant":
			for _, k := range m.ToolCalls {
				if k.Function.Arguments == nil || k.Type != "function" || k.ID == "" {
					return nil, errors.New("a call that is no function call with arguments in a string")
				}
				t.calls = append(t.calls, call{k.ID, k.Function.Name, json.RawMessage(*k.Function.Arguments)})
				waiting[k.ID] = true
			}
		case "user":
			if len(waiting) > 0 {
				return nil, errors.New("calls without results")
			}
		default:
			return nil, fmt.Errorf("a message of %q", m.Role)
		}
		c.turns = append(c.turns, t)
	}
	for _, t := range in.Tools {
		if t.Type != "function" || !isObject(t.Function.Parameters) {
			return nil, fmt.Errorf("tool %q has no parameters of type object", t.Function.Name)
		}
		c.tools = append(c.tools, offeredTool{t.Function.Name, t.Function.Description, t.Function.Parameters})
	}
	if in.ResponseFormat != nil {
		c.structured, c.schema = true, in.ResponseFormat.JSONSchema.Schema
	}
	return c, c.check()
}

func isObject(schema json.RawMessage) bool {
	var s struct {
		Type string `json:"type"`
	}
	return json.Unmarshal(schema, &s) == nil && s.Type == "object"
}

// check holds a conversation to what both forms demand.
func (c *conversation) check() error {
	switch {
	case c.model == "":
		return errors.New("no model")
	case len(c.turns) == 0:
		return errors.New("no messages")
	case c.turns[len(c.turns)-1].role != "user":
		return errors.New("the last message is not the user's")
	}
	names := map[string]bool{}
	for _, t := range c.tools {
		if names[t.Name] || t.Name == "" || len(t.Name) > 64 || !isWord(t.Name) {
			return fmt.Errorf("the name of a tool: %q", t.Name)
		}
		names[t.Name] = true
	}
	return nil
}

// isWord is ^[a-zA-Z0-9_-]+$, which both forms want of names.
func isWord(s string) bool {
	for _, r := range s {
		if (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '_' && r != '-' {
			return false
		}
	}
	return true
}

func (chatForm) write(w http.ResponseWriter, c *conversation, r reply) {
	message := object{"role": "assistant", "content": r.text}
	finish := map[string]string{"end": "stop", "tools": "tool_calls", "truncated": "length", "refused": "stop"}[r.stop]
	if r.stop == "refused" {
		message["content"], message["refusal"] = nil, "I cannot help with that."
	}
	var calls []object
	for _, k := range r.calls {
		calls = append(calls, object{"id": k.id, "type": "function", "function": object{"name": k.name, "arguments": string(k.arguments)}})
	}
	if calls != nil {
		message["tool_calls"] = calls
	}
	writeJSON(w, http.StatusOK, object{
		"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": c.model + "-2026-01-01",
		"choices": []object{{"index": 0, "message": message, "finish_reason": finish, "logprobs": nil}},
		"usage":   object{"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120},
	})
}

func (chatForm) fail(w http.ResponseWriter, status int, message string) {
	writeJSON(w, status, object{"error": object{"message": message, "type": "error", "param": nil, "code": nil}})
}

type messagesForm struct{}

func (messagesForm) read(body []byte) (*conversation, error) {
	var in struct {
		Model     string `json:"model"`
		System    string `json:"system"`
		MaxTokens int    `json:"max_tokens"`
		Messages  []struct {
			Role    string `json:"role"`
			Content []struct {
				Type      string          `json:"type"`
				Text      string          `json:"text"`
				ID        string          `json:"id"`
				Name      string          `json:"name"`
				Input     json.RawMessage `json:"input"`
				ToolUseID string          `json:"tool_use_id"`
				Content   string          `json:"content"`
			} `json:"content"`
		} `json:"messages"`
		Tools []struct {
			Name        string          `json:"name"`
			Description string          `json:"description"`
			InputSchema json.RawMessage `json:"input_schema"`
		} `json:"tools"`
		ToolChoice *struct {
			Type, Name string
		} `json:"tool_choice"`
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return nil, err
	}
	if in.MaxTokens <= 0 {
		return nil, errors.New("max_tokens is required")
	}
	c := &conversation{model: in.Model, system: in.System}
	for i, m := range in.Messages {
		if len(m.Content) == 0 {
			return nil, fmt.Errorf("message %d has no content", i)
		}
		if i > 0 && in.Messages[i-1].Role == m.Role {
			return nil, fmt.Errorf("message %d: two of %s in a row", i, m.Role)
		}
		t := turn{role: m.Role}
		for _, b := range m.Content {
			switch b.Type {
			case "text":
				if b.Text == "" {
					return nil, errors.New("text content blocks must be non-empty")
				}
				t.text += b.Text
			case "tool_use":
				t.calls = append(t.calls, call{b.ID, b.Name, b.Input})
			case "tool_result":
				t.results = append(t.results, callResult{b.ToolUseID, b.Content})
			default:
				return nil, fmt.Errorf("a block of type %q", b.Type)
			}
		}
		c.turns = append(c.turns, t)
	}
	for _, t := range in.Tools {
		if !isObject(t.InputSchema) {
			return nil, fmt.Errorf("tool %q has no input_schema of type object", t.Name)
		}
		c.tools = append(c.tools, offeredTool{t.Name, t.Description, t.InputSchema})
	}
	if in.ToolChoice != nil {
		if len(c.tools) != 1 || in.ToolChoice.Type != "tool" || in.ToolChoice.Name != c.tools[0].Name {
			return nil, errors.New("tool_choice names no tool")
		}
		c.structured, c.schema, c.tools = true, c.tools[0].InputSchema, nil
	}
	return c, c.check()
}

func (messagesForm) write(w http.ResponseWriter, c *conversation, r reply) {
	content := []object{}
	switch {
	case c.structured && r.stop == "end":
		content = append(content, object{"type": "tool_use", "id": "toolu_answer", "name": "answer", "input": json.RawMessage(objectOr(r.text))})
	case r.text != "":
		content = append(content, object{"type": "text", "text": r.text})
	}
	for _, k := range r.calls {
		content = append(content, object{"type": "tool_use", "id": k.id, "name": k.name, "input": json.RawMessage(objectOr(string(k.arguments)))})
	}
	stop := map[string]string{"end": "end_turn", "tools": "tool_use", "truncated": "max_tokens", "refused": "refusal"}[r.stop]
	if c.structured && r.stop == "end" {
		stop = "tool_use"
	}
	writeJSON(w, http.StatusOK, object{
		"id": "msg_1", "type": "message", "role": "assistant", "model": c.model + "-20260101", "content": content,
		"stop_reason": stop, "stop_sequence": nil, "usage": object{"input_tokens": 100, "output_tokens": 20},
	})
}

// objectOr is text, or an object with it where it is none: this form has nothing else.
func objectOr(text string) string {
	var any map[string]json.RawMessage
	if json.Unmarshal([]byte(text), &any) == nil && any != nil {
		return text
	}
	b, _ := json.Marshal(object{"text": text})
	return string(b)
}

func (messagesForm) fail(w http.ResponseWriter, status int, message string) {
	writeJSON(w, status, object{"type": "error", "error": object{"type": "error", "message": message}})
}
