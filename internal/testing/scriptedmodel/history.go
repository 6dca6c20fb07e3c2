package scriptedmodel

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"slices"
	"strings"
	"sync"

	"gauntlet/internal/runtime/mcpclient"
	"gauntlet/internal/runtime/wire"
)

// A history lets a simulated agent go through a conversation again: calls that were made get
// the results that they had; the first that was not is what the model calls next.
type history struct {
	c    *conversation
	ctx  context.Context
	stop context.CancelFunc

	mu    sync.Mutex
	past  []pastCall
	found *call
}

type pastCall struct {
	name, arguments, result string
	used                    bool
}

func (c *conversation) newHistory(ctx context.Context) *history {
	h := &history{c: c}
	h.ctx, h.stop = context.WithCancel(ctx)
	results := map[string]string{}
	for _, t := range c.turns {
		for _, r := range t.results {
			results[r.id] = r.text
		}
	}
	for _, t := range c.turns {
		for _, k := range t.calls {
			h.past = append(h.past, pastCall{name: k.name, arguments: compact(k.arguments), result: results[k.id]})
		}
	}
	return h
}

func compact(raw json.RawMessage) string {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return string(raw)
	}
	return b.String()
}

func (h *history) next() *call {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.found
}

// lookUp returns what a call brought, or takes it for the next one.
func (h *history) lookUp(name string, arguments json.RawMessage) (string, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	args := compact(arguments)
	for i := range h.past {
		if p := &h.past[i]; !p.used && p.name == name && p.arguments == args {
			p.used = true
			return p.result, true
		}
	}
	if h.found == nil {
		h.found = &call{h.c.callID(), name, json.RawMessage(args)}
		h.stop()
	}
	return "", false
}

// servers are the servers that the tools belong to, as their names tell: "server__tool" or "tool".
func (h *history) servers() []mcpclient.Server {
	names := []string{""}
	for _, t := range h.c.tools {
		if server, _, ok := strings.Cut(t.Name, "__"); ok && !slices.Contains(names, server) {
			names = append(names, server)
		}
	}
	var out []mcpclient.Server
	for _, name := range names {
		out = append(out, mcpclient.Server{Name: name, Dial: func(context.Context) (wire.Conn, error) {
			return &pastServer{h: h, prefix: name, out: make(chan string, 16)}, nil
		}})
	}
	return out
}

// The tools by which a host lets a model read resources and prompts, one a line in their descriptions.
const (
	resourceTool = "read_resource"
	promptTool   = "get_prompt"
)

// A pastServer is the server of a history.
type pastServer struct {
	h      *history
	prefix string
	out    chan string
	once   sync.Once
}

func (s *pastServer) Close() error {
	s.once.Do(func() { close(s.out) })
	return nil
}

func (s *pastServer) Receive(ctx context.Context) (wire.Message, error) {
	select {
	case text, ok := <-s.out:
		if !ok {
			return wire.Message{}, io.EOF
		}
		return wire.Decode(text), nil
	case <-ctx.Done():
		return wire.Message{}, ctx.Err()
	}
}

func (s *pastServer) Send(ctx context.Context, msg []byte) error {
	var in struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
		Params struct {
			Name      string          `json:"name"`
			URI       string          `json:"uri"`
			Arguments json.RawMessage `json:"arguments"`
		} `json:"params"`
	}
	if err := json.Unmarshal(msg, &in); err != nil || in.ID == nil {
		return nil
	}
	var result any
	switch in.Method {
	case "initialize":
		result = object{"protocolVersion": "2025-06-18", "capabilities": object{"tools": object{}, "resources": object{}, "prompts": object{}}, "serverInfo": object{"name": "past", "version": "1"}, "instructions": s.instructions()}
	case "tools/list":
		result = object{"tools": s.tools()}
	case "resources/list":
		result = object{"resources": s.listed(resourceTool)}
	case "prompts/list":
		result = object{"prompts": s.listed(promptTool)}
	case "resources/templates/list":
		result = object{"resourceTemplates": []object{}}
	case "tools/call":
		text, ok := s.h.lookUp(s.fullName(in.Params.Name), in.Params.Arguments)
		if !ok {
			return nil // the agent is ended
		}
		result = resultOf(text)
	case "resources/read":
		args, _ := json.Marshal(object{"uri": in.Params.URI})
		text, ok := s.h.lookUp(resourceTool, args)
		if !ok {
			return nil
		}
		result = object{"contents": []object{{"uri": in.Params.URI, "text": text}}}
	case "prompts/get":
		args, _ := json.Marshal(object{"name": in.Params.Name, "arguments": in.Params.Arguments})
		text, ok := s.h.lookUp(promptTool, args)
		if !ok {
			return nil
		}
		result = object{"messages": []object{{"role": "user", "content": object{"type": "text", "text": text}}}}
	default:
		result = object{}
	}
	text, err := json.Marshal(object{"jsonrpc": "2.0", "id": in.ID, "result": result})
	if err != nil {
		return err
	}
	select {
	case s.out <- string(text):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *pastServer) fullName(tool string) string {
	if s.prefix == "" {
		return tool
	}
	return s.prefix + "__" + tool
}

func (s *pastServer) tools() []offeredTool {
	out := []offeredTool{}
	for _, t := range s.h.c.tools {
		server, name, prefixed := strings.Cut(t.Name, "__")
		if t.Name == resourceTool || t.Name == promptTool || !prefixed && s.prefix != "" || prefixed && server != s.prefix {
			continue
		}
		if prefixed {
			t.Name = name
		}
		out = append(out, t)
	}
	return out
}

// instructions are what the system prompt quotes of front ends and servers, which the first of them says.
func (s *pastServer) instructions() string {
	if s.prefix != "" {
		return ""
	}
	system := s.h.c.system
	for _, mark := range []string{"\n# From the front end: ", "\n# Server "} {
		if _, said, ok := strings.Cut(system, mark); ok {
			return said
		}
	}
	return ""
}

// listed reads the resources or prompts out of the description of the host's tool for them.
func (s *pastServer) listed(tool string) []json.RawMessage {
	out := []json.RawMessage{}
	if s.prefix != "" {
		return out
	}
	for _, t := range s.h.c.tools {
		if t.Name != tool {
			continue
		}
		for line := range strings.Lines(t.Description) {
			if line = strings.TrimSpace(line); strings.HasPrefix(line, "{") && json.Valid([]byte(line)) {
				out = append(out, json.RawMessage(line))
			}
		}
	}
	return out
}

// resultOf makes a result of a text: a block of content for links, JSON as structured content, everything else as text.
func resultOf(text string) object {
	var plain []string
	content := []object{}
	result := object{}
	for _, part := range strings.Split(text, "\n\n") {
		var block object
		switch {
		case json.Unmarshal([]byte(part), &block) != nil:
			plain = append(plain, part)
		case block["type"] == "resource_link":
			content = append(content, block)
		default:
			result["structuredContent"] = json.RawMessage(part)
		}
	}
	result["content"] = append(content, object{"type": "text", "text": strings.Join(plain, "\n\n")})
	return result
}
