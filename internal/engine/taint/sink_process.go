package taint

import (
	"cmp"
	"slices"
	"strings"

	"gauntlet/internal/engine/callgraph"
	"gauntlet/internal/leaf/ir"
	"gauntlet/sink"
)

// variables says of a flow that it chooses variables of a program's environment by their names.
const variables = "environment"

// spawnSink reads the start of a program: a shell command line, or a program and its arguments.
func (r *reader) spawnSink(c call, row *callgraph.Row, name string) {
	if env := c.expr.Option("env"); env != nil {
		r.sinkMarks(c, sink.ProgramFlow, name, variables, r.silently(env).wholeOnly().marks)
	}
	if line := row.Argument("line", c.expr); line != nil {
		r.sinkMarks(c, sink.ShellFlow, name, "", r.valueOf(c, line).all())
		return
	}
	argv := row.Argument("argv", c.expr)
	var v *value
	if argv != nil {
		v = r.valueOf(c, argv)
	} else if v = c.spread(0); v == nil { // exec(*argv)
		return
	} else if v.length < 0 { // whose caller knows what the list holds
		v = &value{marks: v.wholeOnly().marks, fields: v.fields, length: -1}
	}
	args, list, alone := r.argvOf(c, argv, v)
	program, prog := r.programOf(argv, v)
	if r.hasShell(row, c.expr) {
		marks := v.all()
		for _, a := range args {
			marks = addMarks(marks, a.all()...)
		}
		r.sinkMarks(c, sink.ShellFlow, name, "", marks)
		return
	}
	r.argv = v.length < 0
	first := program.marks
	if r.argv {
		first = r.firstOf(v)
	}
	r.sinkMarksBehind(emptyFront, c, sink.ProgramFlow, name, "", first)
	r.argv = false
	if prog == "" || v.length < 0 {
		r.sinkMarksBehind(splitFront, c, sink.ArgumentFlow, name, "", program.marks)
	}
	prog = lastPart(prog)
	if in := c.expr.Option("input"); in != nil && callgraph.ProgramOf(prog).RunsInput() {
		r.readCode(c, name, prog, r.silently(in))
	}
	if alone { // whose caller knows what it holds
		r.argv = true
		r.sinkMarksBehind(emptyFront, c, sink.ArgumentFlow, name, prog, list.marks)
		r.argv = false
		return
	}
	r.argumentSinks(c, name, prog, args, list == nil)
}

// firstOf returns the marks of the program in a list of which it is not known what it holds, as far as nobody looked at it: argv[0] not in ALLOWED.
func (r *reader) firstOf(v *value) (out []mark) {
	for _, m := range v.marks {
		if m.whole {
			first, ok := m.src.below("0")
			if ok && r.st.gone(first) {
				continue
			}
			m.facts |= r.st.facts[first]
		}
		out = addMarks(out, m)
	}
	if v.fields["0"] == nil && v.fields["*"] != nil { // [str(a) for a in argv]
		out = addMarks(out, v.fields["*"].marks...)
	}
	return out
}

// gitSink is a method of a library that starts git with what it is given: repo.git.checkout(branch), simpleGit().diff([revision]).
func (r *reader) gitSink(c call, name string) {
	if strings.HasPrefix(name, "simple-git.") && gitCommands[lastWord(name)] {
		var args []*value
		for _, a := range c.args {
			if a.length < 0 && len(a.fields) == 0 {
				args = append(args, a)
			}
			args = append(args, a.known()...)
		}
		r.argumentSinks(c, name, "git", args, false)
	}
	if strings.HasPrefix(name, "git.") && strings.Contains(name, ".git.") || strings.HasPrefix(name, "git.Git()") || strings.HasPrefix(name, "git.cmd.Git()") {
		args, rest := c.inOrder()
		if rest != nil {
			args = append(args, rest.elements())
		}
		r.argumentSinks(c, name, "git", args, false)
	}
}

// gitCommands are methods of simple-git.
var gitCommands = names("raw diff diffSummary log show clone mirror checkout checkoutBranch checkoutLocalBranch fetch pull push branch deleteLocalBranch tag merge mergeFromTo rebase reset revparse add rm mv listRemote archive blame stash")

// startedProgram is the member of what a started program is to its server, such as a Popen, that holds the program's name.
const startedProgram = "\x00program"

// started is what a call gives back that starts a program.
func (r *reader) started(row *callgraph.Row, c call) *value {
	argv := row.Argument("argv", c.expr)
	if argv == nil {
		return nothing
	}
	_, prog := r.programOf(argv, r.valueOf(c, argv))
	prog = lastPart(prog)
	if !callgraph.ProgramOf(prog).RunsInput() {
		return nothing
	}
	return nothing.with(startedProgram, fixedText(prog))
}

