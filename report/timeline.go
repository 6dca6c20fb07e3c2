package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"gauntlet/rawjson"
	"gauntlet/trace"
)

// A Timeline shows a trace a line a message: number, time since the first message, who and
// which way, what, and the beginning of what it says. It takes the messages one by one and
// keeps none, however long the trace is. What peers wrote is shown Visible and clipped to
// the width.
type Timeline struct {
	palette
	w     *bufio.Writer
	width int
	clock clock
	tree  rawjson.Tree
}

// NewTimeline returns a Timeline that writes to w. Flush writes the end of it.
func NewTimeline(w io.Writer, opt Options) *Timeline {
	return &Timeline{palette: palette(opt.Color), w: bufio.NewWriter(w), width: tableWidth(opt)}
}

func tableWidth(opt Options) int {
	if opt.Width == 0 {
		return defaultWidth
	}
	return max(opt.Width, minWidth)
}

const (
	timelineWho  = 16 // columns for who
	timelineWhat = 30 // for the method and the id
)

// Skip takes note of a message that is not shown, for the times of those that are.
func (t *Timeline) Skip(m *trace.Message) { t.clock.see(m) }

// Add shows a message.
func (t *Timeline) Add(m *trace.Message) error {
	since, took := t.clock.see(m)
	arrow := "->"
	if m.Direction == trace.ToClient {
		arrow = "<-"
	}
	head := fmt.Sprintf("%6d %9s  %s %s ", m.Seq, since, arrow, fit(who(m), timelineWho))
	what := fit(messageTitle(m), timelineWhat)
	rest := remarks(m, took)
	if said := gist(m, &t.tree); said != "" {
		rest = append(rest, said)
	}
	line := clipLine(strings.Join(rest, "  "), max(t.width-columns(head)-columns(what)-1, 1))
	_, err := fmt.Fprintln(t.w, strings.TrimRight(t.dim(head)+t.paint(m, what)+" "+line, " "))
	return err
}

// Flush writes what is left.
func (t *Timeline) Flush() error { return t.w.Flush() }

func (t *Timeline) paint(m *trace.Message, s string) string {
	switch {
	case m.Kind == trace.Error || m.Kind == trace.Invalid && !m.IsBareRequest() || m.Stray != "":
		return t.sgr("31", s)
	case m.Kind == trace.Request:
		return t.bold(s)
	}
	return s
}
