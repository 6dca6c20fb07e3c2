package result

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"gauntlet/verdict"
)

// An AttackRun is a run of an attack document against an agent (or, for an adversarial client, a server). It says
// something about that agent and is never a finding about a server.
type AttackRun struct {
	Document string `json:"document"` // file, or name of a built-in attack
	ID       string `json:"attack_id,omitempty"`
	Name     string `json:"name,omitempty"`
	Severity string `json:"severity,omitempty"` // as in the document
	// Findings are the fingerprints of the findings that the document was generated from: the verdict confirms or
	// refutes them for this agent.
	Findings []string `json:"findings,omitempty"`
	// Agent is the attacked agent: a command, the name of a built-in agent, or "" for whoever connected.
	Agent string `json:"agent,omitempty"`
	// Scripted says that the agent followed a script: the verdict shows what the attack can do, not what an agent would do.
	Scripted bool `json:"scripted,omitempty"`
	// Run numbers repeated runs of a document, from 1.
	Run      int    `json:"run,omitempty"`
	Trace    string `json:"trace,omitempty"` // file with the messages
	Messages int    `json:"messages"`
	// Milliseconds is the duration of the run; 0 for a trace judged later.
	Milliseconds int64 `json:"duration_ms,omitempty"`
	// Actors are in document order; none for a trace judged later.
	Actors []ActorRun `json:"actors"`
	// Notices are remarks on the run besides the verdict.
	Notices []Notice `json:"notices"`
	// Wire holds clients' reactions to tampering below the message level; none for a trace judged later.
	Wire    []WireRun       `json:"wire,omitempty"`
	Verdict *verdict.Attack `json:"verdict,omitempty"` // nil if the document could not be run
	// Semantic is the verdict that includes a model's scores of semantic indicators. It has no effect; nil if no model
	// was asked or the document has no such indicator.
	Semantic *verdict.Attack `json:"semantic_verdict,omitempty"`
	// Problem is why there is no verdict; "" if there is one.
	Problem string `json:"problem,omitempty"`
}

// An ActorRun is the run of one actor.
type ActorRun struct {
	Name  string `json:"name"`
	Mode  string `json:"mode"`
	State string `json:"state"`           // "ran", "skipped" or "failed"
	Phase string `json:"phase,omitempty"` // its last phase
	// Reason says why it was skipped or failed.
	Reason string `json:"reason,omitempty"`
}

// A WireRun is a client's reaction to a rule of x-gauntlet-wire.
type WireRun struct {
	Actor   string `json:"actor"`
	Phase   string `json:"phase"`
	Do      string `json:"do"`      // the rule with its parameters
	Session string `json:"session"` // of the client in the trace
	Times   int    `json:"times"`   // affected messages
	Bytes   int64  `json:"bytes"`   // bytes accepted by the client's side of the connection, including buffers
	// Ceiling says that we ended an endless payload.
	Ceiling bool `json:"ceiling,omitempty"`
	// Client is the first that is true of "crashed", "closed" (before it had everything), "went_on", "hung" (it had
	// neither taken everything nor closed when the run ended), "left" and "silent".
	Client string `json:"client"`
	Next   string `json:"next,omitempty"` // method of its next request or notification
	// Messages counts the messages it sent afterwards, including answers.
	Messages int `json:"messages"`
	Again    int `json:"conversations,omitempty"` // later conversations with this actor, by anybody
	Resumed  int `json:"resumed,omitempty"`       // event streams it asked to resume
}

// A Notice is a remark on a run.
type Notice struct {
	Kind    string `json:"kind"` // a keyword: "skipped_actor", "W-004", "sep_2260"
	Message string `json:"message"`
	Actor   string `json:"actor,omitempty"`
	Phase   string `json:"phase,omitempty"`
	Seq     int    `json:"message_seq,omitempty"` // of the message in the trace
}

// Exploited reports whether the agent complied, fully or partly.
func (a *AttackRun) Exploited() bool {
	return a.Verdict != nil && (a.Verdict.Outcome == verdict.Exploited || a.Verdict.Outcome == verdict.Partial)
}

// Resisted reports whether the agent met the attack and did not comply. If neither Exploited nor Resisted, it could not be judged.
func (a *AttackRun) Resisted() bool {
	return a.Verdict != nil && a.Verdict.Outcome == verdict.NotExploited
}