// inputSink is text for the standard input of a program that runs what it reads there.
func (r *reader) inputSink(c call, name string) {
	x := c.expr.X
	if len(c.args) == 0 || x == nil || x.Kind != ir.Attr {
		return
	}
	of := c.receiver
	switch x.Text {
	case "communicate", "sendline", "send":
	case "write", "end":
		if x.X == nil || x.X.Kind != ir.Attr || x.X.Text != "stdin" {
			return
		}
		of = r.silently(x.X.X)
	default:
		return
	}
	if prog := of.fields[startedProgram]; prog != nil {
		r.readCode(c, strings.TrimPrefix(name, "."), prog.fixed, c.args[0])
	}
}

func (r *reader) readCode(c call, name, prog string, v *value) {
	need, kind := (*front)(nil), sink.ShellFlow
	if callgraph.ProgramOf(prog).SQL {
		kind, need = sink.SQLFlow, statementFront
	}
	r.sinkMarksBehind(need, c, kind, name, prog, v.all())
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

// programOf returns the program in a list or a line, and its name as far as the source fixes it.
func (r *reader) programOf(argv *ir.Expr, v *value) (program *value, name string) {
	program = v
	if v.length > 0 {
		program = v.member("0")
	}
	text, _ := r.a.g.Constant(argv, r.ctx)
	if strings.ContainsAny(strings.TrimSpace(text), " \t\n|;&$`") { // a line
		text = ""
	}
	return program, cmp.Or(program.fixed, firstWord(program), text)
}

// argvOf returns the arguments behind the program, in order, and the list of which nothing is known here that is among them, nil for none; alone says
// that it holds all of them.
func (r *reader) argvOf(c call, argv *ir.Expr, v *value) (out []*value, list *value, alone bool) {
	if v.length > 0 {
		return v.listed()[1:], nil, false
	}
	script := r.a.g.Convention().Language == "typescript"
	behind, n := false, 0
	for i, a := range c.expr.Args {
		if a.Value == argv {
			behind = true
			continue
		}
		if !behind || a.Name != "" || a.Value == nil || a.Value.Is(ir.Object, ir.Function) {
			continue
		}
		l, given := c.spread(i), c.args[i]
		if n == 0 || !script { // execFile(program, list, options)
			if n++; list == nil && l != nil && l.length < 0 {
				list = l
			} else if list == nil && script && l == nil && given.length < 0 {
				list = given
			}
		}
		if l == nil || l.length < 0 {
			l = given
		}
		if l.length >= 0 || l.fields["*"] != nil { // a list, also one of unknown length
			out = append(out, l.listed()...)
		} else if l.fields == nil {
			out = append(out, given)
		}
	}
	return out, list, list != nil && n == 1 && len(list.fields) == 0
}

func (r *reader) hasShell(row *callgraph.Row, e *ir.Expr) bool {
	x := row.Argument("shell", e)
	if x == nil {
		x = r.optionOf(e, "shell")
	}
	return x != nil && (r.turnsOn(r.a.g.Definition(x)) || r.mayBeText(x, 0))
}

// mayBeText reports whether an option is a parameter or a field that holds a text, by its type, its default or what it is given:
// constructor(shell = "/bin/zsh") { this.shell = shell; } of { shell: this.shell }.
func (r *reader) mayBeText(x *ir.Expr, depth int) bool {
	const deepest = 4
	switch {
	case x == nil || depth > deepest:
		return false
	case x.Kind == ir.Type:
		return x.X.Is(ir.Name) && (x.X.Text == "string" || x.X.Text == "str")
	case x.Kind == ir.String:
		return x.Text != ""
	case x.Kind == ir.Name:
		p := x.Binding().Param
		return p != nil && (r.mayBeText(p.Type, depth+1) || p.Value.Is(ir.String) && p.Value.Text != "")
	case x.Kind == ir.Attr && x.X.Is(ir.Name) && (x.X.Text == "this" || x.X.Text == "self"):
		fn := x.Scope.Owner()
		for fn != nil && fn.Class == nil {
			fn = fn.Scope.Up.Owner()
		}
		return fn != nil && slices.ContainsFunc(fn.Class.Fields[x.Text], func(given *ir.Expr) bool { return r.mayBeText(given, depth+1) })
	}
	return false
}

// turnsOn reports whether an option is on, or a text, for one of the values that it may have.
func (r *reader) turnsOn(x *ir.Expr) bool {
	return x.Is(ir.String) || x.Is(ir.Literal) && strings.EqualFold(x.Text, "true") ||
		x.Is(ir.Either) && slices.ContainsFunc(x.Args, func(a ir.Arg) bool { return r.turnsOn(a.Value) })
}
