package boundary

import (
	"slices"
	"strings"

	"gauntlet/internal/engine/check"
	"gauntlet/internal/leaf/mcp"
	"gauntlet/rawjson"
	"gauntlet/trace"
	"gauntlet/trust"
)

// A callLog holds the calls of a trace: who sent what to which server, and what was returned.
type callLog struct {
	calls   []call
	at      map[int]int // request or result number to index in calls
	servers map[string]bool
	tools   map[string]map[string]bool // servers that offered a tool
	// enums are the strings that a tool's schema lists, by server and tool.
	enums map[[2]string]map[string]bool
	tasks map[[2]string]int // call that a task continues, by server and task id
}

// A call is a message that gives a server input: a request with its result, a notification, or an answer to a server's request.
type call struct {
	request, result int // indexes in the trace; result is -1 if none was recorded
	server, tool    string
	title           string
	method          string // "" for anything but a request
	input           string // the part of the message with the input, for readers
	origin          int    // index of the call that this one continues as a task, otherwise its own
	failed          bool   // the result has isError
	sanitizer       uint64 // bit set of the required sanitizers that it calls
}

func newCallLog() *callLog {
	return &callLog{at: map[int]int{}, servers: map[string]bool{}, tools: map[string]map[string]bool{}, enums: map[[2]string]map[string]bool{}, tasks: map[[2]string]int{}}
}

func readCalls(t *trace.Trace, sanitizers []trust.Name) *callLog {
	k := newCallLog()
	var tree rawjson.Tree
	for i := range t.Messages {
		m := &t.Messages[i]
		if !m.IsProtocol("mcp") {
			continue
		}
		k.servers[m.Server] = true
		switch {
		case m.Direction == trace.ToServer:
			k.addInput(m, i, &tree, sanitizers)
		case m.Kind == trace.Response || m.Kind == trace.Error:
			if m.Method == mcp.ToolsList && m.Kind == trace.Response {
				k.addToolList(m, &tree)
			}
			if at, ok := k.at[m.ReplyTo]; ok && k.calls[at].returns() && k.calls[at].result < 0 && m.Stray == "" {
				k.addResult(m, i, at, &tree)
			}
		}
	}
	return k
}

// addInput adds a client's message unless it gives the server no input: in initialize the client describes itself.
func (k *callLog) addInput(m *trace.Message, i int, tree *rawjson.Tree, sanitizers []trust.Name) {
	switch {
	case m.Method == mcp.Initialize:
	case m.Kind == trace.Request:
		k.addRequest(m, i, tree, sanitizers)
	case m.Kind == trace.Notification:
		k.addCall(m, call{request: i, result: -1, server: m.Server, title: m.Method, input: "the notification " + m.Method})
	default:
		k.addCall(m, call{request: i, result: -1, server: m.Server, title: m.Method, input: strings.TrimSpace("the client's answer to " + m.Method)})
	}
}

func (k *callLog) addCall(m *trace.Message, c call) {
	k.at[m.Seq] = len(k.calls)
	if c.method == "" || c.origin < 0 {
		c.origin = len(k.calls)
	}
	k.calls = append(k.calls, c)
}

// returns reports whether the response to a call is followed: that of a tool, resource or prompt, immediately or as a
// task, a completion, and definitions.
func (c *call) returns() bool {
	switch c.method {
	case mcp.TasksGet, mcp.TasksResult, mcp.TasksUpdate, mcp.CompletionComplete:
		return true
	}
	return mcp.SubjectParam(c.method) != "" || listsDefinitions(c.method)
}

func listsDefinitions(method string) bool {
	return slices.ContainsFunc(mcp.Lists[:], func(l mcp.List) bool { return l.Method == method })
}

func (k *callLog) addRequest(m *trace.Message, i int, tree *rawjson.Tree, sanitizers []trust.Name) {
	c := call{request: i, result: -1, server: m.Server, title: m.Method, method: m.Method, origin: -1}
	if params, err := m.Content(tree); err == nil {
		name := strings.Clone(params.Get(mcp.SubjectParam(m.Method)).Text())
		c.title = messageTitle(m.Method, name)
		if at, ok := k.tasks[[2]string{m.Server, params.Get("taskId").Text()}]; ok && strings.HasPrefix(m.Method, "tasks/") {
			of := &k.calls[at]
			c.origin, c.tool, c.sanitizer, c.title = at, of.tool, of.sanitizer, m.Method+" of "+of.title
		}
		if m.Method == mcp.ToolsCall {
			c.tool = name
			k.addTool(m.Server, name)
			for bit, s := range sanitizers {
				if bit < maxSanitizers && namesTool(s.Text, m.Server, name) {
					c.sanitizer |= 1 << bit
				}
			}
		}
	}
	c.input = "the arguments of " + c.title
	if !c.returns() {
		c.input = "the params of " + c.title
	}
	k.addCall(m, c)
}

