package taint

import (
	"path"
	"regexp"
	"strings"

	"gauntlet/capability"
	"gauntlet/internal/engine/callgraph"
	"gauntlet/internal/leaf/ir"
	"gauntlet/sink"
)

// findSinks notes which sources arrive at an argument of a call that has consequences.
func (r *reader) findSinks(c call, callee callgraph.Callee) {
	row := callee.Row
	name := strings.TrimPrefix(callee.Name, ".")
	if row == nil || row.Kind() == "pure" {
		r.fetchSink(c, callee.Name)
	}
	if row == nil {
		return
	}
	switch row.Kind() {
	case "spawn":
		r.spawnSink(c, row, name)
	case "sql":
		if text := row.Argument("text", c.expr); text != nil {
			r.sqlSink(c, r.valueOf(c, text), name)
		}
	case "file":
		r.pathSink(c, row, name)
	case "tag":
		if code := row.Argument("code", c.expr); code != nil && !inBrowser(name) {
			r.sinkMarks(c, sink.CodeFlow, name, "", r.valueOf(c, code).all())
		}
		if url := row.Argument("url", c.expr); url != nil {
			r.urlSink(c, r.valueOf(c, url), name)
		}
		if !row.Weak() && (row.Has(capability.FSRead) || row.Has(capability.FSWrite)) {
			r.pathSink(c, row, name)
		}
	}
}

// inBrowser reports whether code runs in a page and not in the server.
func inBrowser(name string) bool {
	return strings.HasPrefix(name, "puppeteer") || strings.HasPrefix(name, "playwright") || strings.HasPrefix(name, "selenium")
}

// sinkMarks records the flows of marks that arrive at a sink.
func (r *reader) sinkMarks(c call, kind sink.FlowKind, name, about string, marks []mark) {
	at := placeOf(c.expr)
	for _, m := range marks {
		if r.st.gone[m.src] {
			continue
		}
		r.sum.addFlow(flow{kind: kind, at: at, name: name + "()", about: about, src: m.src, facts: m.facts | r.st.facts[m.src], head: m.head, step: m.step})
	}
}

func (r *reader) pathSink(c call, row *callgraph.Row, name string) {
	if p := row.Argument("path", c.expr); p != nil {
		r.sinkMarks(c, sink.PathFlow, name, "", r.valueOf(c, p).marks)
	}
}

// fetchers are methods of clients that request what their first argument names, whichever package the client is of.
var (
	fetchers = names("get post put patch head request fetch goto navigate urlopen async_fetch")
	clients  = regexp.MustCompile(`(?i)fetch|http|request|client|session|browser|page|crawl|axios`)
	urlNames = regexp.MustCompile(`(?i)(^|_|[a-z])(url|uri|href|link)s?$`)
)

// fetchSink is a request by a client that no table knows: the method of a client, given something that is called an
// address. Both names have to say so, since a cache has a get too, and a service may be given an address as data.
func (r *reader) fetchSink(c call, name string) {
	e := c.expr
	if !fetchers[lastWord(name)] || len(e.Args) == 0 || e.Args[0].Value == nil || !urlNames.MatchString(e.Args[0].Value.Text) {
		return
	}
	whose := strings.TrimSuffix(name, lastWord(name))
	if e.X.Kind == ir.Attr && e.X.X != nil {
		whose += e.X.X.Text
	}
	if clients.MatchString(whose) {
		r.urlSink(c, c.args[0], strings.TrimPrefix(name, "."))
	}
}

// urlMembers are the members of a request's options that say where it goes.
var urlMembers = []string{"url", "uri", "baseURL", "baseUrl", "host", "hostname", "href", "origin"}

func (r *reader) urlSink(c call, v *value, name string) {
	marks := v.marks
	for _, m := range urlMembers {
		if f := v.fields[m]; f != nil {
			marks = append(marks[:len(marks):len(marks)], f.marks...)
		}
	}
	for _, m := range marks {
		kind := sink.HostFlow
		if strings.HasPrefix(m.head, unknownText) || fixedHost.MatchString(m.head) || strings.HasPrefix(m.head, "/") || len(v.fixed) > 0 {
			kind = sink.URLPathFlow
		}
		r.sinkMarks(c, kind, name, "", []mark{m})
	}
}

var statement = regexp.MustCompile(`(?i)\b(select|insert|update|delete|create|drop|alter|show|describe|desc|use|explain|replace|with|grant|truncate|call|exec|pragma)\b`)

// sqlSink looks for text of a caller inside a statement of the source. A statement that the caller sends as a whole is
// what such a tool is for.
func (r *reader) sqlSink(c call, v *value, name string) {
	for _, m := range v.marks {
		if statement.MatchString(m.head) {
			r.sinkMarks(c, sink.SQLFlow, name, "", []mark{m})
		}
	}
}

