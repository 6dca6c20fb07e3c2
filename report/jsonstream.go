package report

import (
	"bufio"
	"bytes"
	"encoding/json"
	"reflect"
	"strings"

	"gauntlet/rawjson"
)

// A jsonStream writes a JSON document piece by piece, so that a report with a million findings needs the memory of one.
// Callers nest pieces correctly; the stream adds commas and indentation. The first error sticks.
type jsonStream struct {
	w       *bufio.Writer
	depth   int
	started bool // a member was written at the current depth

	enc *json.Encoder // writes to buf
	buf bytes.Buffer  // current piece from encoding/json
	out []byte        // same, with hidden characters escaped
	err error
}

func newJSONStream(w *bufio.Writer) *jsonStream {
	s := &jsonStream{w: w}
	s.enc = json.NewEncoder(&s.buf)
	s.enc.SetEscapeHTML(false)
	return s
}

// openBracket begins an object or array, as member key unless key is empty.
func (s *jsonStream) openBracket(key string, bracket byte) {
	s.nextElement(key)
	_ = s.w.WriteByte(bracket) // bufio keeps its first error for Flush
	s.depth++
	s.started = false
}

// closeBracket ends what openBracket began; an empty object or array stays on its line.
func (s *jsonStream) closeBracket(bracket byte) {
	s.depth--
	if s.started {
		s.breakLine()
	}
	_ = s.w.WriteByte(bracket)
	s.started = true
}

// writeValue writes v on one line, as member key unless key is empty.
func (s *jsonStream) writeValue(key string, v any) {
	s.nextElement(key)
	s.encode(v)
}

func (s *jsonStream) nextElement(key string) {
	if s.started {
		_ = s.w.WriteByte(',')
	}
	if s.depth > 0 {
		s.breakLine()
	}
	s.started = true
	if key != "" {
		s.encode(key)
		_, _ = s.w.WriteString(": ")
	}
}

func (s *jsonStream) breakLine() {
	_ = s.w.WriteByte('\n')
	for range s.depth {
		_, _ = s.w.WriteString("  ")
	}
}

func (s *jsonStream) encode(v any) {
	s.buf.Reset()
	s.appendValue(v)
	s.out = rawjson.EscapeHidden(s.out[:0], s.buf.Bytes())
	_, _ = s.w.Write(s.out)
}

// An object is a JSON object: names and values in turn. A member whose name ends in a question mark is left out if it has
// the zero value.
type object []any

func (s *jsonStream) appendValue(v any) {
	switch v := v.(type) {
	case object:
		s.appendMembers(v)
	case []object:
		s.buf.WriteByte('[')
		for i, o := range v {
			if i > 0 {
				s.buf.WriteByte(',')
			}
			s.appendMembers(o)
		}
		s.buf.WriteByte(']')
	default:
		if err := s.enc.Encode(v); err != nil && s.err == nil {
			s.err = err
		}
		s.buf.Truncate(len(bytes.TrimSuffix(s.buf.Bytes(), []byte("\n"))))
	}
}

func (s *jsonStream) appendMembers(o object) {
	separator := byte('{')
	for i := 0; i < len(o); i += 2 {
		name, optional := strings.CutSuffix(o[i].(string), "?")
		if optional && (o[i+1] == nil || reflect.ValueOf(o[i+1]).IsZero()) {
			continue
		}
		s.buf.WriteByte(separator)
		s.appendValue(name)
		s.buf.WriteByte(':')
		s.appendValue(o[i+1])
		separator = ','
	}
	if separator == '{' {
		s.buf.WriteByte('{')
	}
	s.buf.WriteByte('}')
}

// finishStream ends the document with a newline and returns the first error.
func (s *jsonStream) finishStream() error {
	_ = s.w.WriteByte('\n')
	return s.err
}
