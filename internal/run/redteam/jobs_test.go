package redteam

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"gauntlet/internal/run/modelset"
	"gauntlet/internal/run/runstate"
	"gauntlet/internal/run/testagent"
	"gauntlet/internal/runtime/model"
	"gauntlet/result"
)

func modelsOf(names ...string) *modelset.Set {
	prices := model.BuiltInPrices()
	set := &modelset.Set{Ledger: model.NewLedger(model.Ceiling{}, prices)}
	for _, n := range names {
		set.Clients = append(set.Clients, model.NewClient(model.Provider{Model: n}, model.Options{Ledger: set.Ledger}))
	}
	return set
}

// Every scenario is played to every model as often as was asked, and each time once more without the attack where that was asked and
// something is left without it; each run has a trace of its own.
func TestJobs(t *testing.T) {
	for _, tt := range []struct {
		control bool
		want    string
	}{
		{false, "a/x1 a/x2 a/y1 a/y2 b/x1 b/x2 b/y1 b/y2"},
		{true, "a/x1 a/x1- a/x2 a/x2- a/y1 a/y1- a/y2 a/y2- b/x1 b/x2 b/y1 b/y2"},
	} {
		opt := Options{Scenarios: []Scenario{{ID: "a"}, {ID: "b", NoControl: true}}, Models: modelsOf("x", "y"), Runs: 2, Parallel: 7, NoControl: !tt.control}
		var got []string
		traces, agents := map[string]bool{}, map[string]bool{}
		for n, j := range opt.jobs("dir") {
			one := fmt.Sprintf("%s/%s%d", j.scenario.ID, j.client.Model(), j.setting.Run)
			name := fmt.Sprintf("%05d-%s", n+1, j.scenario.ID)
			if j.setting.Control {
				one, name = one+"-", name+"-control"
			}
			got = append(got, one)
			if j.setting.Model != j.client.Model() || j.setting.Trace != filepath.Join("dir", name+".ndjson") || traces[j.setting.Trace] {
				t.Errorf("%s: %+v, want the trace %s", one, j.setting, name)
			}
			traces[j.setting.Trace] = true
			agent := fmt.Sprint(j.scenario.ID, j.client.Model(), j.setting.agentRun())
			if agents[agent] || j.setting.agentRun() == 0 {
				t.Errorf("%s: the run %d of the agent is that of another", one, j.setting.agentRun())
			}
			agents[agent] = true
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("control %t: %q, want %s", tt.control, got, tt.want)
		}
	}
}

