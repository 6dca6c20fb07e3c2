package taint

import (
	"slices"
	"strings"

	"gauntlet/internal/engine/callgraph"
	"gauntlet/sink"
)

// A command reads the arguments of a program one by one, for what each is to it: code, a file, a name, something that it may take for an option.
type command struct {
	*callgraph.Program
	name   string // of the program
	option string // of the interpreter whose options are being read, behind which code stands; "" for none
	code   bool   // what follows is code
	ran    bool   // the code was read: what follows is data for it
	inside bool   // the interpreter runs in a container or on another machine
	names  bool   // behind "--": everything is a name
	before string // the argument before, as far as the source fixes it
	named  int    // names so far
	// Of ssh, which hands all arguments behind the host together to a shell on the other machine: whether the host was named, and a part of that line.
	host, line bool
}

func newCommand(name string) *command {
	p := callgraph.ProgramOf(name)
	return &command{Program: p, name: name, option: p.Code}
}

// takesAll are options behind which all arguments are code together.
var takesAll = map[string]bool{"/c": true, "-command": true}

// argumentSinks looks at the arguments of a program; files says that the place of each in the list is known, so that it is known which are files.
func (r *reader) argumentSinks(c call, name, prog string, args []*value, files bool) {
	cmd := newCommand(prog)
	for _, a := range args {
		if files && cmd.isFile(a) {
			for _, m := range a.marks {
				if _, behind, ok := strings.Cut(m.head, "="); ok && strings.HasPrefix(m.head, "-") {
					m.head = behind
				}
				r.sinkMarksBehind(fileFront, c, sink.PathFlow, name, prog, []mark{m})
			}
		}
		cmd.read(r, c, name, a)
	}
}

// read records what arrives in the next argument.
func (cmd *command) read(r *reader, c call, name string, a *value) {
	defer func() { cmd.before = a.fixed }()
	valueOfOption := cmd.TakesValue(cmd.before)
	need, kind := (*front)(nil), sink.ShellFlow
	switch {
	case cmd.name == "ssh" && cmd.host:
		if a.fixed == "--" && !cmd.line {
			return
		}
		if !cmd.line { // a line that the caller sends whole is what such a tool is for
			need = textFront
		}
		cmd.line = true
		r.sinkMarksBehind(need, c, kind, name, cmd.name, a.all())
		return
	case cmd.code:
		cmd.code = cmd.inside || takesAll[cmd.option]
		cmd.ran = !cmd.code
		if cmd.SQL {
			kind, need = sink.SQLFlow, statementFront
		}
		if cmd.inside { // a line that the caller sends whole to a machine made for it is what such a tool is for
			need = textFront
		}
		r.sinkMarksBehind(need, c, kind, name, cmd.name, a.all())
	case cmd.names || valueOfOption:
		// behind "--" everything is a name, and what follows an option is taken for its value
	case cmd.Danger != "":
		// A line of the form "kubectl " + arguments is what such a tool is for.
		r.sinkMarksBehind(emptyFront, c, sink.ArgumentFlow, name, cmd.name, a.all())
	case cmd.name != "": // any program has options, and a parameter that is split into words is any number of them
		r.sinkMarksBehind(emptyFront, c, sink.ArgumentFlow, name, cmd.name, splitMarks(a))
	}
	cmd.names = cmd.names || a.fixed == "--"
	cmd.host = !strings.HasPrefix(a.fixed, "-") && !valueOfOption
	switch word := strings.ToLower(lastPart(a.fixed)); {
	case cmd.Remote && cmd.option == "" && callgraph.ProgramOf(word).Code != "":
		cmd.option, cmd.inside, cmd.names = callgraph.ProgramOf(word).Code, true, false
	case cmd.name == "adb" && word == "shell":
		cmd.code, cmd.inside = true, true
	default:
		cmd.code = cmd.code || cmd.option != "" && !cmd.ran && (strings.EqualFold(a.fixed, cmd.option) || isClusterOf(a.fixed, cmd.option))
	}
}

func splitMarks(v *value) []mark {
	return slices.DeleteFunc(slices.Clone(v.all()), func(m mark) bool { return m.facts&split == 0 })
}

// isClusterOf reports whether a word such as -lc holds the option -c among others of one letter.
func isClusterOf(word, option string) bool {
	return len(option) == 2 && option[0] == '-' && len(word) > 2 && len(word) < 6 && word[0] == '-' && word[1] != '-' && strings.HasSuffix(word, option[1:])
}

func (cmd *command) isFile(a *value) bool {
	if !cmd.names {
		switch {
		case cmd.isFileOption(cmd.before):
			return true
		case cmd.Valued[cmd.before] || cmd.Valued == nil && cmd.TakesValue(cmd.before), strings.HasPrefix(a.fixed, "-"):
			return false
		case cmd.startsWithOption(a):
			return true
		}
	}
	if !cmd.Names {
		return false
	}
	cmd.named++
	return cmd.named > cmd.Behind && (cmd.Most == 0 || cmd.named <= cmd.Behind+cmd.Most)
}

// isFileOption reports whether the value of an option is a file, also of one among others of one letter: tar -xzf, or xzf in front.
func (cmd *command) isFileOption(word string) bool {
	if cmd.Files[word] {
		return true
	}
	short := strings.TrimPrefix(word, "-")
	return cmd.name == "tar" && cmd.Files["-f"] && len(short) > 1 && len(short) < 6 && strings.HasSuffix(short, "f") && strings.Trim(short, "xctvzjJapPkf") == ""
}

// startsWithOption reports whether a value stands behind an option and "=" in one argument, as in --git-dir=….
func (cmd *command) startsWithOption(a *value) bool {
	return slices.ContainsFunc(a.marks, func(m mark) bool {
		option, _, ok := strings.Cut(m.head, "=")
		return ok && cmd.Files[option]
	})
}
