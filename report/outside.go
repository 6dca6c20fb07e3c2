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

// SARIF and JUnit have no advisories: their consumers act on every result, and a model's opinion is not a finding.

func threatWords(t result.Threat) string {
	switch t {
	case result.SubtlePoisoning:
		return "subtle poisoning"
	case result.UnsupportedBehaviour:
		return "behaviour that nothing supports"
	case result.Persuasion:
		return "persuasion"
	}
	return string(t)
}

func advisoryCounts(a *result.Advisory) string {
	s := fmt.Sprintf("%s, %s judged", countNoun(len(a.Findings), "opinion"), countNoun(a.Judged, "definition"))
	if a.Dropped > 0 {
		s += fmt.Sprintf(", %s dropped since the definition does not hold the quoted words or the form is wrong", countNoun(a.Dropped, "statement"))
	}
	if n := len(a.Labels); n > 0 {
		s += ", " + countNoun(n, "inferred label")
	}
	if n := len(a.Unjudged); n > 0 {
		s += fmt.Sprintf(", %s not judged", groupDigits(n))
	}
	return s
}

func escalation(f *result.AdvisoryFinding) string {
	if f.Escalate {
		return f.Confidence + " confidence, for a person to look at"
	}
	return f.Confidence + " confidence"
}

func advisorySections(r *result.Report) (out []section) {
	for i := range r.Advisory {
		a := &r.Advisory[i]
		s := section{ID: fmt.Sprintf("advisory-%d", i+1), Title: "Advisory", Brief: "Opinion", BriefRows: true, Remark: "a model's opinion, which moves no exit code", Noun: "opinion"}
		s.Intro = []string{"the opinion of " + a.Model + ": " + advisoryCounts(a)}
		rows := make([]row, 0, len(a.Findings)+len(a.Labels)+len(a.Unjudged))
		for j := range a.Findings {
			rows = append(rows, opinionRow(&a.Findings[j]))
		}
		for _, l := range a.Labels {
			rows = append(rows, row{Title: "inferred: " + strings.TrimPrefix(l.Server+"/"+l.Tool, "/") + " has " + l.Tag})
		}
		for j := range a.Unjudged {
			rows = append(rows, row{Title: "not judged: " + itemTitle(&a.Unjudged[j].Location), Text: a.Unjudged[j].Reason})
		}
		out = append(out, listRows(s, rows))
	}
	return out
}

func opinionRow(f *result.AdvisoryFinding) row {
	one := row{Title: threatWords(f.Threat), Where: strings.TrimSpace(itemTitle(&f.Location) + "  " + describeLocation(&f.Location, false)), Text: f.Rationale}
	one.add("quote", f.Quote)
	one.add("sure", escalation(f))
	return one
}
