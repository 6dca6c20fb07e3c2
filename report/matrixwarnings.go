package report

import (
	"fmt"
	"strings"

	"gauntlet/capability"
)

// A warned is one kind of warning about tools or the server.
type warned struct {
	code  string
	first string   // text of the first warning
	tools []string // tools with this warning, in server order
	times int
}

// warnings writes what makes labels less certain, two lines per kind: the tools, and the first warning in full. JSON has all.
func (m *matrix) warnings(s *capability.Server) {
	const indent = 4
	for _, w := range warnings(s) {
		who, words := fmt.Sprint(w.times), w.first
		if len(w.tools) > 0 {
			who, words = toolList(w.tools), w.tools[0]+": "+w.first
		}
		m.writef("  %s %s", m.bold(w.code), m.dim("("+who+")"))
		m.writef("%*s%s", indent, "", m.dim(clipText(Visible(words), max(m.width-indent, matrixLeast))))
	}
}

// warnings groups a server's warnings by kind, in order of first occurrence.
func warnings(s *capability.Server) []*warned {
	var out []*warned
	by := map[string]*warned{}
	note := func(text, tool string) {
		code, words, _ := strings.Cut(text, ": ")
		w := by[code]
		if w == nil {
			w = &warned{code: Visible(code), first: words}
			by[code] = w
			out = append(out, w)
		}
		w.times++
		if n := len(w.tools); tool != "" && (n == 0 || w.tools[n-1] != tool) {
			w.tools = append(w.tools, tool)
		}
	}
	for _, text := range s.Warnings {
		note(text, "")
	}
	for i := range s.Tools {
		for _, text := range s.Tools[i].Warnings {
			note(text, s.Tools[i].Name)
		}
	}
	return out
}
