package attackdoc

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"gauntlet/finding"
	"gauntlet/oatf"
	"gauntlet/report"
	"gauntlet/result"
)

// A Diagnosis is the result of checking one document.
type Diagnosis struct {
	Text
	Errors   []oatf.Diagnostic
	Warnings []oatf.Diagnostic
}

// Validate checks the document against the format's rules and, with lint, for what is legal but probably unintended.
func (t *Text) Validate(limits oatf.Limits, lint bool) Diagnosis {
	on := Diagnosis{Text: *t}
	if t.Err != nil {
		return on
	}
	d, err := limits.Parse(t.Text)
	if d == nil {
		var errs oatf.Errors
		errors.As(err, &errs)
		on.Errors = errs
		return on
	}
	r := oatf.Validate(d)
	on.Errors, on.Warnings = r.Errors, r.Warnings
	if lint {
		on.Warnings = append(on.Warnings, oatf.Lint(d)...)
	}
	return on
}

// ExitCode is 2 for an unreadable document, 1 for an invalid one, else 0.
func (on *Diagnosis) ExitCode() int {
	switch {
	case on.Err != nil:
		return result.ExitTrouble
	case len(on.Errors) > 0:
		return result.ExitGate
	}
	return result.ExitOK
}

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

func writePage(w io.Writer, all []Diagnosis) error {
	p := &report.Page{Title: "Attack documents", Class: "ok", Verdict: strings.TrimSpace(tallyText(all)), Read: fmt.Sprintf("%d documents were checked against the rules of the format.", len(all))}
	documents := report.Table{ID: "documents", Title: "Documents", Head: []string{"Document", "Is", "Errors", "Warnings"}}
	found := report.Table{ID: "diagnostics", Title: "Errors and warnings", Intro: "For each the rule, where the document breaks it, and how.", Head: []string{"Document", "Kind", "Rule", "Section", "Line", "Path", "What"}}
	for i := range all {
		on := &all[i]
		state := stateOf(on)
		documents.Rows = append(documents.Rows, []string{on.Name, state, fmt.Sprint(len(on.Errors)), fmt.Sprint(len(on.Warnings))})
		switch on.ExitCode() {
		case result.ExitTrouble:
			p.Missing = append(p.Missing, on.Name+" cannot be read: "+on.Err.Error())
			p.Class = "bad"
		case result.ExitGate:
			p.Class = "bad"
		}
		for _, d := range on.diagnostics() {
			found.Rows = append(found.Rows, diagnosticRow(on.Name, &d))
		}
	}
	p.Tables = append(p.Tables, documents)
	if len(found.Rows) > 0 {
		p.Tables = append(p.Tables, found)
	}
	return p.Write(w, "html", nil, report.Options{})
}

func diagnosticRow(document string, d *oatf.Diagnostic) []string {
	line := ""
	if d.Line > 0 {
		line = fmt.Sprintf("%d:%d", d.Line, d.Column)
	}
	return []string{document, fmt.Sprint(d.Severity), fmt.Sprint(d.Rule), fmt.Sprint(d.Section), line, d.Path, d.Message}
}

func stateOf(on *Diagnosis) string {
	switch on.ExitCode() {
	case result.ExitTrouble:
		return "unreadable"
	case result.ExitGate:
		return "invalid"
	}
	return "valid"
}

func (on *Diagnosis) diagnostics() []oatf.Diagnostic {
	return append(on.Errors[:len(on.Errors):len(on.Errors)], on.Warnings...)
}

// specification documents the format's rules.
const specification = "https://oatf.io/specification/conformance/"

// writeSARIF writes the diagnostics in the findings' report format: an error as error, a warning as warning, a lint as note. None
// is a vulnerability.
func writeSARIF(w io.Writer, all []Diagnosis, version string) error {
	r := result.Report{SchemaVersion: result.SchemaVersion, Tool: result.Tool{Name: "gauntlet", Version: version}}
	for _, rule := range oatf.Rules() {
		r.Rules = append(r.Rules, result.Rule{
			ID: finding.Rule(rule.ID), Name: rule.Summary, Severity: severityOf(rule.ID, rule.Severity), Maturity: "stable",
			Doc: rule.Summary + " (" + rule.Section + ")", Source: specification,
		})
	}
	for i := range all {
		on := &all[i]
		if on.Err != nil {
			r.Problems = append(r.Problems, finding.Problem{Kind: finding.Unread, Message: on.Unreadable(), Location: finding.Location{File: on.Name, Kind: "document"}})
		}
		for _, d := range append(on.Errors[:len(on.Errors):len(on.Errors)], on.Warnings...) {
			r.Findings = append(r.Findings, finding.Finding{
				Rule: finding.Rule(d.Rule), Name: d.Rule, Severity: severityOf(d.Rule, d.Severity), Message: d.Message,
				Location:    finding.Location{Kind: "document", File: on.Name, Pointer: d.Pointer, Line: d.Line, Column: d.Column, EndLine: d.EndLine, EndColumn: d.EndColumn},
				Fingerprint: finding.Fingerprint(d.Rule, on.Name, d.Path, d.Message),
			})
		}
	}
	r.Summary.Findings, r.Summary.Problems, r.Summary.Complete = len(r.Findings), len(r.Problems), len(r.Problems) == 0
	return report.Formats().Write(w, "sarif", &r, report.Options{NotSecurity: true})
}

func severityOf(rule string, s oatf.DiagnosticSeverity) finding.Severity {
	switch {
	case s == oatf.SeverityError:
		return finding.High
	case strings.HasPrefix(rule, "GNT-"):
		return finding.Low
	}
	return finding.Medium
}
