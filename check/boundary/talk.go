package boundary

import (
	"strings"

	"gauntlet/check"
	"gauntlet/rawjson"
	"gauntlet/trace"
	"gauntlet/trust"
)

// A talk is what a trace says about calls: who asked what of which server, and what came back.
type talk struct {
	calls   []call
	at      map[int]int // places in calls, by the number of the request and of the result
	answers []int       // places in the trace of what the client answered to servers
	servers map[string]bool
	tools   map[string]map[string]bool // the servers that a tool was seen on
	// enums are the strings that a tool's schema lists, by server and tool.
	enums map[[2]string]map[string]bool
}

// A call is one request that gives a server input, and its result.
type call struct {
	request, result int // places in the trace; result is -1 where none was recorded
	server, tool    string
	title           string
	failed          bool   // the result says isError
	sanitizer       uint64 // which of the required sanitizers it calls
}

// methods are those whose params are input and whose results are output of a server, with
// the member of params that names what is called.
var methods = map[string]string{"tools/call": "name", "resources/read": "uri", "prompts/get": "name"}

func newTalk() *talk {
	return &talk{at: map[int]int{}, servers: map[string]bool{}, tools: map[string]map[string]bool{}, enums: map[[2]string]map[string]bool{}}
}

// listen reads a trace.
func listen(t *trace.Trace, sanitizers []trust.Name) *talk {
	k := newTalk()
	var tree rawjson.Tree
	for i := range t.Messages {
		m := &t.Messages[i]
		if !m.IsProtocol("mcp") {
			continue
		}
		k.servers[m.Server] = true
		switch {
		case m.Kind == trace.Request && m.Direction == trace.ToServer && methods[m.Method] != "":
			k.asked(m, i, &tree, sanitizers)
		case m.Kind == trace.Response && m.Direction == trace.ToClient:
			if at, ok := k.at[m.ReplyTo]; ok && k.calls[at].result < 0 && m.Stray == "" {
				k.answered(m, i, at, &tree)
			} else if m.Method == "tools/list" {
				k.listed(m, &tree)
			}
		case m.Kind == trace.Response && m.Direction == trace.ToServer:
			k.answers = append(k.answers, i)
		}
	}
	return k
}

func (k *talk) asked(m *trace.Message, i int, tree *rawjson.Tree, sanitizers []trust.Name) {
	c := call{request: i, result: -1, server: m.Server}
	if params, err := m.Content(tree); err == nil {
		name := strings.Clone(params.Get(methods[m.Method]).Text())
		c.title = title(m.Method, name)
		if m.Method == "tools/call" {
			c.tool = name
			k.serves(m.Server, name)
			for bit, s := range sanitizers {
				if bit < maxSanitizers && isTool(s.Text, m.Server, name) {
					c.sanitizer |= 1 << bit
				}
			}
		}
	}
	k.at[m.Seq] = len(k.calls)
	k.calls = append(k.calls, c)
}

// maxSanitizers is how many sanitizers may be required; the parser of suites refuses more.
const maxSanitizers = 64

func (k *talk) answered(m *trace.Message, i, at int, tree *rawjson.Tree) {
	k.calls[at].result = i
	k.at[m.Seq] = at
	// Most results say nothing of it, and are not parsed here.
	if strings.Contains(m.Raw, "isError") {
		if result, err := m.Content(tree); err == nil {
			k.calls[at].failed, _ = result.Get("isError").Bool()
		}
	}
}

func (k *talk) serves(server, tool string) {
	if k.tools[tool] == nil {
		k.tools[tool] = map[string]bool{}
	}
	k.tools[tool][server] = true
}

// listed learns tools and the values that their schemas list.
func (k *talk) listed(m *trace.Message, tree *rawjson.Tree) {
	result, err := m.Content(tree)
	if err != nil {
		return
	}
	for _, tool := range result.Get("tools").Elements() {
		k.defines(m.Server, tool)
	}
}

// defines learns a tool from its definition.
func (k *talk) defines(server string, tool rawjson.Value) {
	name := strings.Clone(tool.Get("name").Text())
	k.serves(server, name)
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

// scanned learns the tools of servers that were scanned beside the trace, under the name
// that they give themselves.
func (k *talk) scanned(p *check.Pass) {
	var tree rawjson.Tree
	for _, s := range p.Catalog.Servers {
		if !k.servers[s.Name] {
			continue
		}
		tools := s.Tools()
		for i := range tools {
			k.defines(s.Name, tools[i].Parse(s, &tree))
		}
	}
}

// inputs lists what a call gives to its server.
func (s *sweep) inputs() {
	params := s.root().Get("params")
	for _, name := range []string{"arguments", "uri", "inputResponses"} {
		s.add(params.Get(name))
	}
}
