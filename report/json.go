package report

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"reflect"
	"slices"
	"strings"

	"gauntlet/finding"
	"gauntlet/rawjson"
	"gauntlet/result"
)

var _ = formats.register("json", "for programs: the whole report, as in docs/schemas/report.schema.json", writeJSON)

// writeJSON writes the format of docs/schemas/report.schema.json: the summary first, then one finding, problem or rule
// per line, so that reports can be compared with diff. Lists are never null.
func writeJSON(w *bufio.Writer, r *result.Report, _ Options) error {
	s := newJSONStream(w)
	s.openBracket("", '{')
	writeReport(s, r)
	s.closeBracket('}')
	return s.finishStream()
}

// writeReport writes the members of a report in order, or only those named. A single attack's verdict is also written
// as a member of its own, under its name in the format (OATF §9.3).
func writeReport(s *jsonStream, r *result.Report, only ...string) {
	c := *r
	c.Summary = withAllSeverities(r.Summary)
	all := reflect.ValueOf(&c).Elem()
	for i := range all.NumField() {
		name, optional, _ := strings.Cut(all.Type().Field(i).Tag.Get("json"), ",")
		if optional != "" && all.Field(i).IsZero() || len(only) > 0 && !slices.Contains(only, name) {
			continue
		}
		if name == "attacks" && len(r.Attacks) == 1 && r.Attacks[0].Verdict != nil {
			s.writeValue("verdict", r.Attacks[0].Verdict)
		}
		switch parts := reflect.Indirect(all.Field(i)); name {
		case "coverage", "clients", "imported":
			s.openBracket(name, '{')
			for k := range parts.NumField() {
				if name, optional, _ := strings.Cut(parts.Type().Field(k).Tag.Get("json"), ","); optional == "" || !parts.Field(k).IsZero() {
					s.writeMember(name, parts.Field(k))
				}
			}
			s.closeBracket('}')
		default:
			s.writeMember(name, all.Field(i))
		}
	}
}

// writeMember writes a value on one line, or a list of objects one per line.
func (s *jsonStream) writeMember(name string, v reflect.Value) {
	if v.Kind() != reflect.Slice {
		if v.Kind() == reflect.Pointer {
			v = v.Elem()
		}
		one := reflect.New(v.Type())
		one.Elem().Set(v)
		withoutNulls(one.Elem())
		s.writeValue(name, one.Interface())
		return
	}
	s.openBracket(name, '[')
	one := reflect.New(v.Type().Elem()) // shared: a copy per element would dominate the cost
	for i := range v.Len() {
		one.Elem().Set(v.Index(i))
		withoutNulls(one.Elem())
		s.writeValue("", one.Interface())
	}
	s.closeBracket(']')
}

// withoutNulls replaces nil lists that are always written with empty ones.
func withoutNulls(v reflect.Value) {
	if v.Kind() != reflect.Struct {
		return
	}
	for i := range v.NumField() {
		switch f := v.Field(i); {
		case !f.CanSet():
		case f.Kind() == reflect.Slice && f.IsNil() && !strings.Contains(v.Type().Field(i).Tag.Get("json"), ",omitempty"):
			f.Set(reflect.MakeSlice(f.Type(), 0, 0))
		default:
			withoutNulls(f)
		}
	}
}

// withAllSeverities adds the zero counts that by_severity promises.
func withAllSeverities(s result.Summary) result.Summary {
	by := make(map[string]int, finding.Critical)
	for sev := finding.Info; sev <= finding.Critical; sev++ {
		by[sev.String()] = s.BySeverity[sev.String()]
	}
	s.BySeverity = by
	return s
}

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

// WriteJSON writes v as all commands write JSON: indented by two spaces, with <, > and & unescaped and characters that
// could control a terminal as \u escapes, which are equivalent. The error is encoding/json's or w's.
func WriteJSON(w io.Writer, v any) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return err
	}
	_, err := w.Write(rawjson.EscapeHidden(nil, b.Bytes()))
	return err
}
