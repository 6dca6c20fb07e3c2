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

// decodeMessage parses one line. Unknown members belong to a later 1.y.
func (r *Reader) decodeMessage(text string) (Message, error) {
	var m Message
	if err := r.tree.Parse(text, 0); err != nil {
		return m, fmt.Errorf("not JSON: %w", err)
	}
	root := r.tree.Root()
	if root.Kind() != rawjson.Object {
		return m, fmt.Errorf("%s and not an object", root.Kind())
	}
	d := memberDecoder{r: r, seen: r.seen[:0]}
	d.eachMember(root, func(name string, v rawjson.Value) bool { return d.decodeMember(&m, name, v) })
	r.seen = d.seen
	switch {
	case d.err != nil:
		return m, d.err
	case slices.Contains(d.seen, "raw") == slices.Contains(d.seen, "raw_base64"):
		return m, errors.New("needs one of raw and raw_base64")
	case len(m.Raw) > r.limits.Payload:
		return m, fmt.Errorf("%d bytes exceed the limit for a message (%d)", len(m.Raw), r.limits.Payload)
	}
	return m, m.checkMessage(r.last)
}

// A memberDecoder decodes the members of a line. The first error sticks.
type memberDecoder struct {
	r    *Reader
	seen []string // known members decoded so far
	err  error
}

// eachMember calls read for each member of an object. read reports whether it knows the name; a known member must be unique.
func (d *memberDecoder) eachMember(v rawjson.Value, read func(name string, v rawjson.Value) bool) {
	for f := range v.Members() {
		name := f.Key.Text()
		if slices.Contains(d.seen, name) {
			d.failOn(name, "stands twice")
		} else if read(name, f.Value) {
			d.seen = append(d.seen, name)
		}
	}
}

func (d *memberDecoder) decodeMember(m *Message, name string, v rawjson.Value) (known bool) {
	switch name {
	case "seq":
		m.Seq = d.decodeCount(name, v)
	case "time":
		m.Time = d.decodeTime(name, v)
	case "actor":
		m.Actor = d.decodeWord(name, v)
	case "phase":
		m.Phase = d.decodeWord(name, v)
	case "server":
		m.Server = d.decodeWord(name, v)
	case "session":
		m.Session = d.decodeWord(name, v)
	case "protocol":
		m.Protocol = d.decodeWord(name, v)
	case "revision":
		m.Revision = d.decodeWord(name, v)
	case "role":
		m.Role = Role(d.decodeWord(name, v))
	case "direction":
		m.Direction = Direction(d.decodeWord(name, v))
	case "kind":
		m.Kind = Kind(d.decodeWord(name, v))
	case "id":
		m.ID = strings.Clone(d.decodeText(name, v))
	case "method":
		m.Method = d.decodeWord(name, v)
	case "reply_to":
		m.ReplyTo = d.decodeCount(name, v)
	case "stray":
		m.Stray = Stray(d.decodeWord(name, v))
	case "part_of":
		m.PartOf = d.decodeCount(name, v)
	case "http":
		m.HTTP = d.decodeHTTP(v)
	case "note":
		m.Note = d.decodeWord(name, v)
	case "early":
		m.Early = d.decodeFlag(name, v)
	case "redacted":
		m.Redacted = d.decodeFlag(name, v)
	case "raw":
		m.Raw = d.decodeRaw(v)
	case "raw_base64":
		m.Raw = d.decodeBase64(v)
	default:
		return false
	}
	return true
}

func (d *memberDecoder) failOn(name, why string) {
	if d.err == nil {
		d.err = fmt.Errorf("%.40q %s", name, why)
	}
}

func (d *memberDecoder) decodeText(name string, v rawjson.Value) string {
	if v.Kind() != rawjson.String {
		d.failOn(name, "is no string")
	}
	return v.Text()
}

// maxWords limits the memory for repeated texts.
const maxWords = 10_000

// decodeWord interns a text that a trace repeats often.
func (d *memberDecoder) decodeWord(name string, v rawjson.Value) string {
	s := d.decodeText(name, v)
	if w, ok := d.r.words[s]; ok {
		return w
	}
	s = strings.Clone(s) // otherwise the line would stay in memory
	if len(d.r.words) < maxWords && len(s) < 100 {
		d.r.words[s] = s
	}
	return s
}

func (d *memberDecoder) decodeCount(name string, v rawjson.Value) int {
	n, ok := v.Int()
	if !ok || n < 1 || int64(int(n)) != n {
		d.failOn(name, "is no number from 1")
		return 0
	}
	return int(n)
}

func (d *memberDecoder) decodeFlag(name string, v rawjson.Value) bool {
	b, ok := v.Bool()
	if !ok {
		d.failOn(name, "is neither true nor false")
	}
	return b
}

func (d *memberDecoder) decodeTime(name string, v rawjson.Value) time.Time {
	t, err := time.Parse(time.RFC3339Nano, d.decodeText(name, v))
	if err != nil {
		d.failOn(name, "is not an RFC 3339 time")
	}
	return t.UTC()
}

// decodeRaw rejects what cannot be the original text: half a surrogate pair or invalid UTF-8 would become U+FFFD and
// pass for something a peer sent.
func (d *memberDecoder) decodeRaw(v rawjson.Value) string {
	if !v.WellFormed() {
		d.failOn("raw", "is not well-formed Unicode; use raw_base64 for such text")
	}
	return strings.Clone(d.decodeText("raw", v))
}

func (d *memberDecoder) decodeBase64(v rawjson.Value) string {
	b, err := base64.StdEncoding.Strict().DecodeString(d.decodeText("raw_base64", v))
	if err != nil {
		d.failOn("raw_base64", "is no base64")
	}
	return string(b)
}

func (d *memberDecoder) decodeHTTP(v rawjson.Value) *HTTP {
	if v.Kind() != rawjson.Object {
		d.failOn("http", "is no object")
		return nil
	}
	h := &HTTP{}
	inner := memberDecoder{r: d.r}
	inner.eachMember(v, func(name string, v rawjson.Value) bool { return inner.decodeHTTPMember(h, name, v) })
	if inner.err != nil && d.err == nil {
		d.err = fmt.Errorf("http: %w", inner.err)
	}
	return h
}

func (d *memberDecoder) decodeHTTPMember(h *HTTP, name string, v rawjson.Value) (known bool) {
	switch name {
	case "exchange":
		h.Exchange = d.decodeCount(name, v)
	case "method":
		h.Method = d.decodeWord(name, v)
	case "status":
		h.Status = d.decodeCount(name, v)
	case "credential":
		h.Credential = d.decodeWord(name, v)
	case "headers":
		if v.Kind() != rawjson.Array {
			d.failOn(name, "is not an array")
		}
		for _, e := range v.Elements() {
			h.Headers = append(h.Headers, d.decodeHeaderField(e))
		}
	default:
		return false
	}
	return true
}

func (d *memberDecoder) decodeHeaderField(v rawjson.Value) Field {
	var f Field
	if v.Kind() != rawjson.Object || !v.Get("name").Exists() {
		d.failOn("headers", "holds something that is no header")
		return f
	}
	f.Name = d.decodeWord("name", v.Get("name"))
	if value := v.Get("value"); value.Exists() {
		f.Value = d.decodeWord("value", value)
	}
	if withheld := v.Get("withheld"); withheld.Exists() {
		f.Withheld = d.decodeFlag("withheld", withheld)
	}
	return f
}
