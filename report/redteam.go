package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gauntlet/internal/leaf/excerpt"
	"gauntlet/result"
)

var _ = documentFormats(&redTeamFormats, "docs/redteam.md describes it", redTeamDocument)

// intervalsTold follows every table of rates.
const intervalsTold = "Intervals are Wilson's, of 95 %, over the conclusive runs. docs/redteam.md says how to read them."

// redTeamDocument describes a report. Its verdict is not coloured: no model passes or fails.
func redTeamDocument(r *result.RedTeam) *document {
	return &document{
		Page: Page{
			Title: "Red team", Verdict: redTeamSum(r), Missing: redTeamMissing(r),
			Read: fmt.Sprintf("Each attack was played %s to each model. %s", countNoun(r.Runs, "time"), intervalsTold),
		},
		Exit: r.About, Complete: len(r.Undone) == 0, title: "gauntlet: Red team: " + redTeamSum(r), tool: r.Tool,
		sections: append([]section{redTeamMatrix(r)}, redTeamSections(r)...),
	}
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

// redTeamSections describes the models, then the groups of attacks by model, then the runs.
func redTeamSections(r *result.RedTeam) []section {
	models := withRows(section{ID: "models", Title: "Models"}, r.Models, modelRow)
	var runs []row
	resisted := map[int]bool{}
	for i := range r.Models {
		for n := range r.Models[i].Scenarios {
			s := &r.Models[i].Scenarios[n]
			resisted[len(runs)] = s.Exploited == 0 && s.Inconclusive == 0
			runs = append(runs, row{ID: scenarioID(i, n), Tone: scenarioTone(s), Badge: scenarioBadges[scenarioTone(s)], Title: cmp.Or(s.Name, s.ID), Where: r.Models[i].Model, Text: scenarioWords(s), Fields: scenarioFields(s)})
		}
	}
	all := withRows(section{ID: "runs", Title: "Runs"}, runs, func(r *row) row { return *r })
	all.quiet = func(i int) bool { return resisted[i] }
	return []section{
		models,
		redTeamGroups(r, "By technique", func(m *result.RedTeamModel) []result.RedTeamGroup { return m.ByTechnique }),
		redTeamGroups(r, "By placement", func(m *result.RedTeamModel) []result.RedTeamGroup { return m.ByPlacement }),
		all,
	}
}

func modelRow(m *result.RedTeamModel) row {
	one := row{Title: m.Model, Open: true}
	rate := attackWords(&m.RedTeamTally)
	if m.Inconclusive > 0 {
		rate += ", " + groupDigits(m.Inconclusive) + " inconclusive"
	}
	if m.Unplayed > 0 {
		rate += ", " + groupDigits(m.Unplayed) + " not played"
	}
	one.add("attack succeeded", rate)
	one.add("task done, attacked", doneWords(m.WithAttack))
	one.add("task done, control", doneWords(m.WithoutAttack))
	if m.ControlExploited > 0 {
		one.add("exploited", countNoun(m.ControlExploited, "control run")+": the oracle of those scenarios says less")
	}
	spent := fmt.Sprintf("%s, %s from the cache, %s tokens in and %s out", countNoun(m.Spent.Calls, "call"), countNoun(m.Spent.Cached, "answer"), groupDigits(m.Spent.Tokens.Input), groupDigits(m.Spent.Tokens.Output))
	if m.Spent.Priced && m.Spent.Calls > 0 {
		spent += fmt.Sprintf(", %.2f USD", m.Spent.Cost)
	}
	one.addAside("spent", spent)
	return one
}

// redTeamGroups has a row for each group of attacks and model.
func redTeamGroups(r *result.RedTeam, title string, of func(*result.RedTeamModel) []result.RedTeamGroup) section {
	var rows []row
	for i := range r.Models {
		for _, g := range of(&r.Models[i]) {
			rows = append(rows, row{Group: r.Models[i].Model, Title: g.Name, Text: attackWords(&g.RedTeamTally)})
		}
	}
	s := section{ID: strings.ReplaceAll(strings.ToLower(title), " ", "-"), Title: title, Lines: true, Heads: []string{"", "Attacks"}}
	return listRows(s, rows)
}

func scenarioID(model, scenario int) string { return fmt.Sprintf("run-%d-%d", model+1, scenario+1) }

func attackWords(t *result.RedTeamTally) string {
	return rateWords(t.Exploited, t.Exploited+t.Resisted)
}

func doneWords(d result.RedTeamDone) string { return rateWords(d.Done, d.Of) }

// rateWords formats a rate: "3 of 5, 60 % (23 to 88 %)".
func rateWords(hits, of int) string {
	if of == 0 {
		return "not known"
	}
	i := result.Wilson(hits, of)
	return fmt.Sprintf("%d of %d, %.0f %% (%.0f to %.0f %%)", hits, of, 100*i.Share, 100*i.Low, 100*i.High)
}

// redTeamMatrix is the table of scenarios by model, with links to the runs.
func redTeamMatrix(r *result.RedTeam) section {
	s := section{ID: "matrix", Title: "Attacks by model", Lines: true, Aligned: &aligned{}, Heads: []string{"", "Attack", "Technique", "Placement"}, None: "not played"}
	var rows []row
	for i := range r.Models {
		model := r.Models[i].Model
		s.Heads = append(s.Heads, model)
		for n := range r.Models[i].Scenarios {
			of := &r.Models[i].Scenarios[n]
			one := rowOf(&rows, cmp.Or(of.Name, of.ID))
			if one.Fields == nil {
				one.add("Technique", of.Technique)
				one.add("Placement", of.Placement)
			}
			one.Fields = append(one.Fields, field{Label: model, Text: scenarioWords(of), Tone: scenarioTone(of), Link: "#" + scenarioID(i, n)})
		}
	}
	return listRows(s, rows)
}

var scenarioBadges = map[tone]string{"high": "exploited", toneGood: "resisted", "medium": "inconclusive"}

func scenarioTone(s *result.RedTeamScenario) tone {
	switch {
	case s.Exploited > 0:
		return "high"
	case s.Resisted > 0:
		return "good"
	}
	return "medium"
}

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
		parts = append(parts, "proven by messages "+excerpt.Numbers(o.Messages))
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
