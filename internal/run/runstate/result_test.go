package runstate

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"gauntlet/finding"
	"gauntlet/report"
)

// What came out is listed once each, the worst first, also after the record was begun anew.
func TestResultsOutliveTheStepsBeforeThem(t *testing.T) {
	file := filepath.Join(t.TempDir(), "run.json")
	r, err := Create(file, "scan", began())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	weak := OfFinding(&finding.Finding{Rule: "GNT-001", Name: "changed", Severity: finding.Low, Fingerprint: "a", Message: "it said something else"})
	bad := OfFinding(&finding.Finding{Rule: "SEC-001", Name: "poisoned", Severity: finding.High, Fingerprint: "b", Message: "<b>it gives orders</b>", Location: finding.Location{Server: "s", Kind: finding.Tool, Item: "add"}})
	r.Result(weak)
	r.Result(bad)
	r.Result(weak)
	for i := range maxLines {
		r.Step(fmt.Sprint("step ", i))
	}
	r.Result(Result{Word: "exploited", What: "an attack"})
	s := recordOf(t, file)
	if len(s.Results) != 3 || s.More != 0 || s.LeftOut+len(s.Steps) != maxLines {
		t.Fatalf("results %+v, %d more, %d steps left out and %d kept", s.Results, s.More, s.LeftOut, len(s.Steps))
	}
	if !strings.HasPrefix(s.now(), "Running; 3 results so far; step ") {
		t.Errorf("now %q", s.now())
	}
	table := s.resultTable()
	var order []string
	for _, row := range table.Rows {
		order = append(order, row[0])
	}
	if got := strings.Join(order, " "); got != "exploited high low" || table.Rows[1][2] != "s tool add" {
		t.Errorf("the table is %q", table.Rows)
	}
	var page strings.Builder
	if err := s.Page().Write(&page, "html", nil, report.Options{}); err != nil || strings.Contains(page.String(), "<b>it") || !strings.Contains(page.String(), "it gives orders") {
		t.Errorf("the page (%v) is %.2000s", err, page.String())
	}
}

// A judgement that changed takes the place of the earlier one.
func TestAResultIsToldAnew(t *testing.T) {
	file := filepath.Join(t.TempDir(), "run.json")
	r, err := Create(file, "probe", began())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	r.Result(Result{ID: "x", Word: "medium", What: "rule"})
	r.Result(Result{ID: "x", Word: "high", What: "rule"})
	if s := recordOf(t, file); len(s.Results) != 1 || s.Results[0].Word != "high" {
		t.Errorf("results %+v", s.Results)
	}
}

// Results that are too many are counted, and what is long is cut.
func TestResultsAreBounded(t *testing.T) {
	file := filepath.Join(t.TempDir(), "run.json")
	r, err := Create(file, "scan", began())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for i := range maxResults + 7 {
		r.Result(Result{ID: fmt.Sprint(i), Word: "low", What: strings.Repeat("é", maxStep)})
	}
	s := recordOf(t, file)
	if len(s.Results) != maxResults || s.More != 7 || len(s.Results[0].What) > maxStep+len("…") {
		t.Errorf("%d results and %d more, the first of %d bytes", len(s.Results), s.More, len(s.Results[0].What))
	}
	if title := s.resultTable().Title; title != fmt.Sprint("So far: ", maxResults+7) {
		t.Errorf("the table is called %q", title)
	}
}
