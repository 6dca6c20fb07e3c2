package surface

import (
	"fmt"
	"slices"

	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/internal/leaf/clause"
)

// reporting returns a check that reports directives of the given kinds.
func reporting(kinds ...clause.Kind) func(*check.Item) {
	return func(it *check.Item) { reportDirectives(it, kinds...) }
}

func reportDirectives(it *check.Item, kinds ...clause.Kind) {
	for i := range it.Fields {
		f := &it.Fields[i]
		for _, d := range f.Text.Directives {
			if slices.Contains(kinds, d.Kind) {
				r := check.Report{Field: f, Start: d.Start, End: d.End, Normalized: d.Read, Message: where(f) + " " + d.Says, Severity: severityOf(&d), Suspicion: d.Suspicion}
				if d.Suspicion {
					r.Message += fmt.Sprintf(" (score %.1f)", float64(d.Score)/100)
				}
				it.Report(r)
			}
		}
	}
}

// severityOf returns the severity of a directive, None for the check's default.
func severityOf(d *clause.Directive) finding.Severity {
	switch {
	case d.Hidden && d.Kind == clause.Leak && !d.Suspicion:
		return finding.Critical // an exfiltration order is never hidden by accident
	case !d.Sure:
		return finding.Medium
	}
	return finding.None
}

func where(f *check.Field) string {
	switch {
	case f.Sort == check.PropertyName:
		return "the name of a parameter"
	case f.IsKey:
		return "the name of a member"
	case f.Sort == check.SchemaDescription:
		return "a description in the schema"
	case f.Sort == check.SchemaValue:
		return "a value in the schema"
	case f.Sort == check.Instructions:
		return "the text of the instructions"
	case f.Sort == check.Annotation || f.Sort == check.Icon:
		return "an " + f.Sort.String()
	case f.Sort == check.Other || f.Sort == check.SchemaOther:
		return "a string of the definition"
	}
	return "the " + f.Sort.String()
}