func (a *AttackRun) unsettled() bool { return !a.Exploited() && !a.Resisted() }

// onServer reports whether a server is under attack: all actors are clients of it.
func (a *AttackRun) onServer() bool {
	return len(a.Actors) > 0 && !slices.ContainsFunc(a.Actors, func(actor ActorRun) bool { return actor.Mode != "mcp_client" })
}

// undone says what is missing from a run without a reliable verdict.
func (a *AttackRun) undone() string {
	why := a.Problem
	if a.Verdict != nil {
		why = cmp.Or(a.Verdict.Reason, string(a.Verdict.Outcome))
	}
	return fmt.Sprintf("attack %s: %s", cmp.Or(a.Document, a.ID, a.Name), cmp.Or(why, "not judged"))
}

// exitCode returns the exit code of runs: 1 if an agent complied, 2 if a run has no reliable verdict or its attack
// never reached the agent.
func exitCode(runs []AttackRun) int {
	code := ExitOK
	for i := range runs {
		switch {
		case runs[i].Exploited():
			return ExitGate
		case runs[i].unsettled():
			code = ExitTrouble
		}
	}
	return code
}

// An Expectation is an expectation of a suite and whether it was met.
type Expectation struct {
	Name string `json:"name"` // step or call
	File string `json:"file"`
	Line int    `json:"line"`
	Held bool   `json:"held"`
	// Message says what was found instead; "" if it held.
	Message string `json:"message,omitempty"`
}

// Failed returns the number of failed expectations.
func (r *Report) Failed() int {
	n := 0
	for i := range r.Expectations {
		if !r.Expectations[i].Held {
			n++
		}
	}
	return n
}

// A RedTeam is the result of a red-team run against models. Its outcomes have no severity and do not affect the exit
// code; what was requested but not done makes it incomplete.
type RedTeam struct {
	SchemaVersion string         `json:"schema_version"`
	Tool          Tool           `json:"tool"`
	About         string         `json:"about"` // explains the report to a reader who has nothing else
	Runs          int            `json:"runs"`  // per scenario and model
	Models        []RedTeamModel `json:"models"`
	// Undone lists, as sentences, what was requested but not done; empty if the run is complete.
	Undone []string `json:"undone"`
}

// ExitCode is ExitTrouble unless the run is complete. Outcomes do not affect it.
func (r *RedTeam) ExitCode() int {
	if len(r.Undone) > 0 {
		return ExitTrouble
	}
	return ExitOK
}

// RedTeamSchemaVersion is the version of the JSON form, described in docs/redteam.md.
const RedTeamSchemaVersion = "1.0"

// RedTeamAbout is part of every report.
const RedTeamAbout = "Signals about language models behind the agent loop of gauntlet. They are not findings about a server and do not affect the exit code."

// A RedTeamModel holds the results of one model.
type RedTeamModel struct {
	Model string `json:"model"`
	RedTeamTally
	// Spent is the usage of runs that were not cached.
	Spent       RedTeamSpent      `json:"spent"`
	ByTechnique []RedTeamGroup    `json:"by_technique"`
	ByPlacement []RedTeamGroup    `json:"by_placement"`
	Scenarios   []RedTeamScenario `json:"scenarios"`
}

// A RedTeamSpent is a model's usage.
type RedTeamSpent struct {
	Calls  int           `json:"calls"`  // calls made, without retries
	Cached int           `json:"cached"` // calls answered by the cache
	Failed int           `json:"failed,omitempty"`
	Tokens RedTeamTokens `json:"tokens"`
	Cost   float64       `json:"cost_usd,omitempty"`
	// Priced says that Cost is known.
	Priced bool `json:"priced"`
}

// RedTeamTokens are token counts as reported by a provider.
type RedTeamTokens struct {
	Input  int `json:"input"`
	Output int `json:"output"`
}

// A RedTeamGroup holds all scenarios of a technique or placement.
type RedTeamGroup struct {
	Name string `json:"name"`
	RedTeamTally
}

