package report

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"gauntlet/internal/leaf/mcp"
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

// who names the connection of a message: its actor, server and session.
func who(m *trace.Message) string {
	return strings.TrimSpace(cmp.Or(strings.Trim(m.Actor+"/"+m.Server, "/"), "server") + " " + m.Session)
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
	if server = cmp.Or(server, "server"); server == client {
		server += " (server)"
	}
	return client, server
}

// messageTitle names a message by its method, or its type, and its id.
func messageTitle(m *trace.Message) string {
	if m.IsBareRequest() {
		return bareRequests[m.HTTP.Method]
	}
	words := m.Method
	if m.Kind != trace.Request && m.Kind != trace.Notification && m.Kind != trace.Event || words == "" {
		words = strings.TrimSpace(string(m.Kind) + " " + words)
	}
	if m.ID != "" {
		words += " #" + opening(m.ID)
	}
	return words
}

// bareRequests describe HTTP requests without a message (MCP, Streamable HTTP: Listening for Messages from the Server,
// Session Management).
var bareRequests = map[string]string{"GET": "GET, to listen", "DELETE": "DELETE, to end the session"}

// remarks are notes on a message besides its content. took is the time to its response, "" for none.
func remarks(m *trace.Message, took string) (out []string) {
	if took != "" {
		out = append(out, took)
	}
	if m.HTTP != nil && m.HTTP.Status >= 400 {
		out = append(out, fmt.Sprintf("HTTP %d", m.HTTP.Status))
	}
	if m.Stray != "" {
		out = append(out, map[trace.Stray]string{trace.Duplicate: "[a second answer]", trace.UnknownID: "[answers nothing]"}[m.Stray])
	}
	if m.PartOf != 0 {
		out = append(out, fmt.Sprintf("[of batch %d]", m.PartOf))
	}
	if m.Redacted {
		out = append(out, "[redacted]")
	}
	if m.Note != "" {
		out = append(out, "["+opening(m.Note)+"]")
	}
	return out
}

// gist is the beginning of a message's content.
func gist(m *trace.Message, tree *rawjson.Tree) string {
	content, err := m.Content(tree)
	switch {
	case err != nil:
		return opening(m.Raw)
	case m.Kind == trace.Error:
		return strings.TrimSpace(opening(content.Get("code").Raw()) + " " + opening(content.Get("message").Text()))
	case m.Kind == trace.Request && mcp.SubjectParam(m.Method) != "" && content.Get(mcp.SubjectParam(m.Method)).Kind() == rawjson.String:
		return strings.TrimSpace(opening(content.Get(mcp.SubjectParam(m.Method)).Text()) + " " + opening(content.Get("arguments").Raw()))
	}
	said := opening(content.Raw())
	if failed, ok := content.Get("isError").Bool(); ok && failed && m.Kind == trace.Response {
		said = "isError " + said
	}
	return said
}

// opening returns the beginning of a text that may have megabytes, more than fits a line, with white space collapsed.
func opening(s string) string {
	const most = 2000
	if len(s) > most {
		end := most
		for end > most-utf8.UTFMax && !utf8.RuneStart(s[end]) {
			end--
		}
		s = s[:end]
	}
	return strings.Join(strings.Fields(s), " ")
}

// fit makes s Visible and exactly n columns wide.
func fit(s string, n int) string { return padTo(clipLine(s, n), n) }

// clipLine makes s Visible and at most n columns wide; an ellipsis marks a cut.
func clipLine(s string, n int) string { return clipEnd(Visible(s), n) }

// keptTimes is the number of requests whose times a clock remembers.
const keptTimes = 20_000

// A clock measures the time since the first message and of responses. It remembers only the latest requests.
type clock struct {
	first  time.Time
	asked  map[int]time.Time
	oldest []int // ascending numbers in asked, including answered ones
}

// see returns both times for m, "" for an unknown one.
func (c *clock) see(m *trace.Message) (since, took string) {
	if m.Time.IsZero() {
		return "", ""
	}
	if c.first.IsZero() {
		c.first, c.asked = m.Time, map[int]time.Time{}
	}
	if m.Kind == trace.Request {
		if len(c.oldest) == keptTimes {
			delete(c.asked, c.oldest[0])
			c.oldest = c.oldest[1:]
		}
		c.asked[m.Seq] = m.Time
		c.oldest = append(c.oldest, m.Seq)
	}
	if at, ok := c.asked[m.ReplyTo]; ok && m.ReplyTo != 0 {
		delete(c.asked, m.ReplyTo)
		took = formatSpan(m.Time.Sub(at))
	}
	return fmt.Sprintf("%.3f", m.Time.Sub(c.first).Seconds()), took
}

func formatSpan(d time.Duration) string {
	switch {
	case d >= time.Second || d <= -time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d >= time.Millisecond || d <= -time.Millisecond:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	}
	return fmt.Sprintf("%d µs", d.Microseconds())
}
