package taint

import (
	"strings"

	"gauntlet/internal/engine/callgraph"
	"gauntlet/sink"
)

// containerCommand is what a container runs: a list that begins with the program, the member Cmd of options, or a line that is split into
// words without a shell.
func (r *reader) containerCommand(c call, v *value, name string) {
	if cmd := v.fields["Cmd"]; cmd != nil {
		v = cmd
	}
	if v.length > 0 {
		prog := lastPart(v.member("0").fixed)
		av := argvReader{prog: prog, option: callgraph.ProgramOf(prog).Code, inside: true}
		for _, a := range v.known()[1:] {
			av.read(r, c, name, a)
		}
		return
	}
	for _, m := range v.marks {
		word, rest, _ := strings.Cut(m.head, " ")
		if option := callgraph.ProgramOf(lastPart(word)).Code; option != "" && strings.Contains(" "+rest, " "+option+" ") {
			r.sinkMarks(c, sink.ShellFlow, name, "", []mark{m})
		}
	}
}

// A lineReader looks for the line that ssh hands to a shell on the other machine: all arguments behind the host together.
type lineReader struct {
	behind bool // the host was named
	more   bool // a part of the line was seen
}

// read reads one argument of ssh. It reports whether it is part of the line.
func (l *lineReader) read(r *reader, c call, name, before string, a *value) bool {
	if !l.behind {
		l.behind = !strings.HasPrefix(a.fixed, "-") && !callgraph.ProgramOf("ssh").TakesValue(before)
		return false
	}
	if a.fixed == "--" && !l.more {
		return true
	}
	need := anyFront
	if !l.more { // a line that the caller sends whole is what such a tool is for
		need = textFront
	}
	l.more = true
	r.sinkMarksBehind(need, c, sink.ShellFlow, name, "ssh", a.all())
	return true
}
