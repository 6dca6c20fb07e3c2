package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"gauntlet/oatf"
	"gauntlet/rawjson"
	"gauntlet/report"
	"gauntlet/result"
)

func (v *attackValidateRun) write(w io.Writer, all []verdictOn) error {
	switch v.format {
	case "json":
		return writeVerdictsJSON(w, all)
	case "sarif":
		return writeVerdictsSARIF(w, all)
	}
	var b strings.Builder
	width := v.looks(false).Width
	if width == 0 {
		width = 100
	}
	for i := range all {
		all[i].pretty(&b, width)
	}
	b.WriteString(sumOf(all))
	_, err := io.WriteString(w, b.String())
	return err
}

// pretty writes the name of a document and each diagnostic with its line and a mark.
func (on *verdictOn) pretty(b *strings.Builder, width int) {
	if on.err != nil {
		fmt.Fprintf(b, "%s: cannot be read: %s\n", report.Visible(on.name), report.Visible(on.err.Error()))
		return
	}
	state := "valid"
	if len(on.errs) > 0 {
		state = "invalid"
	}
	fmt.Fprintf(b, "%s: %s\n", report.Visible(on.name), state)
	lines := oatf.Lines(on.text)
	for _, d := range append(on.errs[:len(on.errs):len(on.errs)], on.warnings...) {
		fmt.Fprintf(b, "\n  %s %s (%s)", d.Severity, d.Rule, d.Section)
		if d.Line > 0 {
			fmt.Fprintf(b, " at %d:%d", d.Line, d.Column)
		}
		if d.Path != "" {
			fmt.Fprintf(b, " %s", report.Visible(d.Path))
		}
		fmt.Fprintf(b, "\n    %s\n", report.Visible(d.Message))
		if d.Line < 1 || d.Line > len(lines) {
			continue
		}
		for _, row := range markedLine(lines[d.Line-1], d, width-6) {
			fmt.Fprintf(b, "      %s\n", row)
		}
	}
	if len(on.errs)+len(on.warnings) > 0 {
		b.WriteString("\n")
	}
}

// markedLine shows the line of a diagnostic without its indentation and marks its characters.
func markedLine(line string, d oatf.Diagnostic, width int) []string {
	from := offsetOf(line, d.Column)
	to := from
	if d.EndLine == d.Line {
		to = offsetOf(line, d.EndColumn)
	}
	indent := min(len(line)-len(strings.TrimLeft(line, " \t")), from)
	return report.Excerpt(line[indent:], from-indent, to-indent, width)
}

// offsetOf returns where the character at a column begins, in bytes.
func offsetOf(line string, column int) int {
	at := 0
	for n := 1; n < column && at < len(line); n++ {
		_, size := utf8.DecodeRuneInString(line[at:])
		at += size
	}
	return at
}

// A verdictSum counts documents and diagnostics.
type verdictSum struct {
	Documents  int `json:"documents"`
	Valid      int `json:"valid"`
	Invalid    int `json:"invalid"`
	Unreadable int `json:"unreadable"`
	Errors     int `json:"errors"`
	Warnings   int `json:"warnings"`
}

func sum(all []verdictOn) verdictSum {
	s := verdictSum{Documents: len(all)}
	for i := range all {
		s.Errors += len(all[i].errs)
		s.Warnings += len(all[i].warnings)
		switch all[i].code() {
		case result.ExitTrouble:
			s.Unreadable++
		case result.ExitGate:
			s.Invalid++
		default:
			s.Valid++
		}
	}
	return s
}

func sumOf(all []verdictOn) string {
	s := sum(all)
	return fmt.Sprintf("%d valid, %d invalid, %d unreadable; %d errors, %d warnings\n", s.Valid, s.Invalid, s.Unreadable, s.Errors, s.Warnings)
}

// writeVerdictsJSON writes everything for a program, with whatever could steer a terminal
// as \u escapes.
func writeVerdictsJSON(w io.Writer, all []verdictOn) error {
	type document struct {
		File     string            `json:"file"`
		Readable bool              `json:"readable"`
		Problem  string            `json:"problem,omitempty"` // why it could not be read
		Valid    bool              `json:"valid"`
		Errors   []oatf.Diagnostic `json:"errors"`
		Warnings []oatf.Diagnostic `json:"warnings"`
	}
	out := struct {
		Summary   verdictSum `json:"summary"`
		Documents []document `json:"documents"`
	}{Summary: sum(all), Documents: []document{}}
	for i := range all {
		on := &all[i]
		d := document{File: on.name, Readable: on.err == nil, Valid: on.code() == result.ExitOK,
			Errors: append([]oatf.Diagnostic{}, on.errs...), Warnings: append([]oatf.Diagnostic{}, on.warnings...)}
		if on.err != nil {
			d.Problem = on.err.Error()
		}
		out.Documents = append(out.Documents, d)
	}
	var b bytes.Buffer
	if err := writeIndented(&b, out); err != nil {
		return err
	}
	_, err := w.Write(escapeHidden(b.Bytes()))
	return err
}

// escapeHidden writes JSON with every character that nobody sees as a \u escape. Beyond
// ASCII those stand inside strings only, and those of ASCII are escaped already.
func escapeHidden(text []byte) []byte {
	if !json.Valid(text) {
		return text
	}
	out := make([]byte, 0, len(text))
	for _, r := range string(text) {
		if r >= 0x7f && rawjson.Hidden(r) {
			out = rawjson.AppendEscape(out, r)
		} else {
			out = utf8.AppendRune(out, r)
		}
	}
	return out
}