// What is reported of a model is the sum of its own runs, by scenario, technique and placement, and nobody else's.
func TestReportIsOfEachModel(t *testing.T) {
	needed := []string{"tools/call a"}
	// What a run comes to, by model, scenario and run; controls by -run.
	outcomes := map[string]Outcome{
		"x a 1": Exploited, "x a 2": Exploited, "x b 1": Resisted, "x b 2": Inconclusive, "x c 1": Exploited, "x c 2": Resisted,
		"y a 1": Resisted, "y a 2": Resisted, "y b 1": Resisted, "y b 2": Resisted, "y c 1": Inconclusive, "y c 2": Inconclusive,
		"x a -1": Exploited, "x a -2": Resisted, "y c -2": Exploited,
	}
	play := func(id string) func(context.Context, *testagent.Agent, Setting) Played {
		return func(_ context.Context, _ *testagent.Agent, s Setting) Played {
			p := Played{Outcome: outcomes[fmt.Sprint(s.Model, " ", id, " ", s.agentRun())], Reason: "because"}
			if s.Model == "x" && s.Run == 1 {
				p.Calls = needed
			}
			if s.Model == "y" && s.Run == 2 {
				p.Calls = []string{"tools/call other"} // it could have complied
			}
			return p
		}
	}
	scenarios := []Scenario{
		{ID: "a", Name: "A", Technique: "T1", Placement: "P1", Play: play("a"), Needed: needed}, {ID: "b", Name: "B", Technique: "T2", Placement: "P1", Play: play("b")},
		{ID: "c", Name: "C", Technique: "T1", Placement: "P2", Play: play("c"), Needed: needed},
	}
	var asked []string
	var mu sync.Mutex
	file := filepath.Join(t.TempDir(), "run.json")
	record, err := runstate.Create(file, "redteam", time.Now())
	if err != nil {
		t.Fatal(err)
	}
	opt := Options{Scenarios: scenarios, Models: modelsOf("x", "y"), Runs: 2, Parallel: 3, AgentOf: func(c *model.Client, run int) *testagent.Agent {
		mu.Lock()
		defer mu.Unlock()
		asked = append(asked, fmt.Sprint(c.Model(), run))
		return nil
	}}
	r, err := Run(t.Context(), opt, runstate.StartProgress(nil, record))
	if err != nil || len(r.Models) != 2 || r.Runs != 2 {
		t.Fatalf("%+v, %v", r, err)
	}
	record.Close()
	text, err := os.ReadFile(file)
	told, ok := runstate.Parse(string(text))
	if err != nil || !ok {
		t.Fatalf("the record: %s, %v", text, err)
	}
	if told.All != 24 || told.Through != 24 || len(told.Results) != 24 || len(asked) != 24 || !slices.Contains(told.Results, runstate.Result{Word: "exploited", What: "a", Where: "x run 1 without the attack", Says: "because"}) {
		t.Errorf("%d of %d, results %q, agents %q", told.Through, told.All, told.Results, asked)
	}
	tally := func(t *result.RedTeamTally) string {
		if t.Attack == nil {
			t.Attack = &result.Interval{Share: -1}
		}
		return fmt.Sprintf("%d/%d/%d control %d task %d/%d %d/%d rate %v", t.Exploited, t.Resisted, t.Inconclusive, t.ControlExploited,
			t.WithAttack.Done, t.WithAttack.Of, t.WithoutAttack.Done, t.WithoutAttack.Of, t.Attack.Share)
	}
	for i, want := range []map[string]string{
		{
			"": "3/2/1 control 1 task 2/4 2/4 rate 0.6", "a": "2/0/0 control 1 task 1/2 1/2 rate 1", "b": "0/1/1 control 0 task 0/0 0/0 rate 0", "c": "1/1/0 control 0 task 1/2 1/2 rate 0.5",
			"T1": "3/1/0 control 1 task 2/4 2/4 rate 0.75", "T2": "0/1/1 control 0 task 0/0 0/0 rate 0", "P1": "2/1/1 control 1 task 1/2 1/2 rate 0.6667", "P2": "1/1/0 control 0 task 1/2 1/2 rate 0.5",
		},
		{
			"": "0/4/2 control 1 task 0/2 0/4 rate 0", "a": "0/2/0 control 0 task 0/2 0/2 rate 0", "b": "0/2/0 control 0 task 0/0 0/0 rate 0", "c": "0/0/2 control 1 task 0/0 0/2 rate -1",
			"T1": "0/2/2 control 1 task 0/2 0/4 rate 0", "T2": "0/2/0 control 0 task 0/0 0/0 rate 0", "P1": "0/4/0 control 0 task 0/2 0/2 rate 0", "P2": "0/0/2 control 1 task 0/0 0/2 rate -1",
		},
	} {
		m := &r.Models[i]
		got := map[string]string{"": tally(&m.RedTeamTally)}
		for k := range m.Scenarios {
			s, of := &m.Scenarios[k], &scenarios[k]
			got[s.ID] = tally(&s.RedTeamTally)
			if s.ID != of.ID || s.Name != of.Name || s.Technique != of.Technique || s.Placement != of.Placement || len(s.Outcomes) != 4 || s.Outcomes[0].Trace != "" {
				t.Errorf("%s: %+v, want that of %s with four runs", m.Model, s, of.ID)
			}
		}
		for _, groups := range [][]result.RedTeamGroup{m.ByTechnique, m.ByPlacement} {
			for k := range groups {
				got[groups[k].Name] = tally(&groups[k].RedTeamTally)
			}
		}
		for name, w := range want {
			if got[name] != w {
				t.Errorf("%s, %q: %s, want %s", m.Model, name, got[name], w)
			}
		}
		if m.Model != []string{"x", "y"}[i] || len(got) != len(want) {
			t.Errorf("%s has %d tallies, want %d", m.Model, len(got), len(want))
		}
	}
}

