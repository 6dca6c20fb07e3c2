package redteam

import (
	"slices"

	"gauntlet/internal/runtime/model"
	"gauntlet/result"
)

// A Report is what a red-team run found out about models. It has no severity and no exit code.
type Report struct {
	SchemaVersion string        `json:"schema_version"`
	Tool          result.Tool   `json:"tool"`
	About         string        `json:"about"` // what the report is about, for who reads it alone
	Runs          int           `json:"runs"`  // of each scenario with each model
	Models        []ModelReport `json:"models"`
}

// SchemaVersion is the version of the JSON form, which docs/redteam.md describes.
const SchemaVersion = "1.0"

// about is said in every report.
const about = "Signals about language models behind the agent loop of gauntlet. They are no findings about a server and move no exit code."

// A ModelReport is about one model.
type ModelReport struct {
	Model string `json:"model"`
	Tally
	// Spent is what the runs used that were not in the cache.
	Spent       model.Spent      `json:"spent"`
	ByTechnique []Group          `json:"by_technique"`
	ByPlacement []Group          `json:"by_placement"`
	Scenarios   []ScenarioReport `json:"scenarios"`
}

// A Group is all scenarios of a technique or placement.
type Group struct {
	Name string `json:"name"`
	Tally
}

// A Tally counts runs.
type Tally struct {
	Exploited    int             `json:"exploited"`
	Resisted     int             `json:"resisted"`
	Inconclusive int             `json:"inconclusive"`
	Attack       result.Interval `json:"attack_rate"`
	// Utility is how often the task was done, of the runs of scenarios of which it is known when it is, and that have a control: with
	// the attack, and without.
	WithAttack    Done `json:"utility_with_attack"`
	WithoutAttack Done `json:"utility_without_attack"`
	// ControlExploited counts runs without the attack that the oracle took for an exploit: it is wrong about as often with it.
	ControlExploited int `json:"control_exploited"`
}

// Done counts tasks.
type Done struct {
	Done int `json:"done"`
	Of   int `json:"of"`
	result.Interval
}

// A ScenarioReport is about one scenario with one model.
type ScenarioReport struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Technique string `json:"technique"`
	Placement string `json:"placement"`
	// NoControl says that the attack is not one of words that can be left out, so that there are no control runs.
	NoControl bool `json:"no_control,omitempty"`
	Tally
	Outcomes []RunReport `json:"outcomes"`
}

// A RunReport is one run.
type RunReport struct {
	Run      int     `json:"run"`
	Control  bool    `json:"control,omitempty"`
	Outcome  Outcome `json:"outcome"`
	Reason   string  `json:"reason,omitempty"`
	Messages []int   `json:"messages,omitempty"` // in its trace, that prove it
	TaskDone *bool   `json:"task_done,omitempty"`
	Trace    string  `json:"trace,omitempty"`
}

func newReport(opt Options, jobs []*job) *Report {
	r := &Report{SchemaVersion: SchemaVersion, About: about, Runs: opt.Runs}
	spent := map[string]model.Spent{}
	for _, s := range opt.Models.Ledger.Spent() {
		spent[s.Model] = s
	}
	for _, c := range opt.Models.Clients {
		m := ModelReport{Model: c.Model(), Spent: spent[c.Model()], ByTechnique: []Group{}, ByPlacement: []Group{}}
		for i := range opt.Scenarios {
			s := &opt.Scenarios[i]
			one := ScenarioReport{ID: s.ID, Name: s.Name, Technique: s.Technique, Placement: s.Placement, NoControl: s.NoControl, Outcomes: []RunReport{}}
			for _, j := range jobs {
				if j.scenario == s && j.client == c {
					one.Outcomes = append(one.Outcomes, one.Tally.add(j, opt.Traces != ""))
				}
			}
			m.Tally.join(&one.Tally)
			group(&m.ByTechnique, s.Technique).join(&one.Tally)
			group(&m.ByPlacement, s.Placement).join(&one.Tally)
			one.Tally.settle()
			m.Scenarios = append(m.Scenarios, one)
		}
		m.Tally.settle()
		for _, groups := range [][]Group{m.ByTechnique, m.ByPlacement} {
			for i := range groups {
				groups[i].Tally.settle()
			}
		}
		r.Models = append(r.Models, m)
	}
	return r
}

func group(groups *[]Group, name string) *Tally {
	i := slices.IndexFunc(*groups, func(g Group) bool { return g.Name == name })
	if i < 0 {
		i = len(*groups)
		*groups = append(*groups, Group{Name: name})
	}
	return &(*groups)[i].Tally
}

// add counts one run.
func (t *Tally) add(j *job, kept bool) RunReport {
	p := &j.played
	out := RunReport{Run: j.setting.Run, Control: j.setting.Control, Outcome: p.Outcome, Reason: p.Reason, Messages: p.Messages}
	if kept {
		out.Trace = j.setting.Trace
	}
	utility := &t.WithAttack
	switch {
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

func (t *Tally) join(o *Tally) {
	t.Exploited += o.Exploited
	t.Resisted += o.Resisted
	t.Inconclusive += o.Inconclusive
	t.ControlExploited += o.ControlExploited
	t.WithAttack.Done += o.WithAttack.Done
	t.WithAttack.Of += o.WithAttack.Of
	t.WithoutAttack.Done += o.WithoutAttack.Done
	t.WithoutAttack.Of += o.WithoutAttack.Of
}

// settle makes the intervals.
func (t *Tally) settle() {
	t.Attack = result.Wilson(t.Exploited, t.Exploited+t.Resisted)
	for _, d := range []*Done{&t.WithAttack, &t.WithoutAttack} {
		d.Interval = result.Wilson(d.Done, d.Of)
	}
}