// maxSanitizers limits the required sanitizers; the suite parser rejects more.
const maxSanitizers = 64

func (k *callLog) addResult(m *trace.Message, i, at int, tree *rawjson.Tree) {
	k.calls[at].result = i
	k.at[m.Seq] = at
	k.calls[at].failed = m.Kind == trace.Error
	// Most results contain neither, and are not parsed here.
	if m.Kind == trace.Response && (strings.Contains(m.Raw, "isError") || strings.Contains(m.Raw, "taskId")) {
		if result, err := m.Content(tree); err == nil {
			k.noteResult(result, at)
		}
	}
}

// noteResult records whether a result failed and which task it belongs to.
func (k *callLog) noteResult(result rawjson.Value, at int) {
	c := &k.calls[at]
	c.failed, _ = result.Get("isError").Bool()
	for _, v := range []rawjson.Value{result, result.Get("task")} {
		if id := v.Get("taskId").Text(); id != "" && c.origin == at {
			k.tasks[[2]string{c.server, strings.Clone(id)}] = at
		}
	}
}

func (k *callLog) addTool(server, tool string) {
	if k.tools[tool] == nil {
		k.tools[tool] = map[string]bool{}
	}
	k.tools[tool][server] = true
}

// addToolList records tools and the values that their schemas list.
func (k *callLog) addToolList(m *trace.Message, tree *rawjson.Tree) {
	result, err := m.Content(tree)
	if err != nil {
		return
	}
	for _, tool := range result.Get("tools").Elements() {
		k.addDefinition(m.Server, tool)
	}
}

func (k *callLog) addDefinition(server string, tool rawjson.Value) {
	name := strings.Clone(tool.Get("name").Text())
	k.addTool(server, name)
	key := [2]string{server, name}
	for v := range tool.Get("inputSchema").All() {
		if in := v.Parent(); v.Kind() == rawjson.String && (v.Key().Is("const") || in.Kind() == rawjson.Array && in.Key().Is("enum")) {
			if k.enums[key] == nil {
				k.enums[key] = map[string]bool{}
			}
			k.enums[key][strings.Clone(v.Text())] = true
		}
	}
}

// addScannedTools records the tools of servers scanned with the trace, under the servers' own names.
func (k *callLog) addScannedTools(p *check.Pass) {
	var tree rawjson.Tree
	for _, s := range p.Catalog.Servers {
		if !k.servers[s.Name] {
			continue
		}
		tools := s.Tools()
		for i := range tools {
			k.addDefinition(s.Name, tools[i].Parse(s, &tree))
		}
	}
}

// addInputs lists what a client's message gives its server: everything in params, result or error, except what the
// client says about itself and identifiers of the server's own things.
func (s *valueSweep) addInputs() {
	root := s.messageRoot()
	for m := range root.Get("params").Members() {
		switch m.Key.Text() {
		case "name", "ref", "progressToken", "requestState":
		case "_meta":
			for m := range m.Value.Members() {
				if key := m.Key.Text(); key != "progressToken" && !strings.HasPrefix(key, mcp.MetaPrefix) {
					s.addValues(m.Value)
				}
			}
		default:
			s.addValues(m.Value)
		}
	}
	for m := range root.Get("result").Members() {
		switch m.Key.Text() {
		case "model", "role", "stopReason", "action", "_meta":
		default:
			s.addValues(m.Value)
		}
	}
	s.addValues(root.Get("error").Get("message"))
	s.addValues(root.Get("error").Get("data"))
	s.markRoles()
}

// addOutputs lists what a response gives the client: a result, or an error's text. Of definitions it lists what is
// written for readers, not names and types for programs.
func (s *valueSweep) addOutputs(method string) {
	root := s.messageRoot()
	s.addValues(root.Get("result"))
	s.addValues(root.Get("error").Get("message"))
	s.addValues(root.Get("error").Get("data"))
	if !listsDefinitions(method) {
		return
	}
	for i := range s.entries {
		e := &s.entries[i]
		key := e.value.Key()
		if !key.Exists() {
			key = e.value.Parent().Key() // of the surrounding array
		}
		if e.text != "" && forPrograms[key.Text()] {
			e.text, e.worthy = "", false
		}
	}
}

// forPrograms are members of definitions that are not shown as text.
var forPrograms = map[string]bool{
	"name": true, "type": true, "format": true, "pattern": true, "required": true, "mimeType": true, "$schema": true, "$id": true, "$ref": true, "$anchor": true, "enum": true, "const": true,
	"nextCursor": true, "cacheScope": true, "resultType": true, "x-mcp-header": true, "src": true, "sizes": true, "theme": true, "taskSupport": true, "audience": true,
}