// interpreters run what follows one of their options.
var interpreters = map[string]string{
	"sh": "-c", "bash": "-c", "zsh": "-c", "dash": "-c", "ksh": "-c", "fish": "-c", "cmd": "/c", "cmd.exe": "/c", "powershell": "-command",
	"powershell.exe": "-command", "pwsh": "-command", "python": "-c", "python3": "-c", "node": "-e", "ruby": "-e", "perl": "-e", "php": "-r", "osascript": "-e",
}

// dangerousOptions are programs that run or write something because of an option, with the option.
var dangerousOptions = map[string]string{
	"ssh": "-oProxyCommand=", "scp": "-S", "sftp": "-S", "rsync": "-e", "git": "--upload-pack=", "tar": "--checkpoint-action=", "find": "-exec",
	"curl": "-o", "wget": "-O", "zip": "-TT", "kubectl": "--kubeconfig=", "helm": "--post-renderer=", "sed": "-e", "awk": "-f",
	"mysql": "--defaults-file=", "hg": "--config=", "svn": "--config-option=", "man": "-P",
}

// spawnSink reads the start of a program: a line for a shell, or a program and its arguments.
func (r *reader) spawnSink(c call, row *callgraph.Row, name string) {
	if line := row.Argument("line", c.expr); line != nil {
		r.sinkMarks(c, sink.ShellFlow, name, "", r.valueOf(c, line).all())
		return
	}
	argv := row.Argument("argv", c.expr)
	if argv == nil {
		return
	}
	v := r.valueOf(c, argv)
	args := r.argvOf(c, argv, v)
	program := v
	if v.length > 0 {
		program = v.member("0")
	}
	if r.hasShell(row, c.expr) {
		marks := v.all()
		for _, a := range args {
			marks = addMarks(marks, a.all()...)
		}
		r.sinkMarks(c, sink.ShellFlow, name, "", marks)
		return
	}
	for _, m := range program.marks {
		if m.head == "" {
			r.sinkMarks(c, sink.ProgramFlow, name, "", []mark{m})
		}
	}
	prog := program.fixed
	if word := firstWord(program); prog == "" && word != "" {
		prog = word
	}
	if prog == "" {
		prog = r.a.g.FixedProgram(row, c.expr, r.ctx)
	}
	r.argumentSinks(c, name, path.Base(strings.ReplaceAll(prog, `\`, "/")), args)
}

// argumentSinks looks at the arguments of a program one by one.
func (r *reader) argumentSinks(c call, name, prog string, args []*value) {
	option, code := interpreters[strings.ToLower(prog)], false
	positional, before := false, ""
	for _, a := range args {
		switch {
		case code:
			r.sinkMarks(c, sink.ShellFlow, name, prog, a.all())
		case positional || strings.HasPrefix(before, "-") && !strings.Contains(before, "="):
			// behind "--" everything is a name, and what follows an option is taken for its value
		case dangerousOptions[prog] != "":
			for _, m := range a.all() {
				// A line of the form "kubectl " + arguments is what such a tool is for.
				if m.head == "" || m.facts&split != 0 && strings.TrimSpace(m.head) != prog {
					r.sinkMarks(c, sink.ArgumentFlow, name, prog, []mark{m})
				}
			}
		}
		positional = positional || a.fixed == "--"
		code = code || option != "" && strings.EqualFold(a.fixed, option)
		before = a.fixed
	}
}

// firstWord returns the first word of a line that was split, as far as the source fixes it.
func firstWord(v *value) string {
	if len(v.marks) == 0 || v.marks[0].facts&split == 0 {
		return ""
	}
	word, _, behind := strings.Cut(v.marks[0].head, " ")
	if !behind || strings.Contains(word, unknownText) {
		return ""
	}
	return word
}

// argvOf returns the arguments behind the program, in order.
func (r *reader) argvOf(c call, argv *ir.Expr, v *value) []*value {
	var out []*value
	list := func(l *value, from int) {
		for i := from; i < l.length; i++ {
			out = append(out, l.member(itoa(i)))
		}
		if l.length < 0 && !l.isClean() {
			out = append(out, l.elements())
		} else if m := l.fields["*"]; m != nil {
			out = append(out, m)
		}
	}
	if v.length > 0 {
		list(v, 1)
		return out
	}
	behind := false
	for i, a := range c.expr.Args {
		switch {
		case a.Value == argv:
			behind = true
		case behind && a.Name == "" && a.Value != nil && a.Value.Kind != ir.Object && a.Value.Kind != ir.Function:
			if c.args[i].length >= 0 {
				list(c.args[i], 0)
			} else if c.args[i].fields == nil {
				out = append(out, c.args[i])
			}
		}
	}
	return out
}

// hasShell reports whether a program is started by a shell.
func (r *reader) hasShell(row *callgraph.Row, e *ir.Expr) bool {
	x := row.Argument("shell", e)
	if x == nil {
		return false
	}
	x = r.a.g.Definition(x)
	return x.Kind == ir.Literal && (x.Text == "true" || x.Text == "True") || x.Kind == ir.String
}
