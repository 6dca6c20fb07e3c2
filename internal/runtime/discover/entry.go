package discover

import (
	"fmt"
	"slices"
	"strings"

	"gauntlet/finding"
	"gauntlet/internal/engine/check/config"
)

// addEntry reads one server. Its faults are problems of this entry only.
func (r *reader) addEntry(n *node, project string) {
	if len(r.file.Entries) >= MaxEntries {
		if !r.full {
			r.problemIn(finding.Limit, n, "more than %d servers: the rest is unread", MaxEntries)
		}
		r.full = true
		return
	}
	e := config.Entry{Client: r.file.Client, File: r.file.Path, Project: project, Name: n.key, Place: r.lines.placeOfName(n), Transport: config.Unknown}
	e.Raw = r.newValue(n, r.lines.cut(n))
	if n.parent.kind == list {
		e.Name = ""
		if name := n.get("name"); name.str() != "" {
			e.Name, e.Place = name.text, r.lines.placeAt(n.pointer(), name.start, name.end)
		}
	}
	b := &builder{reader: r, e: &e, n: n}
	if n.kind != table {
		b.wrong(n, "it is %s, want an object", n.kind)
		r.file.Entries = append(r.file.Entries, e)
		return
	}
	if n.unread {
		b.wrong(n, "it is nested too deeply to be read")
	}
	if n.end > r.cut {
		b.wrong(n, "the file breaks off inside of it")
	}
	if twice(n) {
		b.wrong(n, "the name stands twice; clients take the last")
	}
	b.build()
	r.file.Entries = append(r.file.Entries, e)
}

func twice(n *node) bool {
	return n.parent.kind == table && n.parent.get(n.key) != n
}

func (r *reader) newValue(n *node, s string) config.Value {
	v := config.NewValue(s, r.lines.placeOfNode(n))
	if strings.Contains(s, "\n") {
		v = v.WithSource(r.lines.cut(n))
	}
	return v
}

// builder builds an entry from a table.
type builder struct {
	*reader
	e *config.Entry
	n *node
}

// wrong records a problem of the entry. Its message names no values.
func (b *builder) wrong(n *node, format string, args ...any) {
	b.say(finding.Malformed, n, format, args...)
}

func (b *builder) say(k finding.ProblemKind, n *node, format string, args ...any) {
	b.problemIn(k, n, "server %q: "+format, append([]any{b.e.Name}, args...)...)
	b.file.Problems[len(b.file.Problems)-1].Location.Server = b.e.Name
}

func (b *builder) build() {
	n, e := b.n, b.e
	// Continue's old form has everything in an object "transport".
	from := n
	if t := n.get("transport"); t != nil && t.kind == table {
		from = t
	}
	b.command(from)
	b.args(from)
	e.Env = append(e.Env, b.variables(from, "env", "environment", "envs")...)
	e.EnvFile = b.stringMember(from, "envFile")
	e.Cwd = b.stringMember(from, "cwd")
	b.address(from)
	e.Headers = append(e.Headers, b.variables(from, "headers", "http_headers")...)
	if o := from.get("requestOptions"); o != nil {
		e.Headers = append(e.Headers, b.variables(o, "headers")...)
	}
	b.bearer(from)
	b.forwarded(from)
	b.settings(n)
	e.Disabled = n.get("disabled").isTrue() || n.get("enabled").isFalse()
	for _, name := range []string{"disabled", "enabled"} {
		if m := n.get(name); m != nil && m.kind != boolean && m.kind != null {
			b.wrong(m, "%q is %s, want a boolean", name, m.kind)
		}
	}
	b.transport(from)
	b.long()
	e.Unresolved = unresolved(e)
}

// long records the values that are too long to be checked completely.
func (b *builder) long() {
	e := b.e
	values := append(slices.Clone(e.Args), e.URL, config.NewValue(e.Command, e.CommandAt))
	for _, l := range [][]config.Variable{e.Env, e.Headers, e.Settings} {
		for _, v := range l {
			values = append(values, v.Value)
		}
	}
	for _, v := range values {
		if len(v.Reveal()) > config.MaxJudged {
			b.say(finding.Limit, b.n, "a value is longer than %d KB and was not checked to its end", config.MaxJudged>>10)
			return
		}
	}
}

func (b *builder) stringMember(n *node, name string) string {
	m := n.get(name)
	if m != nil && m.kind != text && m.kind != null {
		b.wrong(m, "%q is %s, want a string", name, m.kind)
	}
	return m.str()
}

