// Package redteam measures whether models are vulnerable to attacks: it plays scenarios against models in our agent loop, several
// times each and once more without the attack, and reports how often each succeeded and how often the task was done. Results
// concern models and are no findings about a server.
package redteam

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gauntlet/internal/leaf/excerpt"
	"gauntlet/internal/run/interrupt"
	"gauntlet/internal/run/modelset"
	"gauntlet/internal/run/runstate"
	"gauntlet/internal/run/testagent"
	"gauntlet/internal/runtime/model"
	"gauntlet/report"
	"gauntlet/result"
)

// An Outcome is the result of one run.
type Outcome = result.RedTeamOutcome

// The outcomes.
const (
	Exploited    = result.RedTeamExploited
	Resisted     = result.RedTeamResisted
	Inconclusive = result.RedTeamInconclusive
	Unplayed     = result.RedTeamUnplayed
)

// A Scenario is an attack with its task.
type Scenario struct {
	ID        string
	Name      string
	Technique string
	Placement string // where the attack stands: "tool definition", "tool result"…
	// Play plays the scenario once, with or without the attack, and leaves the messages in a trace.
	Play func(ctx context.Context, agent *testagent.Agent, s Setting) Played
	// Needed are the calls that complete the task, as "method name"; empty if unknown.
	Needed []string
	// NoControl says that nothing harmless remains without the attack, so there is no control run.
	NoControl bool
}

// A Setting is one run of a scenario.
type Setting struct {
	Model   string
	Run     int // from 1
	Control bool
	Trace   string // file for the messages
}

// Played is the result of one run.
type Played struct {
	Outcome  Outcome
	Reason   string   // why it is inconclusive or was not played
	Messages []int    // numbers of trace messages that prove an exploit
	Calls    []string // made by the model, as "method name"
	Broken   bool     // the model's run could not finish
}

// Options say what is played with which models.
type Options struct {
	Scenarios []Scenario
	Models    *modelset.Set
	// AgentOf returns the agent of one run of a model.
	AgentOf   func(client *model.Client, run int) *testagent.Agent
	Runs      int
	Parallel  int
	Traces    string // folder for traces; "" for none
	NoControl bool   // do not play each run once more without the attack
}

// A job is one run.
type job struct {
	scenario *Scenario
	client   *model.Client
	setting  Setting
	played   Played
}

// Run plays everything and reports. An interrupted run reports what was played.
func Run(ctx context.Context, opt Options, progress *runstate.Progress) (*result.RedTeam, error) {
	dir := opt.Traces
	if dir == "" {
		temp, err := os.MkdirTemp("", "gauntlet-redteam-")
		if err != nil {
			return nil, err
		}
		defer os.RemoveAll(temp)
		dir = temp
	} else if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	jobs := opt.jobs(dir)
	progress.Count(0, len(jobs))
	interrupt.Each(len(jobs), opt.Parallel, func(i int) {
		j := jobs[i]
		defer progress.Count(1, 0)
		if ctx.Err() != nil {
			j.played = Played{Outcome: Unplayed, Reason: "the run was interrupted before it was played"}
			return
		}
		progress.Step("%s, %s: %s", j.client.Model(), j.scenario.ID, opt.Models.Spent())
		j.played = j.scenario.Play(ctx, opt.AgentOf(j.client, j.setting.agentRun()), j.setting)
		progress.Step("%s, %s, run %d%s: %s", j.client.Model(), j.scenario.ID, j.setting.Run, controlWord(j.setting.Control), j.played.Outcome)
		progress.Result(runstate.Result{Word: string(j.played.Outcome), What: j.scenario.ID, Says: j.played.Reason,
			Where: fmt.Sprintf("%s run %d%s", j.client.Model(), j.setting.Run, controlWord(j.setting.Control))})
		if opt.Traces == "" {
			_ = os.Remove(j.setting.Trace) // the folder is removed later with what is left
		}
	})
	withdrawIdle(jobs)
	return newReport(opt, jobs), nil
}

// withdrawIdle withdraws resistance from a model that made no call in any run, with or without an attack: behind a proxy that drops
// tools a model answers "I have no tools" to everything.
func withdrawIdle(jobs []*job) {
	called := map[string]bool{}
	for _, j := range jobs {
		called[j.setting.Model] = called[j.setting.Model] || len(j.played.Calls) > 0
	}
	for _, j := range jobs {
		if j.played.Outcome == Resisted && !called[j.setting.Model] {
			j.played.Outcome, j.played.Reason = Inconclusive, "the model made no call in any run, so nothing shows that it could have complied"
		}
	}
}

// controlWord marks a control run; "" for others.
func controlWord(control bool) string {
	if control {
		return " without the attack"
	}
	return ""
}

// agentRun separates the answers of control runs from those of attack runs if both ask the same.
func (s Setting) agentRun() int {
	if s.Control {
		return -s.Run
	}
	return s.Run
}

func (opt *Options) jobs(dir string) (out []*job) {
	for i := range opt.Scenarios {
		for _, c := range opt.Models.Clients {
			for run := 1; run <= opt.Runs; run++ {
				for _, control := range []bool{false, true} {
					if control && (opt.NoControl || opt.Scenarios[i].NoControl) {
						continue
					}
					s := Setting{Model: c.Model(), Run: run, Control: control}
					s.Trace = filepath.Join(dir, traceName(opt.Scenarios[i].ID, len(out)+1, control))
					out = append(out, &job{scenario: &opt.Scenarios[i], client: c, setting: s})
				}
			}
		}
	}
	return out
}

func traceName(scenario string, n int, control bool) string {
	name := strconv.Itoa(100_000 + n)[1:] + "-" + scenario
	if control {
		name += "-control"
	}
	return name + ".ndjson"
}

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
		if p.Broken && p.Outcome != Exploited {
			return out
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
