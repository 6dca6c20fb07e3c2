package suite

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"gauntlet/internal/leaf/lazyregexp"
	"gauntlet/internal/leaf/yamltext"
)

// Parse reads a suite file. It returns all errors in file order; the Suite is complete only if there are none.
func Parse(file, text string) (*Suite, []Error) {
	r := reader{suite: &Suite{File: file}}
	var errs []Error
	for _, f := range r.Read(text, "a suite", MaxBytes, r.root) {
		errs = append(errs, Error{file, f.Line, f.Column, f.Msg})
	}
	return r.suite, errs
}

// reader converts nodes to a Suite and collects errors.
type reader struct {
	yamltext.Reader
	suite *Suite
}

func (r *reader) root(n *yaml.Node) {
	top := r.Members(n, "version", "servers", "security", "steps", "agent", "trace", "expect", "scan")
	if v := top["version"]; v != nil && (v.Kind != yaml.ScalarNode || v.Value != "1") {
		r.Wrong(v, "the version of the file is not 1, the only one this program reads")
	}
	r.named("servers", "server", top["servers"], func(key *yaml.Node, name string, n *yaml.Node) {
		r.suite.Servers = append(r.suite.Servers, r.server(key, name, n))
	})
	r.security(top["security"])
	r.Each("steps", top["steps"], func(n *yaml.Node) { r.suite.Steps = append(r.suite.Steps, r.readStep(n)) })
	if a := top["agent"]; a != nil {
		r.suite.Agent = r.agent(a)
	}
	r.suite.Trace = r.textAt("trace", top["trace"])
	r.Each("expect", top["expect"], func(n *yaml.Node) { r.suite.Expect = append(r.suite.Expect, *r.expect(n, true)) })
	scan := r.flag("scan", top["scan"])
	r.suite.Scan = scan != nil && *scan
	r.names()
	drivers := 0
	for _, k := range []string{"steps", "agent", "trace"} {
		if top[k] != nil {
			if drivers++; drivers > 1 {
				r.Wrong(top[k], "%s: a suite has one of steps, agent and trace", k)
			}
		}
	}
}

// textAt reads a string that is not blank.
func (r *reader) textAt(key string, n *yaml.Node) string {
	s := r.Text(key, n)
	if n != nil && n.Kind == yaml.ScalarNode && n.ShortTag() == "!!str" && strings.TrimSpace(n.Value) == "" {
		r.Wrong(n, "%s is empty", key)
	}
	return s
}

func (r *reader) texts(key string, n *yaml.Node) (out []string) {
	r.Each(key, n, func(e *yaml.Node) { out = append(out, r.textAt(key, e)) })
	return out
}

// flag reads true or false, nil if there is neither.
func (r *reader) flag(key string, n *yaml.Node) *bool {
	switch {
	case n == nil:
	case n.Kind == yaml.ScalarNode && n.ShortTag() == "!!bool":
		is := strings.EqualFold(n.Value, "true")
		return &is
	default:
		r.Wrong(n, "%s is neither true nor false", key)
	}
	return nil
}

// number reads a whole number between low and high, 0 if there is none.
func (r *reader) number(key string, n *yaml.Node, low, high int) int {
	if n == nil {
		return 0
	}
	var i int
	text, fault := yamltext.Scalar(key, n)
	if _, err := fmt.Sscanf(text+"\n", "%d\n", &i); fault != nil || err != nil || fmt.Sprint(i) != text || i < low || i > high {
		r.Wrong(n, "%s is no whole number from %d to %d", key, low, high)
		return 0
	}
	return i
}

func (r *reader) duration(key string, n *yaml.Node) time.Duration {
	if n == nil {
		return 0
	}
	text := r.textAt(key, n)
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		r.Wrong(n, "%s: %.40q is not a duration above zero: want one such as 30s, 2m or 500ms", key, text)
	}
	return d
}

// named reads a mapping from names, which are called one in errors.
func (r *reader) named(key, one string, n *yaml.Node, read func(key *yaml.Node, name string, value *yaml.Node)) {
	if n == nil || yamltext.Null(n) {
		return
	}
	if n.Kind != yaml.MappingNode {
		r.Wrong(n, "%s is not a mapping", key)
		return
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		name := r.textAt(key, n.Content[i])
		if seen[name] {
			r.Wrong(n.Content[i], "the %s %.60q stands twice", one, name)
		}
		seen[name] = true
		read(n.Content[i], name, n.Content[i+1])
	}
}

func (r *reader) pairs(key string, n *yaml.Node) (out []Pair) {
	r.named(key, "key", n, func(_ *yaml.Node, name string, v *yaml.Node) {
		value, fault := yamltext.Scalar(name, v)
		r.Add(fault)
		out = append(out, Pair{name, value})
	})
	return out
}

func placeOfNode(n *yaml.Node) Place { return Place{n.Line, n.Column} }

// oneOf requires exactly one of the keys.
func (r *reader) oneOf(n *yaml.Node, m map[string]*yaml.Node, what string, keys ...string) {
	there := 0
	for _, k := range keys {
		if m[k] != nil {
			there++
		}
	}
	if there != 1 && m != nil {
		r.Wrong(n, "%s has %d of %s: want exactly one", what, there, strings.Join(keys, ", "))
	}
}

