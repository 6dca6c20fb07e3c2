package aguiagent

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"gauntlet/internal/leaf/agui"
	"gauntlet/internal/runtime/mcpclient"
	"gauntlet/internal/runtime/mcpserver"
	"gauntlet/internal/runtime/wire"
	"gauntlet/rawjson"
)

// A thread is one AG-UI thread. The agent's work may span several runs: each call of a front-end tool ends one, and the next brings
// the result.
type thread struct {
	ctx    context.Context
	stop   context.CancelFunc
	events chan event

	mu      sync.Mutex
	calls   int
	waiting map[string]chan string // front-end tool calls without a result, by id
}

// An event is something to report to the front end.
type event struct {
	texts  []string // events as JSON
	paused bool     // the front end must run a tool first
	ended  bool
	failed string
}

func newThread(ctx context.Context) *thread {
	ctx, stop := context.WithCancel(ctx)
	return &thread{ctx: ctx, stop: stop, events: make(chan event), waiting: map[string]chan string{}}
}

func (t *thread) work(agent Agent, in *input) {
	defer t.stop()
	c := in.conversation()
	c.Called = t.tellCall
	if in.tools != nil {
		c.Servers = []mcpclient.Server{{Name: frontEnd, Dial: func(context.Context) (wire.Conn, error) { return t.offerTools(in.tools) }}}
	}
	answer, err := agent(t.ctx, c)
	end := event{ended: true}
	if err != nil {
		end.failed = err.Error()
	} else if strings.TrimSpace(answer) != "" {
		id := rawjson.Quote("answer-" + strconv.Itoa(t.number()))
		end.texts = []string{
			`{"type":"TEXT_MESSAGE_START","messageId":` + id + `,"role":"assistant"}`,
			`{"type":"TEXT_MESSAGE_CONTENT","messageId":` + id + `,"delta":` + rawjson.Quote(answer) + `}`,
			`{"type":"TEXT_MESSAGE_END","messageId":` + id + `}`,
		}
	}
	t.emit(end)
}

func (t *thread) number() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.calls++
	return t.calls
}

// emit reports an event if a front end is connected.
func (t *thread) emit(e event) {
	select {
	case t.events <- e:
	case <-t.ctx.Done():
	}
}

// tell writes events until the run ends: the agent is done, or waits for the front end.
func (t *thread) tell(ctx context.Context, send func(string)) (ended bool, failed string) {
	for {
		select {
		case e := <-t.events:
			for _, text := range e.texts {
				send(text)
			}
			if e.ended || e.paused {
				return e.ended, e.failed
			}
		case <-ctx.Done():
			t.stop() // the front end has left
			return true, ""
		case <-t.ctx.Done():
			return true, "the agent was ended"
		}
	}
}

func callEvents(id, tool, arguments string) []string {
	q := rawjson.Quote(id)
	return []string{
		`{"type":"TOOL_CALL_START","toolCallId":` + q + `,"toolCallName":` + rawjson.Quote(tool) + `}`,
		`{"type":"TOOL_CALL_ARGS","toolCallId":` + q + `,"delta":` + rawjson.Quote(arguments) + `}`,
		`{"type":"TOOL_CALL_END","toolCallId":` + q + `}`,
	}
}

// frontEnd is the name, for the agent, of the server with the front end's tools.
const frontEnd = "front-end"

// tellCall reports a call of one of the agent's own tools, with its result.
func (t *thread) tellCall(server, tool, arguments, result string) {
	if server == frontEnd {
		return // made by the front end itself
	}
	id := "call-" + strconv.Itoa(t.number())
	t.emit(event{texts: append(callEvents(id, tool, arguments),
		`{"type":"TOOL_CALL_RESULT","messageId":`+rawjson.Quote("result-of-"+id)+`,"toolCallId":`+rawjson.Quote(id)+`,"content":`+rawjson.Quote(strings.ToValidUTF8(result, "\uFFFD"))+`}`)})
}

// offerTools returns a server with the front end's tools. A call ends the run, and the next run brings its result.
func (t *thread) offerTools(tools []string) (wire.Conn, error) {
	state := mcpserver.State{
		Name: frontEnd, Identity: []string{`{"name":"` + frontEnd + `","version":"1"}`}, Capabilities: []string{`{"tools":{}}`}, Call: t.callFrontEnd,
	}
	state.Lists[0] = mcpserver.List{Present: true, Items: tools}
	server, err := mcpserver.New(state, mcpserver.Options{})
	if err != nil {
		return nil, err
	}
	return mcpserver.ConnectInMemory(server, nil), nil
}

func (t *thread) callFrontEnd(ctx context.Context, c mcpserver.Call) (string, error) {
	arguments := cmp.Or(rawjson.LastMember(c.Params, "arguments"), "{}")
	id := "call-" + strconv.Itoa(t.number())
	result := make(chan string, 1)
	t.mu.Lock()
	t.waiting[id] = result
	t.mu.Unlock()
	t.emit(event{texts: callEvents(id, c.Name, arguments), paused: true})
	select {
	case text := <-result:
		return `{"content":[{"type":"text","text":` + rawjson.Quote(text) + `}]}`, nil
	case <-ctx.Done():
		return "", context.Cause(ctx)
	case <-t.ctx.Done():
		return "", errors.New("the front end has left")
	}
}

// takeResults passes results to the waiting calls, and reports whether there was one.
func (t *thread) takeResults(results map[string]string) (any bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for id, result := range t.waiting {
		if text, ok := results[id]; ok {
			result <- text
			delete(t.waiting, id)
			any = true
		}
	}
	return any
}

func eventWriter(w http.ResponseWriter) func(string) {
	flush := http.NewResponseController(w)
	return func(text string) {
		_, _ = io.WriteString(w, "data: "+text+"\n\n") // a client that left misses it
		_ = flush.Flush()
	}
}

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
