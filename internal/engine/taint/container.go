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
		cmd := newCommand(prog)
		cmd.inside = true
		for _, a := range v.known()[1:] {
			cmd.read(r, c, name, a)
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
