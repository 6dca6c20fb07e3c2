package report

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"gauntlet/trace"
)

// Ends are the peers in a trace, in the order of their first messages: the lifelines of a
// diagram.
type Ends struct {
	names []string
	more  bool // there are more than maxEnds
}

// maxEnds is how many lifelines a diagram has. All further peers share one.
const maxEnds = 12

const others = "others"

// See takes note of the two ends of a message.
func (e *Ends) See(m *trace.Message) {
	client, server := ends(m)
	for _, name := range []string{client, server} {
		switch {
		case slices.Contains(e.names, name):
		case len(e.names) < maxEnds:
			e.names = append(e.names, name)
		default:
			e.more = true
		}
	}
}

// labels returns the names of all lifelines.
func (e *Ends) labels() []string {
	if e.more {
		return append(slices.Clip(e.names), others)
	}
	return e.names
}

func (e *Ends) indexOf(name string) int {
	if i := slices.Index(e.names, name); i >= 0 {
		return i
	}
	return len(e.names)
}

// ends names the client and the server of a message. An actor that plays a client is the
// client, one that plays a server is the server; between them stands no actor.
func ends(m *trace.Message) (client, server string) {
	client, server = "client", m.Server
	switch {
	case m.Actor != "" && m.Role == trace.AsClient:
		client = m.Actor
	case m.Actor != "":
		server = strings.Trim(m.Actor+"/"+m.Server, "/")
	}
	if server == "" {
		server = "server"
	}
	if server == client {
		server += " (server)"
	}
	return client, server
}

// A Sequence draws a trace as a sequence diagram in text, a lifeline for each end. It takes
// the messages one by one and keeps none.
type Sequence struct {
	palette
	w      *bufio.Writer
	ends   *Ends
	column int // columns from one lifeline to the next
	clock  clock
}

const (
	sequenceHead  = 18 // columns before the first lifeline: the number and the time
	sequenceLeast = 24 // between two lifelines; a narrower terminal breaks lines
	sequenceMost  = 48
)

// NewSequence returns a Sequence over these ends, which are those of all its messages, and
// draws their names.
func NewSequence(w io.Writer, ends *Ends, opt Options) *Sequence {
	n := len(ends.labels())
	column := (tableWidth(opt) - sequenceHead) / max(n, 1)
	s := &Sequence{palette: palette(opt.Color), w: bufio.NewWriter(w), ends: ends, column: min(max(column, sequenceLeast), sequenceMost)}
	line := strings.Repeat(" ", sequenceHead-1)
	for _, name := range ends.labels() {
		line += s.bold(fit(name, s.column-1)) + " "
	}
	_, _ = fmt.Fprintln(s.w, strings.TrimRight(line, " ")) // the writer keeps its first error for Flush
	return s
}

// Skip takes note of a message that is not drawn, for the times of those that are.
func (s *Sequence) Skip(m *trace.Message) { s.clock.see(m) }

// Add draws a message as an arrow: solid for what asks or tells, dashed for what answers.
func (s *Sequence) Add(m *trace.Message) error {
	since, took := s.clock.see(m)
	client, server := ends(m)
	from, to := s.ends.indexOf(client), s.ends.indexOf(server)
	label := messageTitle(m)
	if m.Kind == trace.Response && m.Method != "" { // the dashes say that it is one
		label = strings.TrimPrefix(label, string(trace.Response)+" ")
	}
	if rest := remarks(m, took); len(rest) > 0 {
		label += " " + strings.Join(rest, " ")
	}
	_, err := fmt.Fprintf(s.w, "%6d %9s %s\n", m.Seq, since, s.arrow(from, to, m, label))
	return err
}

// Flush writes what is left.
func (s *Sequence) Flush() error { return s.w.Flush() }

// arrow draws one row of lifelines with an arrow between two of them, in the direction of m,
// and the label on it.
func (s *Sequence) arrow(client, server int, m *trace.Message, label string) string {
	stroke := "─"
	if m.Kind.Answer() {
		stroke = "╌"
	}
	right := (m.Direction == trace.ToServer) == (client < server)
	left, end := min(client, server), max(client, server)
	var b strings.Builder
	b.WriteString(strings.Repeat("│"+strings.Repeat(" ", s.column-1), left))
	if left == end { // two peers that share a lifeline
		b.WriteString("│ " + clipLine(label, s.column-3))
		return b.String()
	}
	room := (end-left)*s.column - 1
	label = " " + clipLine(label, room-6) + " "
	line := strings.Repeat(stroke, 2) + label + strings.Repeat(stroke, room-3-columns(label))
	if right {
		line += "▶"
	} else {
		line = "◀" + line
	}
	b.WriteString("│" + line + "│")
	b.WriteString(strings.Repeat(strings.Repeat(" ", s.column-1)+"│", len(s.ends.labels())-1-end))
	return b.String()
}
