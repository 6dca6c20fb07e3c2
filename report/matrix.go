package report

import (
	"bufio"
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

// shades show the confidence of a label, on a terminal and in plain text.
var shades = map[capability.Confidence][2]string{
	capability.High: {"████", "###"}, capability.Medium: {"▓▓▓▓", "++"}, capability.Inferred: {"▒▒▒▒", "~~"}, capability.Low: {"░░░░", "."},
}

const (
	matrixCell  = 9
	matrixName  = 36 // widest name column
	matrixLeast = 12 // narrowest name column
)

// WriteMatrix writes a table of tools by capability per server. Without opt.Color, which stands for a terminal, the table is
// ASCII except for server text. Names are clipped to fit opt.Width. floor is the confidence below which labels were omitted.
func WriteMatrix(w io.Writer, servers []capability.Server, floor capability.Confidence, opt Options) error {
	out := bufio.NewWriter(w)
	m := &matrix{palette: palette(opt.Color), w: out, style: 1, width: opt.Width, floor: floor}
	if m.width == 0 {
		m.width = defaultWidth
	}
	if opt.Color {
		m.style = 0
	}
	for i := range servers {
		if i > 0 {
			m.writef("")
		}
		m.writeServer(&servers[i])
	}
	m.legend()
	return out.Flush()
}

type matrix struct {
	palette
	w     *bufio.Writer
	style int
	width int
	floor capability.Confidence
}

func (m *matrix) writef(format string, args ...any) { _, _ = fmt.Fprintf(m.w, format+"\n", args...) }

func (m *matrix) writeServer(s *capability.Server) {
	n := fmt.Sprintf("%d tools", len(s.Tools))
	if len(s.Tools) == 1 {
		n = "1 tool"
	}
	m.writef("%s  %s", m.bold(Visible(s.Name)), m.dim(n))
	if len(s.Tools) == 0 {
		return
	}
	defer m.warnings(s)
	tags := m.present(s)
	if len(tags) == 0 {
		m.writef("  no capability found%s", m.describeSources())
		return
	}
	name, most := 4, max(matrixLeast, min(matrixName, m.width-2-matrixCell*len(tags)))
	for i := range s.Tools {
		name = min(max(name, columns(Visible(s.Tools[i].Name))), most)
	}
	head := strings.Repeat(" ", name+2)
	for _, tag := range tags {
		head += fmt.Sprintf("  %-*s", matrixCell-2, matrixHeads[tag])
	}
	m.writef("%s", m.dim(strings.TrimRight(head, " ")))
	quiet := 0
	for i := range s.Tools {
		t := &s.Tools[i]
		if len(t.Capabilities) == 0 {
			quiet++
			continue
		}
		m.writeTool(t, tags, name)
	}
	if quiet > 0 {
		m.writef("  %s", m.dim(fmt.Sprintf("%d more without any%s", quiet, m.describeSources())))
	}
	m.writeSum(s)
}

// describeSources says which labels are shown.
func (m *matrix) describeSources() string {
	if m.floor == capability.Low {
		return ""
	}
	return fmt.Sprintf(" at %s confidence or above", m.floor)
}

// present lists the tags of any tool of the server.
func (m *matrix) present(s *capability.Server) (out []capability.Tag) {
	for _, tag := range capability.Tags() {
		for i := range s.Tools {
			if s.Tools[i].Has(tag, capability.Low) != nil {
				out = append(out, tag)
				break
			}
		}
	}
	return out
}

func (m *matrix) writeTool(t *capability.Tool, tags []capability.Tag, name int) {
	var row strings.Builder
	shown := clipText(Visible(t.Name), name)
	row.WriteString("  " + shown + strings.Repeat(" ", name-columns(shown)))
	for _, tag := range tags {
		cell := ""
		if l := t.Has(tag, capability.Low); l != nil {
			cell = shades[l.Confidence][m.style]
			row.WriteString("  " + m.shade(l.Confidence, cell) + strings.Repeat(" ", matrixCell-2-columns(cell)))
			continue
		}
		row.WriteString(strings.Repeat(" ", matrixCell))
	}
	m.writef("%s", strings.TrimRight(row.String(), " "))
}

func (m *matrix) shade(c capability.Confidence, s string) string {
	switch c {
	case capability.High:
		return m.sgr("31", s)
	case capability.Medium:
		return m.sgr("33", s)
	}
	return m.dim(s)
}

// writeInferred lists models' labels for single tools separately.
func (m *matrix) writeInferred(s *capability.Server) {
	for i := range s.Tools {
		t := &s.Tools[i]
		for _, l := range t.Capabilities {
			if l.Confidence == capability.Inferred {
				m.writef("  %s %s %s", m.bold("inferred"), clipText(Visible(t.Name), matrixName)+": "+string(l.Tag), m.dim("("+Visible(strings.Join(l.Evidence, ", "))+", counts for nothing else)"))
			}
		}
	}
}

func (m *matrix) writeSum(s *capability.Server) {
	m.writeInferred(s)
	for _, c := range s.Combinations {
		tags := make([]string, len(c.Tags))
		for i, t := range c.Tags {
			tags[i] = string(t)
		}
		where := "across tools"
		if c.Scope == capability.WithinTool {
			where = "within one tool"
		}
		m.writef("  %s %s %s", m.bold(strings.Join(tags, " + ")), c.Rationale, m.dim(fmt.Sprintf("(%s, %s, %s)", where, c.Confidence, toolList(c.Tools))))
	}
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

func (m *matrix) legend() {
	var parts []string
	for _, c := range []capability.Confidence{capability.High, capability.Medium, capability.Low} {
		if !c.AtLeast(m.floor) {
			continue
		}
		parts = append(parts, m.shade(c, shades[c][m.style])+" "+string(c))
	}
	m.writef("")
	m.writef("%s", strings.Join(parts, "   "))
}
