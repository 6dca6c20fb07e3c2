package report

import (
	"bufio"
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gauntlet/result"
)

// A redTeamCell is the result of one model in one scenario.
type redTeamCell struct{ ID, Class, Words string }

// A redTeamRow is one scenario with a cell per model; an empty cell was not run.
type redTeamRow struct {
	Name, Technique, Placement string
	Cells                      []redTeamCell
}

// A redTeamDetail describes the runs of one scenario with one model.
type redTeamDetail struct {
	redTeamCell
	Title, Model string
	Lines        []labelledLine
}

// writeRedTeamHTML writes a page in the style of a report. Its verdict is not coloured: no model passes or fails.
func writeRedTeamHTML(w *bufio.Writer, r *result.RedTeam, _ Options) error {
	title := "Red team: " + redTeamSum(r)
	writeHTMLHead(w, "gauntlet: "+title)
	nav := []navLink{{"models", "Models"}, {"matrix", "Attacks by model"}, {"technique", "By technique"}, {"placement", "By placement"}, {"runs", "Runs"}}
	if err := htmlPage().ExecuteTemplate(w, "verdict", map[string]any{
		"Title": "Red team", "Class": "", "Verdict": redTeamSum(r), "Exit": r.About, "Counts": nil, "Missing": redTeamMissing(r), "Complete": len(r.Undone) == 0,
		"Read": fmt.Sprintf("Each attack was played %s to each model. %s", countNoun(r.Runs, "time"), intervalsTold), "Nav": nav,
	}); err != nil {
		return err
	}
	_, _ = w.WriteString("<main id=\"main\">\n")
	rows, details := redTeamMatrix(r)
	for _, part := range []struct {
		template string
		data     any
	}{
		{"table", redTeamModels(r)},
		{"redteam", map[string]any{"Models": redTeamModelNames(r), "Rows": rows}},
		{"table", redTeamGroups(r, "technique", "By technique", func(m *result.RedTeamModel) []result.RedTeamGroup { return m.ByTechnique })},
		{"table", redTeamGroups(r, "placement", "By placement", func(m *result.RedTeamModel) []result.RedTeamGroup { return m.ByPlacement })},
		{"redteamruns", details},
	} {
		if err := htmlPage().ExecuteTemplate(w, part.template, part.data); err != nil {
			return err
		}
	}
	writeHTMLEnd(w, strings.TrimSpace(cmp.Or(r.Tool.Name, "gauntlet")+" "+r.Tool.Version), false)
	return nil
}

// redTeamSum says in one line what was run.
func redTeamSum(r *result.RedTeam) string {
	scenarios := 0
	for i := range r.Models {
		scenarios = max(scenarios, len(r.Models[i].Scenarios))
	}
	return countNoun(scenarios, "attack") + ", " + countNoun(len(r.Models), "model")
}

func redTeamModelNames(r *result.RedTeam) (out []string) {
	for i := range r.Models {
		out = append(out, r.Models[i].Model)
	}
	return out
}

// redTeamMissing counts the inconclusive runs of each model and gives the reason for the first.
func redTeamMissing(r *result.RedTeam) []string {
	out := slices.Clone(r.Undone)
	for i := range r.Models {
		m := &r.Models[i]
		at := slices.IndexFunc(m.Scenarios, func(s result.RedTeamScenario) bool { return s.Inconclusive > 0 })
		if m.Inconclusive == 0 || at < 0 {
			continue
		}
		s := &m.Scenarios[at]
		out = append(out, fmt.Sprintf("%s: %s inconclusive, the first of %s: %s", m.Model, countNoun(m.Inconclusive, "run"), s.ID, reasonOf(s)))
	}
	return out
}

func redTeamModels(r *result.RedTeam) section {
	s := section{ID: "models", Title: "Models", Head: []string{"Model", "Attack succeeded", "Inconclusive", "Not played", "Task done, attacked", "Task done, not attacked", "Exploited in control runs", "Calls", "Tokens in", "Tokens out", "Cost"}}
	for i := range r.Models {
		m := &r.Models[i]
		cost := "not known"
		if m.Spent.Priced {
			cost = fmt.Sprintf("%.2f USD", m.Spent.Cost)
		}
		s.Rows = append(s.Rows, []string{
			m.Model, attackWords(&m.RedTeamTally), groupDigits(m.Inconclusive), groupDigits(m.Unplayed), doneWords(m.WithAttack), doneWords(m.WithoutAttack), groupDigits(m.ControlExploited),
			fmt.Sprintf("%s, and %s from the cache", groupDigits(m.Spent.Calls), groupDigits(m.Spent.Cached)), groupDigits(m.Spent.Tokens.Input), groupDigits(m.Spent.Tokens.Output), cost,
		})
	}
	return s
}

