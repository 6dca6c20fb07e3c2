package trace

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"gauntlet/rawjson"
)

// A Writer writes a trace line by line. It is not safe for concurrent use; a [Recorder] makes it so.
type Writer struct {
	w     io.Writer
	line  []byte
	last  int // last Seq written
	count int // messages written
	ended bool
}

// NewWriter writes the header to w. [Writer.End] writes the last line; a trace without it is incomplete. A line is a
// single Write, so that a crash truncates a trace after or within a line. NewWriter does not close w.
func NewWriter(w io.Writer, tool string) (*Writer, error) {
	return NewWriterOf(w, Header{Tool: tool})
}

// NewWriterOf is NewWriter for a trace that is not a recording. h.Version is ignored.
func NewWriterOf(w io.Writer, h Header) (*Writer, error) {
	b := append([]byte(`{"format":"`+format+`","version":"`+Version+`"`), `,"tool":`...)
	o := memberWriter{b: rawjson.AppendVisible(b, h.Tool)}
	o.appendText("imported", h.Imported)
	o.appendFlag("redacted", h.Redacted)
	o.appendNumber("part", h.Part)
	if _, err := w.Write(append(o.b, "}\n"...)); err != nil {
		return nil, fmt.Errorf("trace: %w", err)
	}
	return &Writer{w: w}, nil
}

const format = "gauntlet-trace"

// Write writes one message. It rejects a message that no Reader would accept: Seq not ascending, unknown direction or
// kind, an answer to a later message, a text longer than DefaultPayload. Values of [Secret] headers are not written.
func (w *Writer) Write(m *Message) error {
	if w.ended {
		return errEnded
	}
	if err := m.checkMessage(w.last); err != nil {
		return fmt.Errorf("message %d: %w", m.Seq, err)
	}
	if len(m.Raw) > DefaultPayload {
		return fmt.Errorf("message %d: %d bytes exceed the limit of a trace (%d)", m.Seq, len(m.Raw), DefaultPayload)
	}
	w.line = append(appendMessage(w.line[:0], m), '\n')
	if _, err := w.w.Write(w.line); err != nil {
		return fmt.Errorf("trace: %w", err)
	}
	w.last = m.Seq
	w.count++
	if cap(w.line) > 1<<20 { // do not keep the memory of a huge message
		w.line = nil
	}
	return nil
}

// memberWriter appends the members of a JSON object and omits empty ones.
type memberWriter struct {
	b     []byte
	empty bool
}

func (o *memberWriter) appendName(name string) {
	if !o.empty {
		o.b = append(o.b, ',')
	}
	o.empty = false
	o.b = append(append(append(o.b, '"'), name...), '"', ':')
}

func (o *memberWriter) appendText(name, s string) {
	if s != "" {
		o.appendName(name)
		o.b = rawjson.AppendVisible(o.b, s)
	}
}

func (o *memberWriter) appendNumber(name string, n int) {
	if n != 0 {
		o.appendName(name)
		o.b = strconv.AppendInt(o.b, int64(n), 10)
	}
}

func (o *memberWriter) appendFlag(name string, set bool) {
	if set {
		o.appendName(name)
		o.b = append(o.b, "true"...)
	}
}

func appendMessage(b []byte, m *Message) []byte {
	o := memberWriter{append(b, '{'), true}
	o.appendNumber("seq", m.Seq)
	if !m.Time.IsZero() {
		o.appendName("time")
		o.b = append(m.Time.UTC().AppendFormat(append(o.b, '"'), time.RFC3339Nano), '"')
	}
	o.appendText("actor", m.Actor)
	o.appendText("phase", m.Phase)
	o.appendText("server", m.Server)
	o.appendText("session", m.Session)
	o.appendText("protocol", m.Protocol)
	o.appendText("revision", m.Revision)
	o.appendText("role", string(m.Role))
	o.appendText("direction", string(m.Direction))
	o.appendText("kind", string(m.Kind))
	o.appendText("id", m.ID)
	o.appendText("method", m.Method)
	o.appendNumber("reply_to", m.ReplyTo)
	o.appendText("stray", string(m.Stray))
	o.appendNumber("part_of", m.PartOf)
	if m.HTTP != nil {
		o.appendName("http")
		o.b = appendHTTP(o.b, withholdSecrets(m.HTTP))
	}
	o.appendText("note", m.Note)
	o.appendFlag("early", m.Early)
	o.appendFlag("redacted", m.Redacted)
	o.appendRaw(m.Raw)
	return append(o.b, '}')
}

