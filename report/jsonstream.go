package report

import (
	"bufio"
	"bytes"
	"encoding/json"

	"gauntlet/rawjson"
)

// A jsonStream writes one JSON document piece by piece, so that a report with a million
// findings takes the memory of one. The caller sees to it that the pieces fit together;
// the stream sets commas and indentation. The first error sticks.
type jsonStream struct {
	w       *bufio.Writer
	depth   int
	started bool // a member stands before this one at the present depth

	enc *json.Encoder // writes to buf
	buf bytes.Buffer  // the present piece as encoding/json wrote it
	out []byte        // the same with hidden characters escaped
	err error
}

func newJSONStream(w *bufio.Writer) *jsonStream {
	s := &jsonStream{w: w}
	s.enc = json.NewEncoder(&s.buf)
	s.enc.SetEscapeHTML(false)
	return s
}

// openBracket begins an object or an array, as a member called key unless that is empty.
func (s *jsonStream) openBracket(key string, bracket byte) {
	s.nextElement(key)
	_ = s.w.WriteByte(bracket) // bufio keeps its first error for Flush
	s.depth++
	s.started = false
}

// closeBracket ends what open began; an empty one stays on its line.
func (s *jsonStream) closeBracket(bracket byte) {
	s.depth--
	if s.started {
		s.breakLine()
	}
	_ = s.w.WriteByte(bracket)
	s.started = true
}

// writeValue writes v on one line, as a member called key unless that is empty.
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
	if err := s.enc.Encode(v); err != nil {
		if s.err == nil {
			s.err = err
		}
		return
	}
	s.out = rawjson.EscapeHidden(s.out[:0], bytes.TrimSuffix(s.buf.Bytes(), []byte("\n")))
	_, _ = s.w.Write(s.out)
}

// finishStream closes the document with a newline and returns the first error of any piece.
func (s *jsonStream) finishStream() error {
	_ = s.w.WriteByte('\n')
	return s.err
}

// writeElements writes an array, one element a line. It never writes null.
func writeElements[T any](s *jsonStream, key string, elements []T, write func(*T) any) {
	s.openBracket(key, '[')
	for i := range elements {
		s.writeValue("", write(&elements[i]))
	}
	s.closeBracket(']')
}
