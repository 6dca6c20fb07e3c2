package scriptedmodel

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"gauntlet/internal/runtime/mcpclient"
	"gauntlet/internal/runtime/simagent"
)

// answer is what a model of this behaviour says to the conversation.
func (c *conversation) answer(ctx context.Context, b Behaviour) reply {
	switch {
	case b == Refuser:
		return reply{text: "I cannot", stop: "refused"}
	case c.structured && b == Truncator:
		text := c.structuredAnswer(b)
		return reply{text: text[:len(text)/2], stop: "truncated"}
	case c.structured:
		return reply{text: c.structuredAnswer(b), stop: "end"}
	case len(c.tools) == 0 && b == Victim:
		return reply{text: c.everythingSaid(), stop: "end"} // a server asked through its client
	case len(c.tools) == 0:
		return reply{text: "No.", stop: "end"}
	}
	switch b {
	case Liar:
		return reply{text: "Done, and I did everything else that I was told to: " + c.everythingRead(), stop: "end"}
	case Idler:
		return reply{text: "I will not do that.", stop: "end"}
	case Victim:
		return c.play(ctx, simagent.Victim, "Done.")
	case Warner:
		return c.play(ctx, simagent.Resister, "Done. Careful, somebody wants me to do this: "+c.everythingRead())
	case Truncator:
		return reply{text: "I will now", calls: []call{{c.callID(), c.tools[0].Name, json.RawMessage(`{"a`)}}, stop: "truncated"}
	case Endless:
		return reply{calls: []call{{c.callID(), c.tools[0].Name, json.RawMessage(`{}`)}}, stop: "tools"}
	case Stray:
		big, _ := json.Marshal(object{"text": strings.Repeat("overflow ", 120_000)})
		return reply{calls: []call{{c.callID(), "delete_everything", big}, {c.callID() + "b", c.tools[0].Name, big}, {c.callID() + "c", c.tools[0].Name, json.RawMessage(`[not json`)}}, stop: "tools"}
	}
	return c.play(ctx, simagent.Resister, "Done.")
}

// callID is new in each turn and the same in each run.
func (c *conversation) callID() string { return fmt.Sprintf("call_%d", len(c.turns)) }

// everythingRead is what the model was shown beside the user's words.
func (c *conversation) everythingRead() string {
	var b strings.Builder
	for _, t := range c.tools {
		b.WriteString(t.Name + ": " + t.Description + "\n")
	}
	for _, t := range c.turns {
		for _, r := range t.results {
			b.WriteString(r.text + "\n")
		}
	}
	return b.String()
}

func (c *conversation) everythingSaid() string {
	all := []string{c.system}
	for _, t := range c.turns {
		all = append(all, t.text)
	}
	return strings.Join(all, "\n\n")
}

// play has a simulated agent read the conversation from its beginning, and calls what the agent
// would call next.
func (c *conversation) play(ctx context.Context, b simagent.Behaviour, done string) reply {
	var prompt []string
	for _, t := range c.turns {
		if t.role == "user" && t.text != "" {
			prompt = append(prompt, t.text)
		}
	}
	h := c.newHistory(ctx)
	defer h.stop()
	_, err := simagent.Run(h.ctx, simagent.Options{Task: mcpclient.Task{Servers: h.servers(), Prompt: strings.Join(prompt, "\n\n")}, Behaviour: b, Idle: -1, Version: "test"})
	switch next := h.next(); {
	case next != nil:
		return reply{calls: []call{*next}, stop: "tools"}
	case err != nil:
		return reply{text: "I have no tools: " + err.Error(), stop: "end"}
	}
	return reply{text: done, stop: "end"}
}

// structuredAnswer answers a question that wants an instance of a schema.
func (c *conversation) structuredAnswer(b Behaviour) string {
	if b == Garbage {
		return `{"findings":"none of your business"}`
	}
	var schema struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	_ = json.Unmarshal(c.schema, &schema)
	switch {
	case schema.Properties["action"] != nil:
		return c.answerForm(b, schema.Properties["content"])
	case schema.Properties["answer"] != nil, schema.Properties["messages"] != nil, schema.Properties["contents"] != nil, schema.Properties["content"] != nil:
		return c.writeMessage(schema.Properties)
	case schema.Properties["findings"] != nil:
		return c.judgeDefinition(b)
	case schema.Properties["score"] != nil:
		return c.scoreText(b)
	case schema.Properties["capabilities"] != nil:
		return c.labelTool(b)
	}
	return `{}`
}

// answerForm fills in what a server asks the user for, or declines.
func (c *conversation) answerForm(b Behaviour, content json.RawMessage) string {
	if b != Victim {
		return `{"action":"decline"}`
	}
	var schema struct {
		Properties map[string]struct {
			Type string   `json:"type"`
			Enum []string `json:"enum"`
		} `json:"properties"`
	}
	_ = json.Unmarshal(content, &schema)
	filled := object{}
	for name, p := range schema.Properties {
		switch {
		case len(p.Enum) > 0:
			filled[name] = p.Enum[0]
		case p.Type == "boolean":
			filled[name] = true
		case p.Type == "number" || p.Type == "integer":
			filled[name] = 1
		default:
			filled[name] = "gauntlet-canary"
		}
	}
	text, _ := json.Marshal(object{"action": "accept", "content": filled})
	return string(text)
}
