package runstate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gauntlet/finding"
	"gauntlet/internal/leaf/excerpt"
	"gauntlet/report"
)

// A Result is an intermediate result: a finding, or an attack's outcome. The final report may differ: it compares servers, and
// applies acceptances.
type Result struct {
	ID    string `json:"id,omitempty"` // identifies the same result again; or ""
	Word  string `json:"word"`         // severity or outcome
	What  string `json:"what"`         // rule or attack
	Where string `json:"where,omitempty"`
	Says  string `json:"says,omitempty"`
}

const maxResults = 2_000

// OfFinding returns a finding's Result. The finding must be redacted.
func OfFinding(f *finding.Finding) Result {
	return Result{ID: f.Fingerprint, Word: f.Severity.String(), What: string(f.Rule) + " " + f.Name, Where: strings.Join(strings.Fields(f.Location.Server+" "+string(f.Location.Kind)+" "+f.Location.Item), " "), Says: f.Message}
}

func (r *Result) clip() {
	for _, text := range []*string{&r.ID, &r.Word, &r.What, &r.Where, &r.Says} {
		*text = clip(*text)
	}
}

func clip(text string) string { return excerpt.Clip(text, maxStep) }

// worstFirst lists the words that a page shows first, in order.
var worstFirst = []string{finding.Critical.String(), "exploited", finding.High.String(), "partial", finding.Medium.String(), finding.Low.String(), finding.Info.String()}

func rankOf(r Result) int {
	if i := slices.Index(worstFirst, r.Word); i >= 0 {
		return i
	}
	return len(worstFirst)
}

// resultTable shows the results so far, worst first.
func (s *State) resultTable() report.Table {
	t := report.Table{ID: "results", Title: fmt.Sprintf("So far: %d", len(s.Results)+s.More), Head: []string{"Result", "What", "Where", "Says"},
		Intro: "Results so far. The final report may differ: it also compares servers and sets aside what was accepted."}
	if s.More > 0 {
		t.Intro += fmt.Sprintf(" %d are not listed here.", s.More)
	}
	sorted := slices.SortedStableFunc(slices.Values(s.Results), func(a, b Result) int { return cmp.Compare(rankOf(a), rankOf(b)) })
	for _, r := range sorted {
		t.Rows = append(t.Rows, []string{r.Word, r.What, r.Where, r.Says})
	}
	return t
}
