package attackdoc

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"gauntlet/oatf"
	"gauntlet/report"
	"gauntlet/result"
)

// Write writes diagnoses as "json", "sarif", "html" or for a person; width is the terminal's, 0 if unknown, and version this
// program's.
func Write(w io.Writer, all []Diagnosis, format string, width int, version string) error {
	switch format {
	case "json":
		return writeJSON(w, all)
	case "sarif":
		return writeSARIF(w, all, version)
	case "html":
		return writePage(w, all)
	}
	var b strings.Builder
	if width == 0 {
		width = 100
	}
	for i := range all {
		all[i].writePretty(&b, width)
	}
	b.WriteString(tallyText(all))
	_, err := io.WriteString(w, b.String())
	return err
}

// writePretty writes a document's name and each diagnostic with its marked line.
func (on *Diagnosis) writePretty(b *strings.Builder, width int) {
	if on.Err != nil {
		fmt.Fprintf(b, "%s: cannot be read: %s\n", report.Visible(on.Name), report.Visible(on.Err.Error()))
		return
	}
	fmt.Fprintf(b, "%s: %s\n", report.Visible(on.Name), stateOf(on))
	lines := oatf.Lines(on.Text.Text)
	for _, d := range on.diagnostics() {
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
	if len(on.Errors)+len(on.Warnings) > 0 {
		b.WriteString("\n")
	}
}

// markedLine returns a diagnostic's line without indentation, and a line of marks.
func markedLine(line string, d oatf.Diagnostic, width int) []string {
	from := offsetOf(line, d.Column)
	to := from
	if d.EndLine == d.Line {
		to = offsetOf(line, d.EndColumn)
	}
	indent := min(len(line)-len(strings.TrimLeft(line, " \t")), from)
	return report.Excerpt(line[indent:], from-indent, to-indent, width)
}

// offsetOf returns the byte offset of the character at a column.
func offsetOf(line string, column int) int {
	at := 0
	for n := 1; n < column && at < len(line); n++ {
		_, size := utf8.DecodeRuneInString(line[at:])
		at += size
	}
	return at
}

// A tally counts documents and diagnostics.
type tally struct {
	Documents  int `json:"documents"`
	Valid      int `json:"valid"`
	Invalid    int `json:"invalid"`
	Unreadable int `json:"unreadable"`
	Errors     int `json:"errors"`
	Warnings   int `json:"warnings"`
}

func tallyDiagnoses(all []Diagnosis) tally {
	s := tally{Documents: len(all)}
	for i := range all {
		s.Errors += len(all[i].Errors)
		s.Warnings += len(all[i].Warnings)
		switch all[i].ExitCode() {
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

func tallyText(all []Diagnosis) string {
	s := tallyDiagnoses(all)
	return fmt.Sprintf("%d valid, %d invalid, %d unreadable; %d errors, %d warnings\n", s.Valid, s.Invalid, s.Unreadable, s.Errors, s.Warnings)
}

// writeJSON writes everything as JSON, with terminal control characters as \u escapes.
func writeJSON(w io.Writer, all []Diagnosis) error {
	type document struct {
		File     string            `json:"file"`
		Readable bool              `json:"readable"`
		Problem  string            `json:"problem,omitempty"` // why it could not be read
		Valid    bool              `json:"valid"`
		Errors   []oatf.Diagnostic `json:"errors"`
		Warnings []oatf.Diagnostic `json:"warnings"`
	}
	out := struct {
		Summary   tally      `json:"summary"`
		Documents []document `json:"documents"`
	}{Summary: tallyDiagnoses(all), Documents: []document{}}
	for i := range all {
		on := &all[i]
		d := document{File: on.Name, Readable: on.Err == nil, Valid: on.ExitCode() == result.ExitOK,
			Errors: append([]oatf.Diagnostic{}, on.Errors...), Warnings: append([]oatf.Diagnostic{}, on.Warnings...)}
		if on.Err != nil {
			d.Problem = on.Err.Error()
		}
		out.Documents = append(out.Documents, d)
	}
	return report.WriteJSON(w, out)
}
