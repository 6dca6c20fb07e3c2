package attackdoc

import (
	"fmt"
	"io"
	"strings"

	"gauntlet/oatf"
	"gauntlet/report"
	"gauntlet/result"
)

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

// stateOf returns a document's state in a word.
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
