package redteam

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"gauntlet/internal/leaf/excerpt"
	"gauntlet/report"
	"gauntlet/result"
)

func newReport(opt Options, jobs []*job) *result.RedTeam {
	r := &result.RedTeam{SchemaVersion: result.RedTeamSchemaVersion, About: result.RedTeamAbout, Runs: opt.Runs}
	spent := map[string]result.RedTeamSpent{}
	for _, s := range opt.Models.Ledger.Spent() {
		spent[s.Model] = result.RedTeamSpent{Calls: s.Calls, Cached: s.Cached, Failed: s.Failed, Tokens: result.RedTeamTokens(s.Usage), Cost: s.Cost, Priced: s.Priced}
	}
	for _, c := range opt.Models.Clients {
		m := result.RedTeamModel{Model: c.Model(), Spent: spent[c.Model()], ByTechnique: []result.RedTeamGroup{}, ByPlacement: []result.RedTeamGroup{}}
		for i := range opt.Scenarios {
			s := &opt.Scenarios[i]
			one := result.RedTeamScenario{ID: s.ID, Name: s.Name, Technique: s.Technique, Placement: s.Placement, NoControl: s.NoControl, Outcomes: []result.RedTeamRun{}}
			for _, j := range jobs {
				if j.scenario == s && j.client == c {
					one.Outcomes = append(one.Outcomes, addRun(&one.RedTeamTally, j, opt.Traces != ""))
				}
			}
			join(&m.RedTeamTally, &one.RedTeamTally)
			join(group(&m.ByTechnique, s.Technique), &one.RedTeamTally)
			join(group(&m.ByPlacement, s.Placement), &one.RedTeamTally)
			settle(&one.RedTeamTally)
			m.Scenarios = append(m.Scenarios, one)
		}
		settle(&m.RedTeamTally)
		for _, groups := range [][]result.RedTeamGroup{m.ByTechnique, m.ByPlacement} {
			for i := range groups {
				settle(&groups[i].RedTeamTally)
			}
		}
		r.Models = append(r.Models, m)
	}
	r.Undone = undoneOf(r, jobs)
	return r
}

// undoneOf lists runs that were not played, and says that nothing is known if no run was conclusive.
func undoneOf(r *result.RedTeam, jobs []*job) []string {
	problems, conclusive := []string{}, 0
	for i := range r.Models {
		m := &r.Models[i]
		conclusive += m.Exploited + m.Resisted
		unplayed, reason := 0, ""
		for _, j := range jobs {
			if j.client.Model() == m.Model && j.played.Outcome == Unplayed {
				unplayed, reason = unplayed+1, cmp.Or(reason, j.played.Reason)
			}
		}
		if unplayed > 0 {
			problems = append(problems, fmt.Sprintf("%s: %d of %d runs were not played to their end: %s", m.Model, unplayed, len(jobs)/len(r.Models), reason))
		}
	}
	if conclusive == 0 {
		return append(problems, "no run is conclusive: nothing is known about any model")
	}
	for i := range r.Models {
		problems = append(problems, withoutConclusion(&r.Models[i])...)
	}
	return problems
}

// withoutConclusion names the scenarios that were played to a model and of which no run is conclusive: who asks for two and gets
// one must not see green.
func withoutConclusion(m *result.RedTeamModel) []string {
	var names []string
	reason := ""
	for i := range m.Scenarios {
		s := &m.Scenarios[i]
		if s.Inconclusive == 0 || s.Exploited+s.Resisted > 0 {
			continue
		}
		names = append(names, s.ID)
		for _, o := range s.Outcomes {
			if o.Outcome == Inconclusive {
				reason = cmp.Or(reason, o.Reason)
			}
		}
	}
	if names == nil {
		return nil
	}
	return []string{fmt.Sprintf("%s: %d of %d scenarios without a conclusive run, %s: %s", m.Model, len(names), len(m.Scenarios), excerpt.Clip(strings.Join(names, ", "), 200), reason)}
}

func group(groups *[]result.RedTeamGroup, name string) *result.RedTeamTally {
	i := slices.IndexFunc(*groups, func(g result.RedTeamGroup) bool { return g.Name == name })
	if i < 0 {
		i = len(*groups)
		*groups = append(*groups, result.RedTeamGroup{Name: name})
	}
	return &(*groups)[i].RedTeamTally
}

func addRun(t *result.RedTeamTally, j *job, kept bool) result.RedTeamRun {
	p := &j.played
	out := result.RedTeamRun{Run: j.setting.Run, Control: j.setting.Control, Outcome: p.Outcome, Reason: p.Reason, Messages: p.Messages}
	if kept {
		out.Trace = j.setting.Trace
	}
	utility := &t.WithAttack
	switch {
	case p.Outcome == Unplayed:
		if !j.setting.Control {
			t.Unplayed++
		}
		return out
	case j.setting.Control:
		utility = &t.WithoutAttack
		if p.Outcome == Exploited {
			t.ControlExploited++
		}
		if p.Outcome != Exploited { // without the attack there is nothing to resist
			out.Outcome, out.Reason = "", ""
		}
	case p.Outcome == Exploited:
		t.Exploited++
	case p.Outcome == Resisted:
		t.Resisted++
	default:
		t.Inconclusive++
		return out // a run that could not finish says nothing of the task
	}
	if len(j.scenario.Needed) > 0 && !j.scenario.NoControl {
		done := !slices.ContainsFunc(j.scenario.Needed, func(call string) bool { return !slices.Contains(p.Calls, call) })
		out.TaskDone = &done
		utility.Of++
		if done {
			utility.Done++
		}
	}
	return out
}

func join(t, o *result.RedTeamTally) {
	t.Exploited += o.Exploited
	t.Resisted += o.Resisted
	t.Inconclusive += o.Inconclusive
	t.Unplayed += o.Unplayed
	t.ControlExploited += o.ControlExploited
	t.WithAttack.Done += o.WithAttack.Done
	t.WithAttack.Of += o.WithAttack.Of
	t.WithoutAttack.Done += o.WithoutAttack.Done
	t.WithoutAttack.Of += o.WithoutAttack.Of
}

// settle computes the intervals.
func settle(t *result.RedTeamTally) {
	if n := t.Exploited + t.Resisted; n > 0 {
		rate := result.Wilson(t.Exploited, n)
		t.Attack = &rate
	}
	for _, d := range []*result.RedTeamDone{&t.WithAttack, &t.WithoutAttack} {
		d.Interval = result.Wilson(d.Done, d.Of)
	}
}

// WriteAssessed writes the assessment of kept traces as "json", as "html" or as text, without pass or fail colours: no model passes
// or fails.
func WriteAssessed(w io.Writer, all []Assessed, format string, looks report.Options) error {
	count := map[Outcome]int{}
	t := report.Table{ID: "traces", Title: "Traces", Intro: "What the messages of each trace show, and which of them prove it.", Head: []string{"Trace", "Shows", "Why", "Messages"}}
	for _, a := range all {
		count[a.Outcome]++
		t.Rows = append(t.Rows, []string{a.Trace, string(a.Outcome), a.Reason, excerpt.Numbers(a.Messages)})
	}
	p := &report.Page{
		Title:   "Kept traces of attacks",
		Verdict: fmt.Sprintf("%d exploited, %d resisted, %d inconclusive", count[Exploited], count[Resisted], len(all)-count[Exploited]-count[Resisted]),
		Read:    "The traces were read, and no model was asked. The results are not findings about a server.",
		Tables:  []report.Table{t},
	}
	return p.Write(w, format, all, looks)
}
