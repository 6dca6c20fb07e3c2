package boundary

import (
	"strings"

	"gauntlet/internal/engine/check"
	"gauntlet/internal/leaf/mcp"
	"gauntlet/rawjson"
	"gauntlet/trace"
	"gauntlet/trust"
)

// A callLog is what a trace says about calls: who sent what to which server, and what came back.
type callLog struct {
	calls   []call
	at      map[int]int // places in calls, by the number of the request and of the result
	servers map[string]bool
	tools   map[string]map[string]bool // the servers that a tool was seen on
	// enums are the strings that a tool's schema lists, by server and tool.
	enums map[[2]string]map[string]bool
}

// A call is one message that gives a server input: a request with its result, a notification,
// or an answer to what the server asked.
type call struct {
	request, result int // places in the trace; result is -1 where none was recorded
	server, tool    string
	title           string
	subject         string // the member of params that names what is called; "" where none does
	input           string // what of the message gives the input, for a reader
	failed          bool   // the result says isError
	sanitizer       uint64 // which of the required sanitizers it calls
}

func newCallLog() *callLog {
	return &callLog{at: map[int]int{}, servers: map[string]bool{}, tools: map[string]map[string]bool{}, enums: map[[2]string]map[string]bool{}}
}

// readCalls reads a trace.
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
		case m.Kind == trace.Response && m.Method == mcp.ToolsList:
			k.addToolList(m, &tree)
		case m.Kind == trace.Response:
			if at, ok := k.at[m.ReplyTo]; ok && k.calls[at].returns() && k.calls[at].result < 0 && m.Stray == "" {
				k.addResult(m, i, at, &tree)
			}
		}
	}
	return k
}

// addInput adds a message of the client, unless it gives a server nothing: in initialize the
// client speaks of itself.
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
	k.calls = append(k.calls, c)
}

// returns reports whether the result of a call is followed: that of a tool, a resource, a prompt.
func (c *call) returns() bool { return c.subject != "" }

func (k *callLog) addRequest(m *trace.Message, i int, tree *rawjson.Tree, sanitizers []trust.Name) {
	c := call{request: i, result: -1, server: m.Server, title: m.Method, subject: mcp.SubjectParam(m.Method)}
	if params, err := m.Content(tree); err == nil {
		name := strings.Clone(params.Get(c.subject).Text())
		c.title = messageTitle(m.Method, name)
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

// maxSanitizers is how many sanitizers may be required; the parser of suites refuses more.
const maxSanitizers = 64

func (k *callLog) addResult(m *trace.Message, i, at int, tree *rawjson.Tree) {
	k.calls[at].result = i
	k.at[m.Seq] = at
	// Most results say nothing of it, and are not parsed here.
	if strings.Contains(m.Raw, "isError") {
		if result, err := m.Content(tree); err == nil {
			k.calls[at].failed, _ = result.Get("isError").Bool()
		}
	}
}

func (k *callLog) addTool(server, tool string) {
	if k.tools[tool] == nil {
		k.tools[tool] = map[string]bool{}
	}
	k.tools[tool][server] = true
}

// addToolList learns tools and the values that their schemas list.
func (k *callLog) addToolList(m *trace.Message, tree *rawjson.Tree) {
	result, err := m.Content(tree)
	if err != nil {
		return
	}
	for _, tool := range result.Get("tools").Elements() {
		k.addDefinition(m.Server, tool)
	}
}

// addDefinition learns a tool from its definition.
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

// addScannedTools learns the tools of servers that were scanned beside the trace, under the name
// that they give themselves.
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

// addInputs lists what a message of the client gives to its server: all that its params, its
// result or its error hold, but for what the client says of itself and the names by which the
// server's own things are called.
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
