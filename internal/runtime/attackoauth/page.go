package attackoauth

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"gauntlet/report"
)

// Write writes outcomes as "json", as "html", or one line each.
func Write(w io.Writer, outcomes []*Outcome, format string) error {
	switch format {
	case "json":
		return report.WriteJSON(w, outcomes)
	case "html":
		return writePage(w, outcomes)
	}
	for _, o := range outcomes {
		if _, err := fmt.Fprintf(w, "%-9s %-28s %s\n", o.State(), o.Attack, report.Visible(o.Reason())); err != nil {
			return err
		}
	}
	return nil
}

// writePage writes the outcomes as HTML, successful attacks first.
func writePage(w io.Writer, outcomes []*Outcome) error {
	t := report.Table{ID: "attacks", Title: "Attacks on the login", Head: []string{"Attack", "Outcome", "Why"}}
	p := &report.TablePage{Title: "How the client logs in", Class: "ok", Read: "First nobody attacked, and the client logged in."}
	fell, untried := 0, 0
	for _, o := range slices.SortedStableFunc(slices.Values(outcomes), func(a, b *Outcome) int { return strings.Compare(a.State(), b.State()) }) {
		t.Rows = append(t.Rows, []string{o.Attack, o.State(), o.Reason()})
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
	return report.WriteTables(w, p)
}