// command reads a string; a list of command and arguments (OpenCode); or an object with path, args and env (Zed, before 2025).
func (b *builder) command(n *node) {
	c := n.first("command", "cmd")
	if c == nil {
		return
	}
	b.e.CommandAt = b.lines.placeOfNode(c)
	switch c.kind {
	case null:
	case text:
		b.commandText(c)
	case list:
		if words := b.words(c, "part %d of the command is %s, want a string"); len(words) > 0 {
			b.e.Command, b.e.CommandAt, b.e.Args = words[0].Reveal(), words[0].Place, append(b.e.Args, words[1:]...)
		}
	case table:
		if p := c.get("path"); p != nil {
			b.e.Command, b.e.CommandAt = b.stringMember(c, "path"), b.lines.placeOfNode(p)
		}
		b.args(c)
		b.e.Env = append(b.e.Env, b.variables(c, "env")...)
	default:
		b.wrong(c, "the command is %s, want a string or a list", c.kind)
	}
}

// commandText splits a command that includes its arguments.
func (b *builder) commandText(c *node) {
	args := b.n.get("args")
	if args != nil && len(args.children) > 0 || !oneLine(c.text) {
		b.e.Command = c.text
		return
	}
	words := config.Words(c.text, strings.Contains(c.text, `\`))
	for len(words) > 0 {
		name, value, ok := strings.Cut(words[0], "=")
		if !ok || strings.ContainsAny(name, `/\.-`) {
			break
		}
		b.e.Env = append(b.e.Env, config.Variable{Name: name, Value: b.newValue(c, value)})
		words = words[1:]
	}
	for i, w := range words {
		if i == 0 {
			b.e.Command = w
		} else {
			b.e.Args = append(b.e.Args, b.newValue(c, w))
		}
	}
}

// oneLine reports whether a command includes arguments. A path may contain spaces: if the first word is a path, only a following
// option or file shows that there are arguments.
func oneLine(s string) bool {
	s = strings.TrimSpace(s)
	first, rest, ok := strings.Cut(s, " ")
	if !ok {
		return false
	}
	if strings.HasPrefix(s, `"`) || strings.HasPrefix(s, "'") || !strings.ContainsAny(first, `/\`) {
		return true
	}
	rest = strings.TrimSpace(rest)
	return strings.HasPrefix(rest, "-") || strings.Contains(rest, " -") || !strings.ContainsAny(rest, `/\`)
}

// words reads a list of strings; wrong says what another element is.
func (b *builder) words(n *node, wrong string) (out []config.Value) {
	for i, w := range n.children {
		if s, ok := w.scalar(); ok {
			out = append(out, b.newValue(w, s))
		} else {
			b.wrong(w, wrong, i+1, w.kind)
		}
	}
	return out
}

func (b *builder) args(n *node) {
	a := n.get("args")
	if a == nil {
		return
	}
	switch a.kind {
	case null:
	case text:
		for _, w := range config.Words(a.text, strings.Contains(a.text, `\`)) {
			b.e.Args = append(b.e.Args, b.newValue(a, w))
		}
	case list:
		b.e.Args = append(b.e.Args, b.words(a, "argument %d is %s, want a string")...)
	default:
		b.wrong(a, "the arguments are %s, want a list", a.kind)
	}
}

func (b *builder) variables(n *node, names ...string) []config.Variable {
	v := n.first(names...)
	if v == nil || v.kind == null {
		return nil
	}
	if v.kind != table {
		b.wrong(v, "%q is %s, want an object", v.key, v.kind)
		return nil
	}
	var out []config.Variable
	for _, m := range v.children {
		switch s, ok := m.scalar(); {
		case ok:
			out = append(out, config.Variable{Name: m.key, Value: b.newValue(m, s)})
		case m.kind != null:
			b.wrong(m, "a value of %q is %s, want a string", v.key, m.kind)
		}
	}
	return out
}

// addressNames are the members for a URL: Windsurf uses serverUrl, Gemini CLI httpUrl for Streamable HTTP.
var addressNames = []string{"url", "httpUrl", "serverUrl", "uri"}

func (b *builder) address(n *node) {
	for _, name := range addressNames {
		m := n.get(name)
		if m == nil || m.kind == null {
			continue
		}
		if m.kind != text {
			b.wrong(m, "%q is %s, want a string", name, m.kind)
			continue
		}
		if b.e.URL.Empty() || name == "httpUrl" {
			b.e.URL = b.newValue(m, m.text)
		}
	}
}

// bearer reads Codex's ways to send a token.
func (b *builder) bearer(n *node) {
	if t := n.get("bearer_token"); t.str() != "" {
		b.e.Headers = append(b.e.Headers, config.Variable{Name: "Authorization", Value: b.newValue(t, t.text)})
	}
	if t := n.get("bearer_token_env_var"); t.str() != "" {
		b.e.Headers = append(b.e.Headers, config.Variable{Name: "Authorization", Value: b.newValue(t, "Bearer ${env:"+t.text+"}")})
	}
	for _, v := range b.variables(n, "env_http_headers") {
		b.e.Headers = append(b.e.Headers, config.Variable{Name: v.Name, Value: config.NewValue("${env:"+v.Value.Reveal()+"}", v.Value.Place)})
	}
}

// forwarded reads the names of environment variables that Codex passes on: a list of names, or of objects with one.
func (b *builder) forwarded(n *node) {
	m := n.get("env_vars")
	switch {
	case m == nil || m.kind == null:
		return
	case m.kind != list:
		b.wrong(m, "%q is %s, want a list", m.key, m.kind)
		return
	}
	for _, c := range m.children {
		name := c
		if c.kind == table {
			name = c.get("name")
		}
		if name.str() == "" {
			b.wrong(c, "a variable of %q has no name", m.key)
			continue
		}
		b.e.Env = append(b.e.Env, config.Variable{Name: name.text, Value: b.newValue(name, "${env:"+name.text+"}")})
	}
}

// settings reads what Zed passes to an extension, and the client's OAuth data.
func (b *builder) settings(n *node) {
	for _, name := range []string{"settings", "oauth", "auth"} {
		m := n.get(name)
		if m == nil || m.kind != table {
			continue
		}
		for _, c := range m.children {
			if s, ok := c.scalar(); ok {
				b.e.Settings = append(b.e.Settings, config.Variable{Name: c.key, Value: b.newValue(c, s)})
			}
		}
	}
}

// transports maps transport names, in lower case and without separators.
var transports = map[string]config.Transport{
	"stdio": config.Stdio, "local": config.Stdio, "command": config.Stdio,
	"http": config.HTTP, "streamablehttp": config.HTTP, "httpstream": config.HTTP, "streamable": config.HTTP,
	"sse": config.SSE,
}

func (b *builder) transport(n *node) {
	e := b.e
	named := ""
	at := b.n
	for _, name := range []string{"type", "transport", "transportType"} {
		if m := n.get(name); m != nil && m.kind == text && m.text != "" {
			named, at = m.text, m
			break
		}
	}
	extension := n.get("source").str() == "extension" || n.get("settings") != nil
	switch {
	case e.Command != "" && !e.URL.Empty():
		b.wrong(b.n, "it has both a command and an address; which one its client takes is not said")
		e.Transport = config.Stdio
	case e.Command != "":
		e.Transport = config.Stdio
	case !e.URL.Empty():
		e.Transport = config.HTTP
		switch {
		case n.get("httpUrl").str() != "":
		case applicationOf(e.Client).URLIsSSE && named == "" || strings.HasSuffix(strings.TrimRight(e.Address(), "/"), "/sse"):
			// Before it had types, Gemini CLI took url for SSE.
			e.Transport = config.SSE
		}
	case extension:
		b.say(finding.Unread, b.n, "an extension of the client starts it; its command does not stand in the file")
	case n.get("uses").str() != "":
		if e.Name == "" {
			e.Name = n.get("uses").text
		}
		b.say(finding.Unread, b.n, "its client fetches it as a block; its command does not stand in the file")
	case e.Disabled:
		// An entry that only disables a server defined elsewhere needs no command.
	default:
		b.wrong(b.n, "it has neither a command nor an address")
	}
	key := strings.NewReplacer("-", "", "_", "", " ", "").Replace(strings.ToLower(named))
	t, ok := transports[key]
	switch {
	case named == "" || key == "remote":
	case !ok:
		b.wrong(at, "its transport is none that is known")
		e.Transport = config.Unknown
	case (t == config.Stdio) != (e.Command != "") && (e.Command != "" || !e.URL.Empty()):
		b.wrong(at, "its transport does not fit what it has, a command or an address")
	case e.Command != "" || !e.URL.Empty():
		e.Transport = t
	}
}

// unresolved lists the references that only the client can resolve.
func unresolved(e *config.Entry) []string {
	var out []string
	look := func(s string) {
		for _, r := range config.References(s) {
			if r.Kind == config.InputReference || r.Kind == config.SecretReference || r.Kind == config.FileReference {
				if label := fmt.Sprintf("%s:%s", r.Kind, r.Name); !slices.Contains(out, label) {
					out = append(out, label)
				}
			}
		}
	}
	look(e.Command)
	look(e.Cwd)
	look(e.URL.Reveal())
	for _, a := range e.Args {
		look(a.Reveal())
	}
	for _, list := range [][]config.Variable{e.Env, e.Headers} {
		for _, v := range list {
			look(v.Value.Reveal())
		}
	}
	return out
}
