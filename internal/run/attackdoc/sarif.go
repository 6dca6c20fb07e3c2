package attackdoc

import (
	"io"
	"strings"

	"gauntlet/finding"
	"gauntlet/oatf"
	"gauntlet/report"
	"gauntlet/result"
)

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
	format, err := report.Formats().Lookup("sarif")
	if err != nil {
		return err
	}
	return format.Write(w, &r, report.Options{NotSecurity: true})
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
