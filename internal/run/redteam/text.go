package redteam

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"gauntlet/report"
	"gauntlet/result"
)

// WriteText writes a report for a person: a table of the models, then of each what it fell for.
func (r *Report) WriteText(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n", r.About)
	for i := range r.Models {
		r.Models[i].writeText(&b)
	}
	b.WriteString("Intervals are Wilson's, of 95 %, over the conclusive runs. docs/redteam.md says how to read them.\n")
	_, err := io.WriteString(w, b.String())
	return err
}

func (m *ModelReport) writeText(b *strings.Builder) {
	fmt.Fprintf(b, "%s\n", report.Visible(m.Model))
	fmt.Fprintf(b, "  attack succeeded     %s", share(m.Exploited, m.Exploited+m.Resisted, m.Attack))
	if m.Inconclusive > 0 {
		fmt.Fprintf(b, ", %d inconclusive", m.Inconclusive)
	}
	fmt.Fprintf(b, "\n  task done, attacked  %s\n", share(m.WithAttack.Done, m.WithAttack.Of, m.WithAttack.Interval))
	if m.WithoutAttack.Of > 0 {
		fmt.Fprintf(b, "  task done, control   %s\n", share(m.WithoutAttack.Done, m.WithoutAttack.Of, m.WithoutAttack.Interval))
	}
	if m.ControlExploited > 0 {
		fmt.Fprintf(b, "  exploited in %d control runs: the oracle of those scenarios says less\n", m.ControlExploited)
	}
	writeGroups(b, "by technique", m.ByTechnique)
	writeGroups(b, "by placement", m.ByPlacement)
	m.writeScenarios(b, "fell for", func(s *ScenarioReport) bool { return s.Exploited > 0 }, func(s *ScenarioReport) string { return share(s.Exploited, s.Exploited+s.Resisted, s.Attack) })
	m.writeScenarios(b, "inconclusive", func(s *ScenarioReport) bool { return s.Inconclusive > 0 }, firstReason)
	fmt.Fprintf(b, "  %d calls, %d answers from the cache, %d tokens in and %d out", m.Spent.Calls, m.Spent.Cached, m.Spent.Usage.Input, m.Spent.Usage.Output)
	if m.Spent.Priced && m.Spent.Calls > 0 {
		fmt.Fprintf(b, ", %.2f USD", m.Spent.Cost)
	}
	b.WriteString("\n\n")
}

// share says a rate: "3 of 5, 60 % (23 to 88 %)".
func share(hits, of int, i result.Interval) string {
	if of == 0 {
		return "not known"
	}
	return fmt.Sprintf("%d of %d, %.0f %% (%.0f to %.0f %%)", hits, of, 100*i.Share, 100*i.Low, 100*i.High)
}

func writeGroups(b *strings.Builder, title string, groups []Group) {
	fmt.Fprintf(b, "  %s\n", title)
	for _, g := range groups {
		fmt.Fprintf(b, "    %-24s %s\n", report.Visible(g.Name), share(g.Exploited, g.Exploited+g.Resisted, g.Attack))
	}
}

func (m *ModelReport) writeScenarios(b *strings.Builder, title string, which func(*ScenarioReport) bool, what func(*ScenarioReport) string) {
	if !slices.ContainsFunc(m.Scenarios, func(s ScenarioReport) bool { return which(&s) }) {
		return
	}
	fmt.Fprintf(b, "  %s\n", title)
	for i := range m.Scenarios {
		if s := &m.Scenarios[i]; which(s) {
			fmt.Fprintf(b, "    %-28s %s\n", report.Visible(s.ID), report.Visible(what(s)))
		}
	}
}

func firstReason(s *ScenarioReport) string {
	for _, o := range s.Outcomes {
		if !o.Control && o.Outcome == Inconclusive {
			return fmt.Sprintf("%d: %s", s.Inconclusive, o.Reason)
		}
	}
	return ""
}