// appendRaw writes the message as text if that loses nothing and at most doubles its length, which bounds a reader's
// lines: quotes fit, control characters do not.
func (o *memberWriter) appendRaw(raw string) {
	before := *o
	if utf8.ValidString(raw) {
		o.appendName("raw")
		o.b = rawjson.AppendVisible(o.b, raw)
		if len(o.b)-len(before.b) <= 2*len(raw)+aroundRaw {
			return
		}
		*o = before
	}
	o.appendName("raw_base64")
	o.b = append(base64.StdEncoding.AppendEncode(append(o.b, '"'), []byte(raw)), '"')
}

// aroundRaw allows for the name and quotes, and keeps short texts readable.
const aroundRaw = 256

func appendHTTP(b []byte, h *HTTP) []byte {
	o := memberWriter{append(b, '{'), true}
	o.appendNumber("exchange", h.Exchange)
	o.appendText("method", h.Method)
	o.appendNumber("status", h.Status)
	o.appendText("credential", h.Credential)
	if len(h.Headers) > 0 {
		o.appendName("headers")
		for i, f := range h.Headers {
			o.b = append(o.b, "[,"[min(i, 1)])
			field := memberWriter{append(o.b, '{'), true}
			field.appendName("name")
			field.b = rawjson.AppendVisible(field.b, f.Name)
			field.appendText("value", f.Value)
			field.appendFlag("withheld", f.Withheld)
			o.b = append(field.b, '}')
		}
		o.b = append(o.b, ']')
	}
	return append(o.b, '}')
}

// checkMessage rejects a message that is useless to any reader. last is the preceding Seq.
func (m *Message) checkMessage(last int) error {
	switch {
	case m.Seq <= last:
		return fmt.Errorf("seq %d does not come behind %d", m.Seq, last)
	case m.Direction != ToServer && m.Direction != ToClient:
		return fmt.Errorf("direction %q is neither %s nor %s", m.Direction, ToServer, ToClient)
	case !slices.Contains([]Kind{Request, Notification, Response, Error, Batch, Event, Invalid}, m.Kind):
		return fmt.Errorf("unknown kind %q", m.Kind)
	case m.Role != "" && m.Role != AsServer && m.Role != AsClient && m.Role != Between:
		return fmt.Errorf("unknown role %q", m.Role)
	case m.Stray != "" && m.Stray != Duplicate && m.Stray != UnknownID:
		return fmt.Errorf("unknown stray %q", m.Stray)
	case m.ReplyTo < 0 || m.ReplyTo >= m.Seq:
		return fmt.Errorf("reply_to %d is no earlier message", m.ReplyTo)
	case m.PartOf < 0 || m.PartOf >= m.Seq:
		return fmt.Errorf("part_of %d is no earlier message", m.PartOf)
	case (m.ReplyTo != 0 || m.Stray != "") && !m.Kind.Answer():
		return fmt.Errorf("a %s replies to nothing", m.Kind)
	case m.HTTP != nil && (m.HTTP.Exchange < 0 || m.HTTP.Status < 0):
		return errors.New("http: exchange and status must not be negative")
	}
	if y := m.Time.UTC().Year(); y < 0 || y > 9999 {
		return fmt.Errorf("the year %d cannot be written (%s)", y, time.RFC3339)
	}
	return nil
}