// A run that is interrupted is incomplete, counts what was not played in no rate, and asks no model.
func TestInterruptedRuns(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	stop()
	dir := filepath.Join(t.TempDir(), "traces")
	r, err := Run(ctx, Options{Scenarios: []Scenario{{ID: "a"}}, Models: modelsOf("x"), Runs: 3, NoControl: true, Traces: dir}, &runstate.Progress{})
	if err != nil || r.Models[0].Unplayed != 3 || r.Models[0].WithAttack.Of+r.Models[0].Inconclusive > 0 || r.ExitCode() != result.ExitTrouble ||
		!slices.Equal(r.Undone, []string{"x: 3 of 3 runs were not played to their end: the run was interrupted before it was played", "no run is conclusive: nothing is known about any model"}) {
		t.Fatalf("%+v, %v", r, err)
	}
	if got := r.Models[0].Scenarios[0].Outcomes[2].Trace; got != filepath.Join(dir, "00003-a.ndjson") {
		t.Errorf("the third trace is %s", got)
	}
}

// What was asked for and is not known makes a run incomplete: a scenario without a conclusive run, not one run of several.
func TestScenariosWithoutAConclusion(t *testing.T) {
	for _, tt := range []struct {
		name     string
		outcomes map[string][]Outcome // by scenario
		want     string
		code     int
	}{
		{"both are known", map[string][]Outcome{"a": {Resisted}, "b": {Exploited}}, "", result.ExitOK},
		{"one of two is not", map[string][]Outcome{"a": {Resisted}, "b": {Inconclusive}}, "x: 1 of 2 scenarios without a conclusive run, b: why", result.ExitTrouble},
		{"one run of two is not", map[string][]Outcome{"a": {Resisted, Inconclusive}, "b": {Resisted, Resisted}}, "", result.ExitOK},
		{"none is", map[string][]Outcome{"a": {Inconclusive}, "b": {Inconclusive}}, "no run is conclusive: nothing is known about any model", result.ExitTrouble},
	} {
		var scenarios []Scenario
		for _, id := range []string{"a", "b"} {
			scenarios = append(scenarios, Scenario{ID: id, Play: func(_ context.Context, _ *testagent.Agent, s Setting) Played {
				return Played{Outcome: tt.outcomes[id][s.Run-1], Reason: "why", Calls: []string{"tools/call x"}}
			}})
		}
		r, err := Run(t.Context(), Options{Scenarios: scenarios, Models: modelsOf("x"), Runs: len(tt.outcomes["a"]), NoControl: true, AgentOf: func(*model.Client, int) *testagent.Agent { return nil }}, &runstate.Progress{})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(r.Undone, "|"); got != tt.want || r.ExitCode() != tt.code {
			t.Errorf("%s: %q, exit code %d, want %q, %d", tt.name, got, r.ExitCode(), tt.want, tt.code)
		}
	}
}

// A model that called nothing in any run, with an attack or without, could not have complied.
func TestIdleModels(t *testing.T) {
	play := func(model string, run int, calls ...string) *job {
		return &job{setting: Setting{Model: model, Run: run}, played: Played{Outcome: Resisted, Calls: calls}}
	}
	jobs := []*job{play("idle", 1), play("idle", 2), play("able", 1), play("able", 2, "tools/call x")}
	withdrawIdle(jobs)
	for i, want := range []Outcome{Inconclusive, Inconclusive, Resisted, Resisted} {
		if p := jobs[i].played; p.Outcome != want || (p.Reason != "") != (want == Inconclusive) {
			t.Errorf("%s, run %d: %s %q, want %s", jobs[i].setting.Model, jobs[i].setting.Run, p.Outcome, p.Reason, want)
		}
	}
}
