package report

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"iter"
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
	return writeLines(w, reportLines(r))
}

// reportLines are the members of a report in order, or only those named. A single attack's verdict is also a member of its own,
// under its name in the format (OATF §9.3).
func reportLines(r *result.Report, only ...string) lines {
	c := *r
	c.Summary = withAllSeverities(r.Summary)
	var out lines
	for name, member := range membersOf(reflect.ValueOf(&c).Elem()) {
		if len(only) > 0 && !slices.Contains(only, name) {
			continue
		}
		if name == "attacks" && len(r.Attacks) == 1 && r.Attacks[0].Verdict != nil {
			out = append(out, "verdict", r.Attacks[0].Verdict)
		}
		if name != "coverage" && name != "clients" && name != "imported" {
			out = append(out, name, memberLines(member))
			continue
		}
		var parts lines
		for name, part := range membersOf(reflect.Indirect(member)) {
			parts = append(parts, name, memberLines(part))
		}
		out = append(out, name, parts)
	}
	return out
}

// membersOf yields the fields of a struct that encoding/json writes, by name.
func membersOf(v reflect.Value) iter.Seq2[string, reflect.Value] {
	return func(yield func(string, reflect.Value) bool) {
		for i := range v.NumField() {
			name, optional, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
			if (optional == "" || !v.Field(i).IsZero()) && !yield(name, v.Field(i)) {
				return
			}
		}
	}
}

// memberLines are a value on one line, or a list of objects one per line.
func memberLines(v reflect.Value) any {
	if v.Kind() != reflect.Slice {
		v = reflect.Indirect(v)
		one := reflect.New(v.Type())
		one.Elem().Set(v)
		withoutNulls(one.Elem())
		return one.Interface()
	}
	return list(func(write func(any)) {
		one := reflect.New(v.Type().Elem()) // shared: a copy per element would dominate the cost
		for i := range v.Len() {
			one.Elem().Set(v.Index(i))
			withoutNulls(one.Elem())
			write(one.Interface())
		}
	})
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

// An object is a JSON object on one line: names and values in turn. A member whose name ends in a question mark is left out if it
// has the zero value.
type object []any

// The lines type is an object with each member on a line of its own.
type lines []any

// A list is an array with each element on a line of its own. It is written piece by piece, so that a report with a million findings
// needs the memory of one.
type list func(write func(any))

func listOf(one any) list { return func(write func(any)) { write(one) } }

// A jsonStream writes a JSON document. The first error sticks.
type jsonStream struct {
	w     *bufio.Writer // which keeps its first error for Flush
	depth int           // of lines

	enc *json.Encoder // writes to buf
	buf bytes.Buffer  // current piece from encoding/json
	out []byte        // same, with hidden characters escaped
	err error
}

func writeLines(w *bufio.Writer, document lines) error {
	s := &jsonStream{w: w}
	s.enc = json.NewEncoder(&s.buf)
	s.enc.SetEscapeHTML(false)
	s.write(document)
	_ = w.WriteByte('\n')
	return s.err
}

func (s *jsonStream) write(v any) {
	switch v := v.(type) {
	case lines:
		s.writeMembers(v, ": ", s.breakLine)
	case object:
		s.writeMembers(v, ":", func() {})
	case list:
		s.enclose("[]", s.breakLine, func(next func()) {
			v(func(one any) {
				next()
				s.write(one)
			})
		})
	case []object:
		s.enclose("[]", func() {}, func(next func()) {
			for _, one := range v {
				next()
				s.write(one)
			}
		})
	default:
		s.buf.Reset()
		if err := s.enc.Encode(v); err != nil && s.err == nil {
			s.err = err
		}
		s.out = rawjson.EscapeHidden(s.out[:0], bytes.TrimSuffix(s.buf.Bytes(), []byte("\n")))
		_, _ = s.w.Write(s.out)
	}
}

func (s *jsonStream) breakLine() { _, _ = s.w.WriteString("\n" + strings.Repeat("  ", s.depth)) }

// writeMembers writes an object whose names end in colon, and each member after apart.
func (s *jsonStream) writeMembers(o []any, colon string, apart func()) {
	s.enclose("{}", apart, func(next func()) {
		for i := 0; i < len(o); i += 2 {
			name, optional := strings.CutSuffix(o[i].(string), "?")
			if optional && (o[i+1] == nil || reflect.ValueOf(o[i+1]).IsZero()) {
				continue
			}
			next()
			s.write(name)
			_, _ = s.w.WriteString(colon)
			s.write(o[i+1])
		}
	})
}

// enclose writes parts between brackets, each after a call of next, which sets it apart. Without parts both brackets stay together.
func (s *jsonStream) enclose(brackets string, apart func(), parts func(next func())) {
	n := 0
	_ = s.w.WriteByte(brackets[0])
	s.depth++
	parts(func() {
		if n++; n > 1 {
			_ = s.w.WriteByte(',')
		}
		apart()
	})
	if s.depth--; n > 0 {
		apart()
	}
	_ = s.w.WriteByte(brackets[1])
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
