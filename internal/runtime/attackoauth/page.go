package attackoauth

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"gauntlet/report"
)

// Write writes outcomes as "json", as "html" or as text, successful attacks first.
func Write(w io.Writer, outcomes []*Outcome, format string, looks report.Options) error {
	t := report.Table{ID: "attacks", Title: "Attacks on the login", Head: []string{"Outcome", "Attack", "Why"}}
	p := &report.Page{Title: "How the client logs in", Class: "ok", Read: "First nobody attacked, and the client logged in."}
	fell, untried := 0, 0
	for _, o := range slices.SortedStableFunc(slices.Values(outcomes), func(a, b *Outcome) int { return strings.Compare(a.State(), b.State()) }) {
		t.Rows = append(t.Rows, []string{o.State(), o.Attack, o.Reason()})
		switch {
		case o.Fell:
			p.Class = "bad"
			fell++
		case o.Untried != "":
			untried++
			p.Missing = append(p.Missing, o.Attack+": "+o.Untried)
		}
	}
	if p.Class == "ok" && p.Missing != nil {
		p.Class = "open"
	}
	p.Verdict = fmt.Sprintf("The client fell for %d of %d that were played", fell, len(outcomes)-untried)
	p.Tables = []report.Table{t}
	return p.Write(w, format, outcomes, looks)
}
