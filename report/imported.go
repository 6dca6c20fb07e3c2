package report

import (
	"fmt"
	"strings"

	"gauntlet/finding"
	"gauntlet/result"
)

// Findings of other programs have their own section in every format except SARIF and JUnit, whose consumers would
// attribute them to this program.

func importedCounts(i *result.Imported) string {
	agreed, confirmed := i.Count(result.Agreed, result.Confirmed)
	foreign, refuted := i.Count(result.ForeignOnly, result.Refuted)
	s := fmt.Sprintf("%s of %s: %s agreed, %s foreign only", countNoun(len(i.Findings), "finding"), countNoun(len(i.Files), "report"), groupDigits(agreed), groupDigits(foreign))
	if confirmed+refuted > 0 {
		s += fmt.Sprintf("; %s confirmed and %s refuted by a run", groupDigits(confirmed), groupDigits(refuted))
	}
	left := 0
	for k := range i.Files {
		left += i.Files[k].Left
	}
	if left > 0 {
		s += "; " + groupDigits(left) + " left out"
	}
	if i.Gates {
		return s + "; they move the exit code"
	}
	return s + "; they move no exit code"
}

// importedState describes the status of an imported finding.
func importedState(f *result.ImportedFinding) string {
	s := "foreign only"
	if f.State == result.Agreed {
		s = "agreed"
	}
	if f.Run != "" {
		s += ", " + string(f.Run) + " by " + f.By
	}
	return s
}

// importedPlace names the location of a finding as far as its report gives it.
func importedPlace(f *result.ImportedFinding) string {
	var parts []string
	if f.Location.Item != "" {
		parts = append(parts, itemTitle(&f.Location))
	}
	if f.Parameter != "" {
		parts = append(parts, "parameter "+f.Parameter)
	}
	if at := describeLocation(&f.Location, false); at != "" {
		parts = append(parts, at)
	}
	return strings.Join(parts, ", ")
}

// importedLine shows the counts.
func (p *page) importedLine(i *result.Imported) {
	if i != nil {
		p.line("Imported", importedCounts(i))
	}
}

func (p *page) imported(i *result.Imported) {
	if i == nil {
		return
	}
	p.heading("Imported", "")
	p.painted(2, "", importedCounts(i), p.dim)
	for k := range i.Findings {
		f := &i.Findings[k]
		badge := fmt.Sprintf("%-8s", strings.ToUpper(min(f.Severity, finding.Critical).String()))
		p.writeIndented(2, p.colourSeverity(f.Severity, badge), "  ", clipText(Visible(f.Rule+" of "+f.Tool), p.width-12))
		p.labelled(4, "is:", Visible(importedState(f)))
		if at := importedPlace(f); at != "" {
			p.labelled(4, "in:", Visible(at))
		}
		if f.Message != "" {
			p.labelled(4, "says:", clipText(Visible(f.Message), 3*p.width))
		}
		if len(f.Agrees) > 0 {
			p.painted(4, "with:", Visible(strings.Join(f.Agrees, ", ")), p.dim)
		}
	}
	p.writeBlank()
}

func mdImported(f *result.ImportedFinding) string {
	text := fmt.Sprintf("- **%s** %s: %s", f.Severity, codeSpan(f.Rule+" of "+f.Tool, mdWide), codeSpan(importedState(f), mdWide))
	if at := importedPlace(f); at != "" {
		text += " in " + codeSpan(at, mdWide)
	}
	if f.Message != "" {
		text += "  \n  " + codeSpan(f.Message, mdWide)
	}
	return text
}

func (h *htmlReport) viewImported() section {
	i := h.r.Imported
	s := section{Title: "Imported findings", Intro: importedCounts(i) + ".", Head: []string{"Severity", "Tool", "Rule", "State", "Where", "Message"}}
	for k := range i.Findings {
		f := &i.Findings[k]
		s.Rows = append(s.Rows, []string{f.Severity.String(), f.Tool, f.Rule, importedState(f), importedPlace(f), f.Message})
	}
	return s
}