func (r *reader) server(key *yaml.Node, name string, n *yaml.Node) Server {
	s := Server{Place: placeOfNode(key), Name: name}
	m := r.Members(n, "command", "url", "mock", "snapshot", "env", "headers", "timeout")
	r.oneOf(key, m, "the server "+name, "command", "url", "mock", "snapshot")
	s.Command, s.URL = r.texts("command", m["command"]), r.textAt("url", m["url"])
	s.Mock, s.Snapshot = r.textAt("mock", m["mock"]), r.textAt("snapshot", m["snapshot"])
	s.Env, s.Headers, s.Timeout = r.pairs("env", m["env"]), r.pairs("headers", m["headers"]), r.duration("timeout", m["timeout"])
	switch {
	case m["command"] != nil && len(s.Command) == 0:
		r.Wrong(m["command"], "command is empty")
	case m["env"] != nil && m["command"] == nil:
		r.Wrong(m["env"], "env is for a server with a command")
	case m["headers"] != nil && m["url"] == nil:
		r.Wrong(m["headers"], "headers are for a server with a url")
	case s.URL != "" && !strings.HasPrefix(s.URL, "http://") && !strings.HasPrefix(s.URL, "https://"):
		r.Wrong(m["url"], "url begins with neither http:// nor https://")
	}
	return s
}

func (r *reader) readStep(n *yaml.Node) Step {
	s := Step{Place: placeOfNode(n)}
	m := r.Members(n, "call", "arguments", "as", "expect")
	if m["call"] == nil && m != nil {
		r.Wrong(n, "a step has no call: want server.tool")
	}
	s.Server, s.Tool = r.call(m["call"])
	if a := m["arguments"]; a != nil && !yamltext.Null(a) {
		if a.Kind != yaml.MappingNode {
			r.Wrong(a, "arguments is not a mapping")
		}
		var fault *yamltext.Fault
		s.Arguments, fault = yamltext.JSON(a)
		r.Add(fault)
	}
	s.As = r.textAt("as", m["as"])
	if e := m["expect"]; e != nil {
		s.Expect = r.expect(e, false)
	}
	return s
}

// call splits server.tool after the longest server name that it begins with, since both may contain dots.
func (r *reader) call(n *yaml.Node) (server, tool string) {
	text := r.textAt("call", n)
	if text == "" {
		return "", ""
	}
	for _, s := range r.suite.Servers {
		if rest, ok := strings.CutPrefix(text, s.Name+"."); ok && rest != "" && len(s.Name) > len(server) {
			server, tool = s.Name, rest
		}
	}
	if server == "" {
		r.Wrong(n, "call: %.60q is not server.tool with a server of this suite", text)
	}
	return server, tool
}

func (r *reader) agent(n *yaml.Node) *Agent {
	m := r.Members(n, "command", "builtin", "prompt", "env", "timeout")
	a := &Agent{Place: placeOfNode(n), Command: r.texts("command", m["command"]), Builtin: r.textAt("builtin", m["builtin"]), Prompt: r.textAt("prompt", m["prompt"]),
		Env: r.pairs("env", m["env"]), Timeout: r.duration("timeout", m["timeout"])}
	r.oneOf(n, m, "the agent", "command", "builtin")
	return a
}

func (r *reader) expect(n *yaml.Node, listed bool) *Expect {
	known := []string{"error", "contains", "lacks", "matches", "at", "equals"}
	if listed {
		known = append([]string{"call", "step", "count"}, known...)
	}
	m := r.Members(n, known...)
	e := &Expect{Place: placeOfNode(n), Step: r.textAt("step", m["step"]), Contains: r.texts("contains", m["contains"]), Lacks: r.texts("lacks", m["lacks"]),
		Matches: r.textAt("matches", m["matches"])}
	if listed {
		r.oneOf(n, m, "an expectation", "call", "step")
	}
	if server, tool := r.call(m["call"]); server != "" {
		e.Call = server + "." + tool
	}
	e.Error = r.flag("error", m["error"])
	if m["count"] != nil {
		count := r.number("count", m["count"], 0, 1_000_000)
		e.Count = &count
	}
	if _, err := regexp.Compile(e.Matches); err != nil {
		r.Wrong(m["matches"], "matches: %v", err)
	}
	if at := m["at"]; at != nil {
		if e.At = r.textAt("at", at); !pointerForm.MatchString(e.At) {
			r.Wrong(at, "at: %.60q is no JSON Pointer", e.At)
		}
	}
	if v := m["equals"]; v != nil {
		var fault *yamltext.Fault
		e.Equals, fault = yamltext.JSON(v)
		r.Add(fault)
	} else if m["at"] != nil {
		r.Wrong(m["at"], "at requires equals")
	}
	return e
}

var (
	pointerForm  = lazyregexp.New(`^(/([^~/]|~[01])*)*$`)
	revisionForm = lazyregexp.New(`^[0-9]{4}-[0-9]{2}-[0-9]{2}$`) // of MCP
)

// names reports names that are undefined or ambiguous.
func (r *reader) names() {
	steps := map[string]bool{}
	for _, s := range r.suite.Steps {
		if s.As != "" && steps[s.As] {
			r.Add(&yamltext.Fault{Line: s.Line, Column: s.Column, Msg: fmt.Sprintf("two steps are called %.60q", s.As)})
		}
		steps[s.As] = true
	}
	for _, e := range r.suite.Expect {
		if e.Step != "" && !steps[e.Step] {
			r.Add(&yamltext.Fault{Line: e.Line, Column: e.Column, Msg: fmt.Sprintf("no step is called %.60q", e.Step)})
		}
	}
}
