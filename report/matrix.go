package report

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"strings"

	"gauntlet/capability"
)

// matrixHeads are the column heads of the matrix, in the order of capability.Tags.
var matrixHeads = map[capability.Tag]string{
	capability.Exec: "exec", capability.FSRead: "file r", capability.FSWrite: "file w", capability.NetEgress: "net out",
	capability.NetIngress: "net in", capability.SecretAccess: "secret", capability.DBQuery: "db r", capability.DBWrite: "db w",
}

// confidenceTones are the looks of labels.
var confidenceTones = map[capability.Confidence]tone{capability.High: "high", capability.Medium: "medium", capability.Inferred: toneSoft, capability.Low: toneSoft}

// matrixName is the number of columns of a tool's name in a sentence.
const matrixName = 36

// WriteMatrix writes a table of tools by capability per server, and what follows from it. floor is the confidence below
// which labels were omitted.
func WriteMatrix(w io.Writer, servers []capability.Server, floor capability.Confidence, opt Options) error {
	out := bufio.NewWriter(w)
	p := newPage(out, opt)
	p.whole = false
	p.width = cmp.Or(opt.Width, defaultWidth)
	for i := range servers {
		s := &servers[i]
		if i > 0 {
			p.writeBlank()
		}
		p.writeIndented(0, p.bold(Visible(s.Name)), p.dim("  "+countNoun(len(s.Tools), "tool")))
		if len(s.Tools) == 0 {
			continue
		}
		t := capabilityTable(s, i, floor)
		if len(t.Rows) > 0 {
			p.writeTable(2, t)
		}
		for _, text := range t.Intro {
			p.writeIndented(2, p.dim(clipEnd(text, p.width-2)))
		}
		p.inferred(s)
		for i := range s.Combinations {
			c := &s.Combinations[i]
			p.writeField(2, field{Text: fmt.Sprintf("%s (%s, %s, %s)", combinationWords(c), scopeWords(c), c.Confidence, toolList(c.Tools))}, 0)
		}
		for _, w := range warnings(s) {
			who, words := fmt.Sprint(w.times), w.first
			if len(w.tools) > 0 {
				who, words = toolList(w.tools), w.tools[0]+": "+w.first
			}
			p.writeIndented(2, p.bold(w.code), p.dim(" ("+who+")"))
			p.writeIndented(4, p.dim(clipText(Visible(words), max(p.width-4, leastColumn))))
		}
	}
	return out.Flush()
}

// inferred lists models' labels for single tools separately.
func (p *page) inferred(s *capability.Server) {
	for i := range s.Tools {
		for _, l := range s.Tools[i].Capabilities {
			if l.Confidence == capability.Inferred {
				p.writeField(2, field{Text: "inferred " + s.Tools[i].Name + ": " + string(l.Tag) + " (" + strings.Join(l.Evidence, ", ") + ", counts for nothing else)"}, 0)
			}
		}
	}
}

// capabilityTable has a row per tool with a capability, and counts the others.
func capabilityTable(s *capability.Server, n int, floor capability.Confidence) table {
	t := table{ID: "capabilities", Title: "What the tools of " + cmp.Or(s.Name, "the server") + " can do", Head: []string{"Tool"}}
	if n > 0 {
		t.ID = fmt.Sprintf("capabilities-%d", n+1)
	}
	var tags []capability.Tag // of any tool
	quiet := 0
	for _, tag := range capability.Tags() {
		for i := range s.Tools {
			if s.Tools[i].Has(tag, capability.Low) != nil {
				tags, t.Head = append(tags, tag), append(t.Head, matrixHeads[tag])
				break
			}
		}
	}
	for i := range s.Tools {
		tool := &s.Tools[i]
		if len(tool.Capabilities) == 0 {
			quiet++
			continue
		}
		row := []cell{{{Text: tool.Name}}}
		for _, tag := range tags {
			var c cell
			if l := tool.Has(tag, capability.Low); l != nil {
				c = cell{{Class: string(confidenceTones[l.Confidence]), Text: string(l.Confidence)}}
			}
			row = append(row, c)
		}
		t.Rows = append(t.Rows, row)
	}
	above := ""
	if floor != capability.Low {
		above = fmt.Sprintf(" at %s confidence or above", floor)
	}
	switch {
	case len(t.Rows) == 0:
		t.Intro = []string{"no capability found" + above}
	case quiet > 0:
		t.Intro = []string{fmt.Sprintf("%d more without any%s", quiet, above)}
	}
	return t
}

// combinationWords names the tags that are more dangerous together and explains why.
func combinationWords(c *capability.Combination) string {
	tags := make([]string, len(c.Tags))
	for i, t := range c.Tags {
		tags[i] = string(t)
	}
	return strings.Join(tags, " + ") + ": " + c.Rationale
}

func scopeWords(c *capability.Combination) string {
	if c.Scope == capability.WithinTool {
		return "within one tool"
	}
	return "across tools"
}

// toolList names the first tools and counts the rest.
func toolList(names []string) string {
	const most = 4
	shown := make([]string, 0, most)
	for _, n := range names[:min(most, len(names))] {
		shown = append(shown, clipText(Visible(n), matrixName))
	}
	s := strings.Join(shown, ", ")
	if more := len(names) - len(shown); more > 0 {
		s += fmt.Sprintf(" and %d more", more)
	}
	return s
}

// A warned is one kind of warning about tools or the server.
type warned struct {
	code  string
	first string   // text of the first warning
	tools []string // tools with this warning, in server order
	times int
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
