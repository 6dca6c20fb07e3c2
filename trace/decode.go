package trace

import (
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"gauntlet/rawjson"
)

// message reads one line. Members it does not know are those of a later 1.y.
func (r *Reader) message(text string) (Message, error) {
	var m Message
	if err := r.tree.Parse(text, 0); err != nil {
		return m, fmt.Errorf("not JSON: %w", err)
	}
	root := r.tree.Root()
	if root.Kind() != rawjson.Object {
		return m, fmt.Errorf("%s and not an object", root.Kind())
	}
	d := decoder{r: r, seen: r.seen[:0]}
	d.members(root, func(name string, v rawjson.Value) bool { return d.member(&m, name, v) })
	r.seen = d.seen
	switch {
	case d.err != nil:
		return m, d.err
	case slices.Contains(d.seen, "raw") == slices.Contains(d.seen, "raw_base64"):
		return m, errors.New("needs one of raw and raw_base64")
	case len(m.Raw) > r.limits.Payload:
		return m, fmt.Errorf("%d bytes are more than a message may have (%d)", len(m.Raw), r.limits.Payload)
	}
	return m, m.check(r.last)
}

// A decoder reads the members of one line. The first error sticks.
type decoder struct {
	r    *Reader
	seen []string // members read so far; of those it does not know, none
	err  error
}

// members reads each member of an object. read reports whether it knows the name; such a one may stand once.
func (d *decoder) members(v rawjson.Value, read func(name string, v rawjson.Value) bool) {
	for f := range v.Members() {
		name := f.Key.Text()
		if slices.Contains(d.seen, name) {
			d.fail(name, "stands twice")
		} else if read(name, f.Value) {
			d.seen = append(d.seen, name)
		}
	}
}

func (d *decoder) member(m *Message, name string, v rawjson.Value) (known bool) {
	switch name {
	case "seq":
		m.Seq = d.count(name, v)
	case "time":
		m.Time = d.time(name, v)
	case "actor":
		m.Actor = d.word(name, v)
	case "phase":
		m.Phase = d.word(name, v)
	case "server":
		m.Server = d.word(name, v)
	case "session":
		m.Session = d.word(name, v)
	case "protocol":
		m.Protocol = d.word(name, v)
	case "revision":
		m.Revision = d.word(name, v)
	case "role":
		m.Role = Role(d.word(name, v))
	case "direction":
		m.Direction = Direction(d.word(name, v))
	case "kind":
		m.Kind = Kind(d.word(name, v))
	case "id":
		m.ID = strings.Clone(d.text(name, v))
	case "method":
		m.Method = d.word(name, v)
	case "reply_to":
		m.ReplyTo = d.count(name, v)
	case "stray":
		m.Stray = Stray(d.word(name, v))
	case "part_of":
		m.PartOf = d.count(name, v)
	case "http":
		m.HTTP = d.http(v)
	case "note":
		m.Note = d.word(name, v)
	case "redacted":
		m.Redacted = d.flag(name, v)
	case "raw":
		m.Raw = d.raw(v)
	case "raw_base64":
		m.Raw = d.base64(v)
	default:
		return false
	}
	return true
}

func (d *decoder) fail(name, why string) {
	if d.err == nil {
		d.err = fmt.Errorf("%.40q %s", name, why)
	}
}

func (d *decoder) text(name string, v rawjson.Value) string {
	if v.Kind() != rawjson.String {
		d.fail(name, "is no string")
	}
	return v.Text()
}

// maxWords bounds the memory for texts that come again and again.
const maxWords = 10_000

// word returns a text of which a trace holds many copies, once.
func (d *decoder) word(name string, v rawjson.Value) string {
	s := d.text(name, v)
	if w, ok := d.r.words[s]; ok {
		return w
	}
	s = strings.Clone(s) // or the line would stay in memory
	if len(d.r.words) < maxWords && len(s) < 100 {
		d.r.words[s] = s
	}
	return s
}

func (d *decoder) count(name string, v rawjson.Value) int {
	n, ok := v.Int()
	if !ok || n < 1 || int64(int(n)) != n {
		d.fail(name, "is no number from 1")
		return 0
	}
	return int(n)
}

func (d *decoder) flag(name string, v rawjson.Value) bool {
	b, ok := v.Bool()
	if !ok {
		d.fail(name, "is neither true nor false")
	}
	return b
}

func (d *decoder) time(name string, v rawjson.Value) time.Time {
	t, err := time.Parse(time.RFC3339Nano, d.text(name, v))
	if err != nil {
		d.fail(name, "is no RFC 3339 time")
	}
	return t.UTC()
}

// raw refuses what cannot be the text that was written: an escape for half a character, or
// bytes that are no UTF-8, would read as U+FFFD and pass for something a peer sent.
func (d *decoder) raw(v rawjson.Value) string {
	if !v.WellFormed() {
		d.fail("raw", "is not well-formed Unicode; such a text is written as raw_base64")
	}
	return strings.Clone(d.text("raw", v))
}

func (d *decoder) base64(v rawjson.Value) string {
	b, err := base64.StdEncoding.Strict().DecodeString(d.text("raw_base64", v))
	if err != nil {
		d.fail("raw_base64", "is no base64")
	}
	return string(b)
}

func (d *decoder) http(v rawjson.Value) *HTTP {
	if v.Kind() != rawjson.Object {
		d.fail("http", "is no object")
		return nil
	}
	h := &HTTP{}
	inner := decoder{r: d.r}
	inner.members(v, func(name string, v rawjson.Value) bool { return inner.httpMember(h, name, v) })
	if inner.err != nil && d.err == nil {
		d.err = fmt.Errorf("http: %w", inner.err)
	}
	return h
}

func (d *decoder) httpMember(h *HTTP, name string, v rawjson.Value) (known bool) {
	switch name {
	case "exchange":
		h.Exchange = d.count(name, v)
	case "method":
		h.Method = d.word(name, v)
	case "status":
		h.Status = d.count(name, v)
	case "credential":
		h.Credential = d.word(name, v)
	case "headers":
		if v.Kind() != rawjson.Array {
			d.fail(name, "is no array")
		}
		for _, e := range v.Elements() {
			h.Headers = append(h.Headers, d.field(e))
		}
	default:
		return false
	}
	return true
}

func (d *decoder) field(v rawjson.Value) Field {
	var f Field
	if v.Kind() != rawjson.Object || !v.Get("name").Exists() {
		d.fail("headers", "holds something that is no header")
		return f
	}
	f.Name = d.word("name", v.Get("name"))
	if value := v.Get("value"); value.Exists() {
		f.Value = d.word("value", value)
	}
	if withheld := v.Get("withheld"); withheld.Exists() {
		f.Withheld = d.flag("withheld", withheld)
	}
	return f
}
