package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"gauntlet/trace"
)

// Ends are the peers in a trace, in order of their first message: the lifelines of a diagram.
type Ends struct {
	names []string
	more  bool // more than maxEnds
}

// maxEnds is the number of lifelines in a diagram. All further peers share one.
const maxEnds = 12

const others = "others"

// See records the two ends of a message.
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

// labels returns the names of the lifelines.
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

// ends names the client and the server of a message. An actor takes the side that it plays.
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

// A Sequence draws a trace as a text sequence diagram with a lifeline per end. It keeps no messages.
type Sequence struct {
	tracePrinter
	ends   *Ends
	column int // columns between lifelines
}

const (
	sequenceHead  = 18 // columns before the first lifeline, for number and time
	sequenceLeast = 24 // between lifelines; a narrower terminal breaks lines
	sequenceMost  = 48
)

// NewSequence draws the names of ends, which must cover all messages that follow, and returns a Sequence.
func NewSequence(w io.Writer, ends *Ends, opt Options) *Sequence {
	n := len(ends.labels())
	column := (tableWidth(opt) - sequenceHead) / max(n, 1)
	s := &Sequence{tracePrinter: newTracePrinter(w, opt), ends: ends, column: min(max(column, sequenceLeast), sequenceMost)}
	line := strings.Repeat(" ", sequenceHead-1)
	for _, name := range ends.labels() {
		line += s.bold(fit(name, s.column-1)) + " "
	}
	_, _ = fmt.Fprintln(s.w, strings.TrimRight(line, " ")) // the writer keeps its first error for Flush
	return s
}

// Add draws a message as an arrow: solid for requests and notifications, dashed for responses.
func (s *Sequence) Add(m *trace.Message) error {
	since, took := s.clock.see(m)
	client, server := ends(m)
	from, to := s.ends.indexOf(client), s.ends.indexOf(server)
	label := messageTitle(m)
	if m.Kind == trace.Response && m.Method != "" { // the dashes mark a response
		label = strings.TrimPrefix(label, string(trace.Response)+" ")
	}
	if rest := remarks(m, took); len(rest) > 0 {
		label += " " + strings.Join(rest, " ")
	}
	_, err := fmt.Fprintf(s.w, "%6d %9s %s\n", m.Seq, since, s.arrow(from, to, m, label))
	return err
}

// arrow draws the lifelines with a labelled arrow between two of them, in the direction of m.
func (s *Sequence) arrow(client, server int, m *trace.Message, label string) string {
	stroke := "─"
	if m.Kind.Answer() {
		stroke = "╌"
	}
	right := (m.Direction == trace.ToServer) == (client < server)
	left, end := min(client, server), max(client, server)
	var b strings.Builder
	b.WriteString(strings.Repeat("│"+strings.Repeat(" ", s.column-1), left))
	if left == end { // two peers share a lifeline
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
