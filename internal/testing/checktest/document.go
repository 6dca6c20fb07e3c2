package checktest

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
)

// The harness reads JSON with encoding/json and not with rawjson, whose offsets and
// pointers it is there to check. Values are string, json.Number, bool, nil, array and
// object; objects keep order and repeated names.
type (
	array  []any
	object []member
	member struct {
		name  string
		value any
	}
)

func parseDocument(text string) (any, error) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	v, err := decode(d)
	if err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("text after the end of the document")
	}
	return v, nil
}

func decode(d *json.Decoder) (any, error) {
	tok, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch tok {
	case json.Delim('['):
		out := array{}
		for d.More() {
			v, err := decode(d)
			if err != nil {
				return nil, err
			}
			out = append(out, v)
		}
		_, err = d.Token()
		return out, err
	case json.Delim('{'):
		out := object{}
		for d.More() {
			name, err := d.Token()
			if err != nil {
				return nil, err
			}
			v, err := decode(d)
			if err != nil {
				return nil, err
			}
			out = append(out, member{name.(string), v}) // the decoder lets nothing else be a name
		}
		_, err = d.Token()
		return out, err
	}
	return tok, nil
}

// writing says how to write a document.
type writing struct {
	indent string                // of one level; none writes one line
	order  func(a, b string) int // of members; nil as they are. Repeated names keep theirs.
}

func writeDocument(v any, w writing) string {
	var b bytes.Buffer
	w.writeMember(&b, v)
	if w.indent == "" {
		return b.String()
	}
	var out bytes.Buffer
	if err := json.Indent(&out, b.Bytes(), "", w.indent); err != nil {
		panic(err) // of our own making
	}
	return out.String()
}

func (w writing) writeMember(b *bytes.Buffer, v any) {
	switch v := v.(type) {
	case array:
		b.WriteByte('[')
		for i, e := range v {
			if i > 0 {
				b.WriteByte(',')
			}
			w.writeMember(b, e)
		}
		b.WriteByte(']')
	case object:
		if w.order != nil {
			v = slices.Clone(v)
			slices.SortStableFunc(v, func(a, b member) int { return w.order(a.name, b.name) })
		}
		b.WriteByte('{')
		for i, m := range v {
			if i > 0 {
				b.WriteByte(',')
			}
			w.writeMember(b, m.name)
			b.WriteByte(':')
			w.writeMember(b, m.value)
		}
		b.WriteByte('}')
	default:
		text, err := json.Marshal(v)
		if err != nil {
			panic(err) // parse makes nothing that JSON cannot hold
		}
		b.Write(text)
	}
}

// resolve follows a JSON pointer (RFC 6901) and returns every value there, with the name
// it is a member by: several where a name on the way repeats, none where it leads nowhere.
func resolve(doc any, pointer string) []member {
	at := []member{{value: doc}}
	if pointer == "" {
		return at
	}
	if pointer[0] != '/' {
		return nil
	}
	for token := range strings.SplitSeq(pointer[1:], "/") {
		token = strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
		var next []member
		for _, m := range at {
			next = append(next, stepInto(m.value, token)...)
		}
		at = next
	}
	return at
}

func stepInto(v any, token string) (out []member) {
	switch v := v.(type) {
	case object:
		for _, m := range v {
			if m.name == token {
				out = append(out, m)
			}
		}
	case array:
		// RFC 6901 section 4: digits without a leading zero, nothing else.
		if i, err := strconv.Atoi(token); err == nil && strconv.Itoa(i) == token && 0 <= i && i < len(v) {
			out = append(out, member{value: v[i]})
		}
	}
	return out
}
