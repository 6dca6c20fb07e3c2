package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"gauntlet/rawjson"
	"gauntlet/trace"
)

// A Timeline shows a trace with one message per line: number, time since the first message, peer and direction, method, and
// the beginning of the content. It keeps no messages, however long the trace. Peers' text is Visible and clipped to the width.
type Timeline struct {
	palette
	w     *bufio.Writer
	width int
	clock clock
	tree  rawjson.Tree
}

// NewTimeline returns a Timeline that writes to w. Call Flush at the end.
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
	timelineWho  = 16 // columns for the peer
	timelineWhat = 30 // for method and id
)

// Skip records the time of a message that is not shown.
func (t *Timeline) Skip(m *trace.Message) { t.clock.see(m) }

// Flush writes buffered output.
func (t *Timeline) Flush() error { return t.w.Flush() }

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
	_, err := fmt.Fprintln(t.w, strings.TrimRight(t.dim(head)+t.paint(toneOfMessage(m), what)+" "+line, " "))
	return err
}

func toneOfMessage(m *trace.Message) tone {
	switch {
	case m.Kind == trace.Error || m.Kind == trace.Invalid && !m.IsBareRequest() || m.Stray != "":
		return "high"
	case m.Kind == trace.Request:
		return toneBold
	}
	return ""
}
