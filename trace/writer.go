package trace

import (
	"encoding/base64"
	"fmt"
	"io"
	"strconv"
	"time"
	"unicode/utf8"

	"gauntlet/rawjson"
)

// A Writer writes a trace line by line. It is not safe for use from several goroutines;
// a [Recorder] in front of it makes it so.
type Writer struct {
	w    io.Writer
	line []byte
	last int // the Seq written last
}

// NewWriter writes the header line to w. A line goes out in one Write, so that a trace cut
// short by a crash lacks whole lines or ends inside one. w is not closed.
func NewWriter(w io.Writer, tool string) (*Writer, error) {
	return NewWriterOf(w, Header{Tool: tool})
}

// NewWriterOf is NewWriter for a trace that is no recording. The version is the one that is
// written here, whatever h says.
func NewWriterOf(w io.Writer, h Header) (*Writer, error) {
	b := append([]byte(`{"format":"`+format+`","version":"`+Version+`"`), `,"tool":`...)
	o := members{b: rawjson.AppendVisible(b, h.Tool)}
	o.text("imported", h.Imported)
	o.flag("redacted", h.Redacted)
	if _, err := w.Write(append(o.b, "}\n"...)); err != nil {
		return nil, fmt.Errorf("trace: %w", err)
	}
	return &Writer{w: w}, nil
}

const format = "gauntlet-trace"

// Write writes one message. It refuses one that no Reader would take back: a Seq that does
// not ascend, a direction or kind that there is none of, an answer to a later message, a
// text longer than DefaultPayload. Values of headers that are [Secret] do not go out.
func (w *Writer) Write(m *Message) error {
	if err := m.check(w.last); err != nil {
		return fmt.Errorf("message %d: %w", m.Seq, err)
	}
	if len(m.Raw) > DefaultPayload {
		return fmt.Errorf("message %d: %d bytes are more than a trace takes (%d)", m.Seq, len(m.Raw), DefaultPayload)
	}
	w.line = append(appendMessage(w.line[:0], m), '\n')
	if _, err := w.w.Write(w.line); err != nil {
		return fmt.Errorf("trace: %w", err)
	}
	w.last = m.Seq
	if cap(w.line) > 1<<20 { // one huge message must not hold its memory for the rest
		w.line = nil
	}
	return nil
}

// members appends the members of one JSON object, leaving out those that say nothing.
type members struct {
	b     []byte
	empty bool
}

func (o *members) name(name string) {
	if !o.empty {
		o.b = append(o.b, ',')
	}
	o.empty = false
	o.b = append(append(append(o.b, '"'), name...), '"', ':')
}

func (o *members) text(name, s string) {
	if s != "" {
		o.name(name)
		o.b = rawjson.AppendVisible(o.b, s)
	}
}

func (o *members) number(name string, n int) {
	if n != 0 {
		o.name(name)
		o.b = strconv.AppendInt(o.b, int64(n), 10)
	}
}

func (o *members) flag(name string, set bool) {
	if set {
		o.name(name)
		o.b = append(o.b, "true"...)
	}
}

func appendMessage(b []byte, m *Message) []byte {
	o := members{append(b, '{'), true}
	o.number("seq", m.Seq)
	if !m.Time.IsZero() {
		o.name("time")
		o.b = append(m.Time.UTC().AppendFormat(append(o.b, '"'), time.RFC3339Nano), '"')
	}
	o.text("actor", m.Actor)
	o.text("phase", m.Phase)
	o.text("server", m.Server)
	o.text("session", m.Session)
	o.text("protocol", m.Protocol)
	o.text("revision", m.Revision)
	o.text("role", string(m.Role))
	o.text("direction", string(m.Direction))
	o.text("kind", string(m.Kind))
	o.text("id", m.ID)
	o.text("method", m.Method)
	o.number("reply_to", m.ReplyTo)
	o.text("stray", string(m.Stray))
	o.number("part_of", m.PartOf)
	if m.HTTP != nil {
		o.name("http")
		o.b = appendHTTP(o.b, withhold(m.HTTP))
	}
	o.text("note", m.Note)
	o.flag("redacted", m.Redacted)
	o.raw(m.Raw)
	return append(o.b, '}')
}

// raw writes the text as text where that loses nothing and makes it no more than twice as
// long, which bounds the lines of a reader: a text of quotes is, one of control characters
// is not.
func (o *members) raw(raw string) {
	before := *o
	if utf8.ValidString(raw) {
		o.name("raw")
		o.b = rawjson.AppendVisible(o.b, raw)
		if len(o.b)-len(before.b) <= 2*len(raw)+aroundRaw {
			return
		}
		*o = before
	}
	o.name("raw_base64")
	o.b = append(base64.StdEncoding.AppendEncode(append(o.b, '"'), []byte(raw)), '"')
}

// aroundRaw is the name, the quotes, and what keeps short texts readable.
const aroundRaw = 256

func appendHTTP(b []byte, h *HTTP) []byte {
	o := members{append(b, '{'), true}
	o.number("exchange", h.Exchange)
	o.text("method", h.Method)
	o.number("status", h.Status)
	o.text("credential", h.Credential)
	if len(h.Headers) > 0 {
		o.name("headers")
		for i, f := range h.Headers {
			o.b = append(o.b, "[,"[min(i, 1)])
			field := members{append(o.b, '{'), true}
			field.name("name")
			field.b = rawjson.AppendVisible(field.b, f.Name)
			field.text("value", f.Value)
			field.flag("withheld", f.Withheld)
			o.b = append(field.b, '}')
		}
		o.b = append(o.b, ']')
	}
	return append(o.b, '}')
}
