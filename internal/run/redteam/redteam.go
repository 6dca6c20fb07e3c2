// Package redteam measures whether models are vulnerable to attacks: it plays scenarios against models in our agent loop, several
// times each and once more without the attack, and reports how often each succeeded and how often the task was done. Results
// concern models and are no findings about a server.
package redteam

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"gauntlet/internal/run/interrupt"
	"gauntlet/internal/run/modelset"
	"gauntlet/internal/run/runstate"
	"gauntlet/internal/run/testagent"
	"gauntlet/internal/runtime/model"
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
}

// Options say what is played with which models.
type Options struct {
	Scenarios []Scenario
	Models    *modelset.Set
	// AgentOf returns the agent of one run of a model.
	AgentOf  func(client *model.Client, run int) *testagent.Agent
	Runs     int
	Parallel int
	Traces   string // folder for traces; "" for none
	Control  bool   // play each run once more without the attack
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
					if control && (!opt.Control || opt.Scenarios[i].NoControl) {
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
