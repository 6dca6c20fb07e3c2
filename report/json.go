package report

import (
	"bufio"
	"reflect"
	"slices"
	"strings"

	"gauntlet/finding"
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