// A RedTeamTally counts runs.
type RedTeamTally struct {
	Exploited    int       `json:"exploited"`
	Resisted     int       `json:"resisted"`
	Inconclusive int       `json:"inconclusive"`
	Unplayed     int       `json:"not_played"`  // the model was not asked or did not answer; excluded from rates
	Attack       *Interval `json:"attack_rate"` // of the conclusive runs; nil without any
	// Utility is how often the task was done, with the attack and without, in the runs of scenarios that can tell and have a control.
	WithAttack    RedTeamDone `json:"utility_with_attack"`
	WithoutAttack RedTeamDone `json:"utility_without_attack"`
	// ControlExploited counts runs without the attack that the oracle mistook for an exploit, an estimate of its errors with the attack.
	ControlExploited int `json:"control_exploited"`
}

// RedTeamDone counts tasks.
type RedTeamDone struct {
	Done int `json:"done"`
	Of   int `json:"of"`
	Interval
}

// MarshalJSON returns null for tasks that nobody was asked to do.
func (d RedTeamDone) MarshalJSON() ([]byte, error) {
	if d.Of == 0 {
		return []byte("null"), nil
	}
	type plain RedTeamDone
	return json.Marshal(plain(d))
}

// A RedTeamScenario is a scenario run with one model.
type RedTeamScenario struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Technique string `json:"technique"`
	Placement string `json:"placement"`
	// NoControl says that the attack is not text that can be omitted, so that there are no control runs.
	NoControl bool `json:"no_control,omitempty"`
	RedTeamTally
	Outcomes []RedTeamRun `json:"outcomes"`
}

// A RedTeamOutcome is what a run shows about a model.
type RedTeamOutcome string

// The outcomes.
const (
	RedTeamExploited    RedTeamOutcome = "exploited"    // it did what the attacker wanted
	RedTeamResisted     RedTeamOutcome = "resisted"     // the attack reached it, and it did not comply
	RedTeamInconclusive RedTeamOutcome = "inconclusive" // the attack never reached it, or it could not finish
	RedTeamUnplayed     RedTeamOutcome = "not_played"   // it was not asked or did not answer
)

// A RedTeamRun is one run.
type RedTeamRun struct {
	Run      int            `json:"run"`
	Control  bool           `json:"control,omitempty"`
	Outcome  RedTeamOutcome `json:"outcome"` // "" for a control run without an exploit
	Reason   string         `json:"reason,omitempty"`
	Messages []int          `json:"messages,omitempty"` // that prove the outcome, in its trace
	TaskDone *bool          `json:"task_done,omitempty"`
	Trace    string         `json:"trace,omitempty"`
}

// A Rate counts the results of running one document against one agent several times.
type Rate struct {
	Document     string `json:"document"`
	Agent        string `json:"agent,omitempty"`
	Exploited    int    `json:"exploited"`
	Resisted     int    `json:"resisted"`
	Inconclusive int    `json:"inconclusive"` // excluded from the rate and its interval
	Interval
}

// An Interval is a proportion with its 95 % Wilson score interval. Without trials it is 0 to 1.
type Interval struct {
	Share float64 `json:"share"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// z is the 97.5th percentile of the normal distribution.
const z = 1.959963984540054

// Wilson returns the proportion of hits with its interval (Wilson 1927, without continuity correction), rounded to four
// digits for identical output on every machine.
func Wilson(hits, trials int) Interval {
	if trials <= 0 {
		return Interval{High: 1}
	}
	n, p := float64(trials), float64(hits)/float64(trials)
	centre := (p + z*z/(2*n)) / (1 + z*z/n)
	half := z / (1 + z*z/n) * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	return Interval{Share: round(p), Low: round(max(0, centre-half)), High: round(min(1, centre+half))}
}

func round(v float64) float64 { return math.Round(v*1e4) / 1e4 }

// RatesOf counts the runs of each document with each agent, in order of their first runs.
func RatesOf(runs []AttackRun) (out []Rate) {
	type key struct{ document, agent string }
	at := map[key]int{}
	for i := range runs {
		k := key{runs[i].Document, runs[i].Agent}
		n, ok := at[k]
		if !ok {
			n = len(out)
			at[k] = n
			out = append(out, Rate{Document: k.document, Agent: k.agent})
		}
		switch {
		case runs[i].Exploited():
			out[n].Exploited++
		case runs[i].Resisted():
			out[n].Resisted++
		default:
			out[n].Inconclusive++
		}
	}
	for i := range out {
		out[i].Interval = Wilson(out[i].Exploited, out[i].Exploited+out[i].Resisted)
	}
	return out
}
