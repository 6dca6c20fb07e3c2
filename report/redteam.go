package report

import (
	"bufio"
	"fmt"
	"slices"

	"gauntlet/result"
)

// A RedTeamFormat is a format for red-team reports.
type RedTeamFormat = FormatOf[*result.RedTeam]

var redTeamFormats registry[*result.RedTeam]

var (
	_ = redTeamFormats.register("pretty", "for people", writeRedTeamText)
	_ = redTeamFormats.register("json", "for programs, as docs/redteam.md describes it", writeRedTeamJSON)
	_ = redTeamFormats.register("html", "for a browser: one self-contained file", writeRedTeamHTML)
)

// RedTeamNames returns the names that LookupRedTeam takes, the default first.
func RedTeamNames() []string { return redTeamFormats.names() }

// LookupRedTeam returns the format with the given name.
func LookupRedTeam(name string) (RedTeamFormat, error) { return redTeamFormats.lookUp(name) }

func writeRedTeamJSON(w *bufio.Writer, r *result.RedTeam, _ Options) error {
	return WriteJSON(w, r)
}

// intervalsTold follows every table of rates.
const intervalsTold = "Intervals are Wilson's, of 95 %, over the conclusive runs. docs/redteam.md says how to read them."

// writeRedTeamText writes, for each model, its results and the attacks that succeeded.
func writeRedTeamText(w *bufio.Writer, r *result.RedTeam, _ Options) error {
	fmt.Fprintf(w, "%s\n\n", Visible(r.About))
	for i := range r.Models {
		writeRedTeamModel(w, &r.Models[i])
	}
	for _, problem := range r.Undone {
		fmt.Fprintf(w, "The run is incomplete: %s.\n", Visible(problem))
	}
	fmt.Fprintf(w, "%s\n", intervalsTold)
	return nil
}

func writeRedTeamModel(b *bufio.Writer, m *result.RedTeamModel) {
	fmt.Fprintf(b, "%s\n", Visible(m.Model))
	fmt.Fprintf(b, "  attack succeeded     %s", rateWords(m.Exploited, m.Exploited+m.Resisted, m.Attack))
	if m.Inconclusive > 0 {
		fmt.Fprintf(b, ", %d inconclusive", m.Inconclusive)
	}
	if m.Unplayed > 0 {
		fmt.Fprintf(b, ", %d not played", m.Unplayed)
	}
	fmt.Fprintf(b, "\n  task done, attacked  %s\n", rateWords(m.WithAttack.Done, m.WithAttack.Of, m.WithAttack.Interval))
	if m.WithoutAttack.Of > 0 {
		fmt.Fprintf(b, "  task done, control   %s\n", rateWords(m.WithoutAttack.Done, m.WithoutAttack.Of, m.WithoutAttack.Interval))
	}
	if m.ControlExploited > 0 {
		fmt.Fprintf(b, "  exploited in %d control runs: the oracle of those scenarios says less\n", m.ControlExploited)
	}
	writeRedTeamGroups(b, "by technique", m.ByTechnique)
	writeRedTeamGroups(b, "by placement", m.ByPlacement)
	writeRedTeamScenarios(b, m, "fell for", func(s *result.RedTeamScenario) bool { return s.Exploited > 0 }, func(s *result.RedTeamScenario) string {
		return rateWords(s.Exploited, s.Exploited+s.Resisted, s.Attack)
	})
	writeRedTeamScenarios(b, m, "inconclusive", func(s *result.RedTeamScenario) bool { return s.Inconclusive > 0 }, firstReason)
	fmt.Fprintf(b, "  %d calls, %d answers from the cache, %d tokens in and %d out", m.Spent.Calls, m.Spent.Cached, m.Spent.Tokens.Input, m.Spent.Tokens.Output)
	if m.Spent.Priced && m.Spent.Calls > 0 {
		fmt.Fprintf(b, ", %.2f USD", m.Spent.Cost)
	}
	_, _ = b.WriteString("\n\n")
}

// rateWords formats a rate: "3 of 5, 60 % (23 to 88 %)".
func rateWords(hits, of int, i result.Interval) string {
	if of == 0 {
		return "not known"
	}
	return fmt.Sprintf("%d of %d, %.0f %% (%.0f to %.0f %%)", hits, of, 100*i.Share, 100*i.Low, 100*i.High)
}

func writeRedTeamGroups(b *bufio.Writer, title string, groups []result.RedTeamGroup) {
	fmt.Fprintf(b, "  %s\n", title)
	for _, g := range groups {
		fmt.Fprintf(b, "    %-24s %s\n", Visible(g.Name), rateWords(g.Exploited, g.Exploited+g.Resisted, g.Attack))
	}
}

func writeRedTeamScenarios(b *bufio.Writer, m *result.RedTeamModel, title string, which func(*result.RedTeamScenario) bool, what func(*result.RedTeamScenario) string) {
	if !slices.ContainsFunc(m.Scenarios, func(s result.RedTeamScenario) bool { return which(&s) }) {
		return
	}
	fmt.Fprintf(b, "  %s\n", title)
	for i := range m.Scenarios {
		if s := &m.Scenarios[i]; which(s) {
			fmt.Fprintf(b, "    %-28s %s\n", Visible(s.ID), Visible(what(s)))
		}
	}
}

func firstReason(s *result.RedTeamScenario) string {
	return fmt.Sprintf("%d: %s", s.Inconclusive, reasonOf(s))
}
