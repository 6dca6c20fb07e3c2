package runstate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gauntlet/finding"
	"gauntlet/report"
)

// A Result is what came out while the run goes on: a finding, or what became of an attack. What the run
// reports at its end may differ: it compares servers, and sets aside what was accepted.
type Result struct {
	ID    string `json:"id,omitempty"` // by which the same result is known again; "" for none
	Word  string `json:"word"`         // the severity or the outcome
	What  string `json:"what"`         // the rule, or the attack
	Where string `json:"where,omitempty"`
	Says  string `json:"says,omitempty"`
}

// maxResults is how many results a record lists.
const maxResults = 2_000

// OfFinding is the result that a finding is. The finding has been redacted.
func OfFinding(f *finding.Finding) Result {
	return Result{ID: f.Fingerprint, Word: f.Severity.String(), What: string(f.Rule) + " " + f.Name, Where: placeOf(f.Location), Says: f.Message}
}

func placeOf(l finding.Location) string {
	var parts []string
	for _, part := range []string{l.Server, string(l.Kind), l.Item} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, " ")
}

// clip shortens each text.
func (r *Result) clip() {
	for _, text := range []*string{&r.ID, &r.Word, &r.What, &r.Where, &r.Says} {
		*text = clip(*text)
	}
}

// clip shortens a text to what is kept of it.
func clip(text string) string {
	if len(text) > maxStep {
		return strings.ToValidUTF8(text[:maxStep], "") + "…"
	}
	return text
}

// worstFirst are the words that a page shows before all others, in this order.
var worstFirst = []string{finding.Critical.String(), "exploited", finding.High.String(), "partial", finding.Medium.String(), finding.Low.String(), finding.Info.String()}

func rankOf(r Result) int {
	if i := slices.Index(worstFirst, r.Word); i >= 0 {
		return i
	}
	return len(worstFirst)
}

// resultTable shows what has come out so far, the worst first.
func (s *State) resultTable() report.Table {
	t := report.Table{ID: "results", Title: fmt.Sprintf("So far: %d", len(s.Results)+s.More), Head: []string{"Result", "What", "Where", "Says"},
		Intro: "What has come out while the run goes on. Its report may differ: it also compares servers and sets aside what was accepted."}
	if s.More > 0 {
		t.Intro += fmt.Sprintf(" %d are not listed here.", s.More)
	}
	sorted := slices.SortedStableFunc(slices.Values(s.Results), func(a, b Result) int { return cmp.Compare(rankOf(a), rankOf(b)) })
	for _, r := range sorted {
		t.Rows = append(t.Rows, []string{r.Word, r.What, r.Where, r.Says})
	}
	return t
}
