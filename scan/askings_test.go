package scan_test

import (
	"strings"
	"testing"

	"gauntlet/catalog"
	"gauntlet/check"
	"gauntlet/finding"
	"gauntlet/result"
	"gauntlet/scan"
)

// Other askings are compared and judged like the rest: what one of them lacks is a problem of
// the scan, and findings have their place in the catalog.
func TestAskings(t *testing.T) {
	c := read(t, "../examples/honest.json")
	asking := func(text string) check.Asking {
		held, err := catalog.Parse("again", text, catalog.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		return check.Asking{Of: c.Servers[0], Catalog: held, As: "another"}
	}
	opt := func(a ...check.Asking) scan.Options { return scan.Options{Askings: a} }
	r := scan.Run(c, opt(asking(c.Documents[0].Text)))
	for _, f := range r.Findings {
		if f.Rule == "GNT-001" || f.Rule == "GNT-002" {
			t.Errorf("the same twice: %s", f.Message)
		}
	}
	if !r.Complete() || ran(r.Coverage.Checks) != "ran ran" {
		t.Errorf("complete %v, the checks %s", r.Complete(), ran(r.Coverage.Checks))
	}
	r = scan.Run(c, opt(asking(`{"tools":[{"name":"only one"}],"capture_errors":{"prompts/list":"died"}}`)))
	n := 0
	for _, f := range r.Findings {
		if f.Rule != "GNT-001" {
			continue
		}
		n++
		if f.Location.File != "../examples/honest.json" || f.Location.Server == "" || f.Location.Line == 0 {
			t.Errorf("%s stands at %+v", f.Message, f.Location)
		}
		for _, l := range f.Related {
			if l.File != "again" || l.Line != 1 {
				t.Errorf("%s is related to %+v", f.Message, l)
			}
		}
	}
	// What is missing where the reading broke off says nothing; the new tool does.
	if n != 1 {
		t.Errorf("%d findings, want 1", n)
	}
	if len(r.Problems) != 1 || !strings.HasPrefix(r.Problems[0].Message, `asked as "another": prompts/list could not be captured`) || r.Problems[0].Kind != finding.Unread {
		t.Errorf("problems %+v", r.Problems)
	}
	if r := scan.Run(c, scan.Options{}); ran(r.Coverage.Checks) != "skipped skipped" {
		t.Errorf("without askings: %s", ran(r.Coverage.Checks))
	}
}

func ran(checks []result.CheckCoverage) string {
	var states []string
	for _, c := range checks {
		if c.Rule == "GNT-001" || c.Rule == "GNT-002" {
			states = append(states, c.State)
		}
	}
	return strings.Join(states, " ")
}
