package cli

import (
	"io"
	"strings"

	"gauntlet/finding"
	"gauntlet/oatf"
	"gauntlet/report"
	"gauntlet/result"
)

// specification is where the rules of the format stand.
const specification = "https://oatf.io/specification/conformance/"

// writeVerdictsSARIF hands the diagnostics to the report format of findings: an error is an
// error there, a warning of the format a warning, a lint a note. None is a vulnerability.
func writeVerdictsSARIF(w io.Writer, all []verdictOn) error {
	r := result.Report{SchemaVersion: result.SchemaVersion, Tool: result.Tool{Name: "gauntlet", Version: version()}}
	for _, rule := range oatf.Rules() {
		r.Rules = append(r.Rules, result.Rule{
			ID: finding.Rule(rule.ID), Name: rule.Summary, Severity: severityOf(rule.ID, rule.Severity), Maturity: "stable",
			Doc: rule.Summary + " (" + rule.Section + ")", Source: specification,
		})
	}
	for i := range all {
		on := &all[i]
		if on.err != nil {
			r.Problems = append(r.Problems, finding.Problem{Kind: finding.Unread, Message: on.unreadable(), Location: finding.Location{File: on.name, Kind: "document"}})
		}
		for _, d := range append(on.errs[:len(on.errs):len(on.errs)], on.warnings...) {
			r.Findings = append(r.Findings, finding.Finding{
				Rule: finding.Rule(d.Rule), Name: d.Rule, Severity: severityOf(d.Rule, d.Severity), Message: d.Message,
				Location:    finding.Location{Kind: "document", File: on.name, Pointer: d.Pointer, Line: d.Line, Column: d.Column, EndLine: d.EndLine, EndColumn: d.EndColumn},
				Fingerprint: finding.Fingerprint(d.Rule, on.name, d.Path, d.Message),
			})
		}
	}
	r.Summary.Findings, r.Summary.Problems, r.Summary.Complete = len(r.Findings), len(r.Problems), len(r.Problems) == 0
	format, err := report.Lookup("sarif")
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
