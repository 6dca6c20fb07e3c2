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

// writeRedTeamHTML writes a page in the style of a report. Its verdict is not coloured: no model passes or fails.
func writeRedTeamHTML(w *bufio.Writer, r *result.RedTeam, _ Options) error {
	matrix, runs := redTeamMatrix(r)
	return writeHTMLPage(w, &htmlHead{
		Title: "Red team", Verdict: redTeamSum(r), Exit: r.About, Missing: redTeamMissing(r), Complete: len(r.Undone) == 0,
		Read:  fmt.Sprintf("Each attack was played %s to each model. %s", countNoun(r.Runs, "time"), intervalsTold),
		title: "gauntlet: Red team: " + redTeamSum(r), tool: r.Tool,
	}, []htmlPart{
		redTeamModels(r).part(), matrix.part(),
		redTeamGroups(r, "technique", "By technique", func(m *result.RedTeamModel) []result.RedTeamGroup { return m.ByTechnique }).part(),
		redTeamGroups(r, "placement", "By placement", func(m *result.RedTeamModel) []result.RedTeamGroup { return m.ByPlacement }).part(),
		runs.part(),
	})
}

// redTeamSum says in one line what was run.
func redTeamSum(r *result.RedTeam) string {
	scenarios := 0
	for i := range r.Models {
		scenarios = max(scenarios, len(r.Models[i].Scenarios))
	}
	return countNoun(scenarios, "attack") + ", " + countNoun(len(r.Models), "model")
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

func redTeamModels(r *result.RedTeam) htmlTable {
	t := htmlTable{ID: "models", Title: "Models", Head: []string{"Model", "Attack succeeded", "Inconclusive", "Not played", "Task done, attacked", "Task done, not attacked", "Exploited in control runs", "Calls", "Tokens in", "Tokens out", "Cost"}}
	for i := range r.Models {
		m := &r.Models[i]
		cost := "not known"
		if m.Spent.Priced {
			cost = fmt.Sprintf("%.2f USD", m.Spent.Cost)
		}
		t.addRow(m.Model, attackWords(&m.RedTeamTally), groupDigits(m.Inconclusive), groupDigits(m.Unplayed), doneWords(m.WithAttack), doneWords(m.WithoutAttack), groupDigits(m.ControlExploited),
			fmt.Sprintf("%s, and %s from the cache", groupDigits(m.Spent.Calls), groupDigits(m.Spent.Cached)), groupDigits(m.Spent.Tokens.Input), groupDigits(m.Spent.Tokens.Output), cost)
	}
	return t
}

func attackWords(t *result.RedTeamTally) string {
	return rateWords(t.Exploited, t.Exploited+t.Resisted, t.Attack)
}

func doneWords(d result.RedTeamDone) string { return rateWords(d.Done, d.Of, d.Interval) }

// redTeamGroups returns a table of scenario groups by model.
func redTeamGroups(r *result.RedTeam, id, title string, of func(*result.RedTeamModel) []result.RedTeamGroup) htmlTable {
	t := htmlTable{ID: id, Title: title, Head: []string{"Attacks"}}
	at := map[string]int{}
	for i := range r.Models {
		for _, g := range of(&r.Models[i]) {
			row, ok := at[g.Name]
			if !ok {
				row = len(t.Rows)
				at[g.Name] = row
				t.addRow(g.Name)
			}
			t.addMark(row, r.Models[i].Model, htmlMark{Text: attackWords(&g.RedTeamTally)})
		}
	}
	return t
}

// redTeamMatrix returns the table of scenarios by model and the runs that its cells link to.
func redTeamMatrix(r *result.RedTeam) (htmlTable, section) {
	t := htmlTable{ID: "matrix", Title: "Attacks by model", Head: []string{"Attack", "Technique", "Placement"}, None: "not played"}
	at := map[string]int{}
	var runs []row
	for i := range r.Models {
		for n := range r.Models[i].Scenarios {
			s := &r.Models[i].Scenarios[n]
			name := cmp.Or(s.Name, s.ID)
			line, ok := at[s.ID]
			if !ok {
				line = len(t.Rows)
				at[s.ID] = line
				t.addRow(name, s.Technique, s.Placement)
			}
			id := fmt.Sprintf("run-%d-%d", i+1, n+1)
			t.addMark(line, r.Models[i].Model, htmlMark{string(scenarioTone(s)), "#" + id, scenarioWords(s)})
			runs = append(runs, row{ID: id, Tone: scenarioTone(s), Badge: scenarioWords(s), Title: name, Where: r.Models[i].Model, Fields: scenarioFields(s)})
		}
	}
	return t, withRows(section{ID: "runs", Title: "Runs"}, runs, func(r *row) row { return *r })
}

func scenarioTone(s *result.RedTeamScenario) tone {
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

// scenarioFields describes the outcome of every run.
func scenarioFields(s *result.RedTeamScenario) []field {
	var r row
	r.add("scenario", s.ID)
	r.add("technique", s.Technique)
	r.add("placement", s.Placement)
	r.add("attack succeeded", attackWords(&s.RedTeamTally))
	r.add("task done, attacked", doneWords(s.WithAttack))
	if s.NoControl {
		r.add("control", "none: without the attack nothing harmless is left")
	} else {
		r.add("task done, control", doneWords(s.WithoutAttack))
	}
	for i := range s.Outcomes {
		o := &s.Outcomes[i]
		label := fmt.Sprintf("run %d", o.Run)
		if o.Control {
			label += ", control"
		}
		r.add(label, runWords(o))
	}
	return r.Fields
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
