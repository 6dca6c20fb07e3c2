package modelagent

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"gauntlet/internal/leaf/mcp"
	"gauntlet/internal/runtime/mcpclient"
	"gauntlet/internal/runtime/model"
	"gauntlet/rawjson"
)

// answerServer answers a server's request. The model decides.
func (a *agent) answerServer(ctx context.Context, server, method, params string) (string, bool) {
	v := rawjson.Read(params)
	if !v.Exists() || a.result.Turns >= a.opt.Turns {
		return "", false
	}
	switch method {
	case mcp.ElicitationCreate:
		return a.fillForm(ctx, server, v)
	case mcp.SamplingCreateMessage:
		return a.sample(ctx, v)
	}
	return "", false
}

// fillForm has the model answer an elicitation for its absent user.
func (a *agent) fillForm(ctx context.Context, server string, root rawjson.Value) (string, bool) {
	content := root.Get("requestedSchema").Raw()
	var object map[string]json.RawMessage
	if json.Unmarshal([]byte(content), &object) != nil {
		content = `{"type":"object","properties":{}}`
	}
	question := "While you were at work, the server " + server + " asks your user for input. Answer for your user: accept with the content, decline, or cancel.\n\n" + clipResult(root.Raw())
	a.result.Turns++
	answer, err := a.opt.Ask(ctx, model.Request{
		System: a.systemPrompt(), Messages: []model.Message{{Role: model.User, Text: a.conversationText() + question}}, MaxTokens: a.opt.Tokens,
		Schema: `{"type":"object","properties":{"action":{"type":"string","enum":["accept","decline","cancel"]},"content":` + content + `},"required":["action"]}`,
	})
	a.result.Usage.Add(answer.Usage)
	var in struct {
		Action  string          `json:"action"`
		Content json.RawMessage `json:"content,omitempty"`
	}
	if err != nil || answer.Stop != model.Ended || json.Unmarshal([]byte(answer.Text), &in) != nil || !slices.Contains([]string{"accept", "decline", "cancel"}, in.Action) {
		return `{"action":"cancel"}`, true
	}
	if in.Action != "accept" || root.Get("mode").Is("url") || json.Unmarshal(in.Content, &object) != nil {
		in.Content = nil
	}
	out, err := json.Marshal(in)
	return string(out), err == nil
}

// sample has the model write what a server requests. If the server asks for context, that is the conversation, as the specification
// allows hosts.
func (a *agent) sample(ctx context.Context, root rawjson.Value) (string, bool) {
	var messages []model.Message
	for _, m := range root.Get("messages").Elements() {
		role := model.User
		if m.Get("role").Is("assistant") {
			role = model.Assistant
		}
		messages = append(messages, model.Message{Role: role, Text: cmp.Or(strings.Join(mcpclient.ContentTexts(m.Get("content")), "\n\n"), noWords)})
	}
	if len(messages) == 0 || messages[len(messages)-1].Role != model.User {
		messages = append(messages, model.Message{Role: model.User, Text: "Go on."})
	}
	if context := root.Get("includeContext").Text(); context != "" && context != "none" {
		messages[0].Text = a.conversationText() + messages[0].Text
	}
	a.result.Turns++
	answer, err := a.opt.Ask(ctx, model.Request{System: clipResult(root.Get("systemPrompt").Text()), Messages: mergeTurns(messages), MaxTokens: a.opt.Tokens})
	a.result.Usage.Add(answer.Usage)
	if err != nil || answer.Stop != model.Ended {
		return "", false
	}
	return `{"role":"assistant","model":` + rawjson.Quote(answer.Model) + `,"stopReason":"endTurn","content":{"type":"text","text":` + rawjson.Quote(answer.Text) + `}}`, true
}

// mergeTurns joins successive turns of one role, which not every form accepts, and makes the user begin.
func mergeTurns(in []model.Message) (out []model.Message) {
	if in[0].Role == model.Assistant {
		out = append(out, model.Message{Role: model.User, Text: "Go on."})
	}
	for _, m := range in {
		if n := len(out); n > 0 && out[n-1].Role == m.Role {
			out[n-1].Text += "\n\n" + m.Text
			continue
		}
		out = append(out, m)
	}
	return out
}

// conversationText returns the conversation so far, for requests outside it.
func (a *agent) conversationText() string {
	var b strings.Builder
	for _, m := range a.messages {
		if m.Text != "" {
			b.WriteString(string(m.Role) + ": " + m.Text + "\n")
		}
		for _, r := range m.Results {
			b.WriteString("result: " + r.Text + "\n")
		}
	}
	return clipResult(b.String()) + "\n"
}
