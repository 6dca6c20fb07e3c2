package result

import (
	"cmp"
	"fmt"
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
