package aguiagent

import (
	"errors"
	"io"
	"strings"

	"gauntlet/internal/leaf/agui"
	"gauntlet/internal/runtime/mcpclient"
	"gauntlet/rawjson"
)

// An input is a parsed RunAgentInput.
type input struct {
	thread, run string
	prompt      []string
	shown       []mcpclient.Shown
	tools       []string          // as MCP definitions
	results     map[string]string // of front-end tools, by call id
}

func readInput(r io.Reader) (*input, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, errors.New("the input is too long, or was cut off")
	}
	root := rawjson.Read(string(text))
	if root.Kind() != rawjson.Object {
		return nil, errors.New("the input is not a JSON object")
	}
	in := &input{results: map[string]string{}}
	for m := range root.Members() {
		switch name := m.Key.Text(); name {
		case "threadId":
			in.thread = m.Value.Text()
		case "runId":
			in.run = m.Value.Text()
		case "messages":
			for _, one := range m.Value.Elements() {
				in.addMessage(one)
			}
		case "tools":
			in.addTools(m.Value)
		default:
			in.show("the "+name+" of the front end", m.Value)
		}
	}
	return in, nil
}

// addMessage reads a message: the user's are the task, all others are shown.
func (in *input) addMessage(m rawjson.Value) {
	text := agui.SaidIn(m.Get("content"))
	switch role := m.Get("role").Text(); {
	case role == "user":
		if text != "" {
			in.prompt = append(in.prompt, text)
		}
	case role == "tool" && m.Get("toolCallId").Exists():
		in.results[m.Get("toolCallId").Text()] = text
		in.shown = append(in.shown, mcpclient.Shown{Where: "a result in the conversation", Text: text})
	default:
		in.shown = append(in.shown, mcpclient.Shown{Where: "a message of role " + role, Text: text})
	}
}

// addTools reads the tools that the front end runs.
func (in *input) addTools(list rawjson.Value) {
	for _, t := range list.Elements() {
		name := t.Get("name").Text()
		if name == "" {
			continue
		}
		schema := `{"type":"object"}`
		if p := t.Get("parameters"); p.Kind() == rawjson.Object {
			schema = p.Raw()
		}
		in.tools = append(in.tools, `{"name":`+rawjson.Quote(name)+`,"description":`+rawjson.Quote(t.Get("description").Text())+`,"inputSchema":`+schema+`}`)
	}
}

// show adds the strings of a value in order.
func (in *input) show(where string, v rawjson.Value) {
	if v.Kind() == rawjson.String {
		in.shown = append(in.shown, mcpclient.Shown{Where: where, Text: v.Text()})
		return
	}
	for s := range v.Strings() {
		if text := s.Value.Text(); !s.IsKey && strings.Contains(text, " ") {
			in.shown = append(in.shown, mcpclient.Shown{Where: where, Text: strings.Clone(text)})
		}
	}
}

// conversation returns the agent's view of the input. An agent with a front end always has one, even if it shows nothing.
func (in *input) conversation() mcpclient.Task {
	return mcpclient.Task{Prompt: strings.Join(in.prompt, "\n\n"), Shown: append([]mcpclient.Shown{}, in.shown...)}
}
