package report

import (
	"fmt"
	"strings"

	"gauntlet/result"
)

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

// advisorySections lists the opinions of each model.
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
