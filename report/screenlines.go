package report

import (
	"cmp"
	"slices"

	"gauntlet/finding"
	"gauntlet/result"
)

// attackLines shows a single run in full, and several as a table, the worst first.
func (p *page) attackLines(r *result.Report, height int) {
	if len(r.Attacks) < 2 {
		s := attackSection(r)
		s.Title = ""
		p.writeSection(s)
		return
	}
	sorted := slices.Clone(r.Attacks)
	slices.SortStableFunc(sorted, func(a, b result.AttackRun) int { return cmp.Compare(outcomeRank(&a), outcomeRank(&b)) })
	most := 0
	if height > 0 {
		most = max(height-8, leastRows)
	}
	p.attackTable(sorted, most)
}

// attackTable writes a line for each of at most most runs, 0 for all.
func (p *page) attackTable(runs []result.AttackRun, most int) {
	t := table{Least: []int{len("partly exploited"), 20, 20}, Most: most, Rest: "-v lists them"}
	for i := range runs {
		a := &runs[i]
		t.Rows = append(t.Rows, []cell{{{Class: string(attackTone(a)), Text: outcomeWords(outcomeOf(a))}}, {{Text: attackTitle(a)}}, {{Class: "soft", Text: outcomeReason(a)}}})
	}
	p.writeIndented(0, p.bold("Attacks"))
	p.writeTable(2, t)
	p.writeBlank()
}

// outcomeRank orders runs by importance.
func outcomeRank(a *result.AttackRun) int {
	return slices.IndexFunc(outcomes, func(k outcomeName) bool { return k.outcome == outcomeOf(a) })
}

// attackSum is the last line of a report that has only attacks.
func (p *page) attackSum(r *result.Report) {
	text := p.bold(attackCounts(r.Attacks)) + "."
	if !complete(r) {
		text += p.colourSeverity(finding.High, " The run is "+incompleteWords(r)+".")
	}
	p.writeIndented(0, text)
}
