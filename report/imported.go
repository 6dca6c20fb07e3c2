package report

import (
	"fmt"
	"strings"

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

// importedSection lists the findings of other programs.
func importedSection(r *result.Report) section {
	s := section{ID: "imported", Title: "Imported", Brief: "Imported", Noun: "imported finding", Share: markdownLimit / 4}
	if r.Imported == nil {
		return s
	}
	s.Remark = importedCounts(r.Imported)
	return withRows(s, r.Imported.Findings, func(f *result.ImportedFinding) row {
		one := row{Tone: toneOf(f.Severity), Badge: f.Severity.String(), Title: f.Rule + " of " + f.Tool, Where: importedPlace(f)}
		one.add("is", importedState(f))
		one.add("says", f.Message)
		one.addAside("with", f.Agrees...)
		return one
	})
}