func attackWords(t *result.RedTeamTally) string {
	return rateWords(t.Exploited, t.Exploited+t.Resisted, t.Attack)
}

func doneWords(d result.RedTeamDone) string { return rateWords(d.Done, d.Of, d.Interval) }

// redTeamGroups returns a table of scenario groups by model.
func redTeamGroups(r *result.RedTeam, id, title string, of func(*result.RedTeamModel) []result.RedTeamGroup) section {
	s := section{ID: id, Title: title, Head: append([]string{"Attacks"}, redTeamModelNames(r)...)}
	at := map[string]int{}
	for i := range r.Models {
		for _, g := range of(&r.Models[i]) {
			row, ok := at[g.Name]
			if !ok {
				row = len(s.Rows)
				at[g.Name] = row
				s.Rows = append(s.Rows, append([]string{g.Name}, make([]string, len(r.Models))...))
			}
			s.Rows[row][i+1] = attackWords(&g.RedTeamTally)
		}
	}
	return s
}

// redTeamMatrix returns the table of scenarios by model and the details that its cells link to.
func redTeamMatrix(r *result.RedTeam) (rows []*redTeamRow, details []redTeamDetail) {
	at := map[string]*redTeamRow{}
	for i := range r.Models {
		for n := range r.Models[i].Scenarios {
			s := &r.Models[i].Scenarios[n]
			row := at[s.ID]
			if row == nil {
				row = &redTeamRow{Name: cmp.Or(s.Name, s.ID), Technique: s.Technique, Placement: s.Placement, Cells: make([]redTeamCell, len(r.Models))}
				at[s.ID], rows = row, append(rows, row)
			}
			cell := redTeamCell{fmt.Sprintf("run-%d-%d", i+1, n+1), scenarioClass(s), scenarioWords(s)}
			row.Cells[i] = cell
			details = append(details, redTeamDetail{cell, row.Name, r.Models[i].Model, scenarioLines(s)})
		}
	}
	return rows, details
}

func scenarioClass(s *result.RedTeamScenario) string {
	switch {
	case s.Exploited > 0:
		return "high"
	case s.Resisted > 0:
		return "good"
	}
	return "medium"
}

// scenarioWords is the text of a cell.
func scenarioWords(s *result.RedTeamScenario) string {
	text := "inconclusive"
	if s.Unplayed > 0 && s.Inconclusive == 0 {
		text = "not played"
	}
	if of := s.Exploited + s.Resisted; of > 0 {
		text = fmt.Sprintf("exploited %d of %d", s.Exploited, of)
	}
	if s.WithAttack.Of > 0 {
		text += fmt.Sprintf(", task done %d of %d", s.WithAttack.Done, s.WithAttack.Of)
	}
	return text
}

// scenarioLines describes the outcome of every run.
func scenarioLines(s *result.RedTeamScenario) (out []labelledLine) {
	add := func(label, text string) { out = append(out, labelledLine{label, text}) }
	add("Scenario", s.ID)
	add("Technique", s.Technique)
	add("Placement", s.Placement)
	add("Attack succeeded", attackWords(&s.RedTeamTally))
	add("Task done, attacked", doneWords(s.WithAttack))
	if s.NoControl {
		add("Control", "none: without the attack nothing harmless is left")
	} else {
		add("Task done, control", doneWords(s.WithoutAttack))
	}
	for i := range s.Outcomes {
		o := &s.Outcomes[i]
		label := fmt.Sprintf("Run %d", o.Run)
		if o.Control {
			label += ", control"
		}
		add(label, runWords(o))
	}
	return out
}

func runWords(o *result.RedTeamRun) string {
	parts := []string{cmp.Or(string(o.Outcome), "nothing exploited")}
	if len(o.Messages) > 0 {
		numbers := make([]string, len(o.Messages))
		for i, n := range o.Messages {
			numbers[i] = strconv.Itoa(n)
		}
		parts = append(parts, "proven by messages "+strings.Join(numbers, ", "))
	}
	if o.Reason != "" {
		parts = append(parts, o.Reason)
	}
	if o.TaskDone != nil {
		parts = append(parts, map[bool]string{true: "the task was done", false: "the task was not done"}[*o.TaskDone])
	}
	if o.Trace != "" {
		parts = append(parts, "recorded in "+o.Trace)
	}
	return strings.Join(parts, "; ")
}

// reasonOf explains the first inconclusive run of a scenario.
func reasonOf(s *result.RedTeamScenario) string {
	i := slices.IndexFunc(s.Outcomes, func(o result.RedTeamRun) bool { return !o.Control && o.Outcome == result.RedTeamInconclusive })
	if i < 0 {
		return "no reason given"
	}
	return s.Outcomes[i].Reason
}
