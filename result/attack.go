package result

import (
	"cmp"
	"fmt"

	"gauntlet/verdict"
)

// An AttackRun is one attack document, and what became of it when an agent (or, for an
// adversarial client, a server) met it. What it says is about that agent and never a
// finding about a server.
type AttackRun struct {
	Document string `json:"document"` // the file, or the name of one that the program brings along
	ID       string `json:"attack_id,omitempty"`
	Name     string `json:"name,omitempty"`
	Severity string `json:"severity,omitempty"` // in the document's words
	// Findings are the fingerprints of the findings of a scan that the document was made
	// from: the verdict confirms or refutes them for this agent.
	Findings []string `json:"findings,omitempty"`
	// Agent is who met the attack: a command, the name of a builtin agent, or "" for
	// whoever connected.
	Agent string `json:"agent,omitempty"`
	// Scripted says that the agent did what a script told it: the verdict shows what the
	// attack can do and not what an agent would.
	Scripted bool `json:"scripted,omitempty"`
	// Run numbers the runs of a document that is played several times, from 1.
	Run      int    `json:"run,omitempty"`
	Trace    string `json:"trace,omitempty"` // the file with the messages
	Messages int    `json:"messages"`
	// Milliseconds is how long the run took; 0 for a trace judged later.
	Milliseconds int64 `json:"duration_ms,omitempty"`
	// Actors are those of the document, in its order; none for a trace judged later.
	Actors []ActorRun `json:"actors"`
	// Notices are what there is to know about the run beside the verdict.
	Notices []Notice `json:"notices"`
	// Wire is what clients did when messages to them were tampered with below the level of
	// messages; none for a trace judged later.
	Wire    []WireRun       `json:"wire,omitempty"`
	Verdict *verdict.Attack `json:"verdict,omitempty"` // nil if the document could not be run
	// Semantic is the verdict that counts semantic indicators as a model scores them. It moves nothing; nil where none was asked or the
	// document has no such indicator.
	Semantic *verdict.Attack `json:"semantic_verdict,omitempty"`
	// Problem is why there is no verdict; "" if there is one.
	Problem string `json:"problem,omitempty"`
}

// An ActorRun says what one actor of an attack did.
type ActorRun struct {
	Name  string `json:"name"`
	Mode  string `json:"mode"`
	State string `json:"state"`           // "ran", "skipped" or "failed"
	Phase string `json:"phase,omitempty"` // the one it was in at the end
	// Reason says why it was skipped or failed.
	Reason string `json:"reason,omitempty"`
}

// A WireRun is what one client did upon one rule of x-gauntlet-wire.
type WireRun struct {
	Actor   string `json:"actor"`
	Phase   string `json:"phase"`
	Do      string `json:"do"`      // the rule with its parameters
	Session string `json:"session"` // of the client in the trace
	Times   int    `json:"times"`   // messages that it was done to
	Bytes   int64  `json:"bytes"`   // of them that the client's side of the connection took, buffers included
	// Ceiling says that a payload without end was ended by us.
	Ceiling bool `json:"ceiling,omitempty"`
	// Client is "crashed", "closed" (before it had everything), "went_on", "hung" (it had
	// neither taken everything nor closed when the run ended), "left" or "silent": the first that is true.
	Client string `json:"client"`
	Next   string `json:"next,omitempty"` // method of what it first asked or told afterwards
	// Messages is how many messages it sent afterwards, answers included.
	Messages int `json:"messages"`
	Again    int `json:"conversations,omitempty"` // that were begun at this actor afterwards, by anybody
	Resumed  int `json:"resumed,omitempty"`       // event streams that it asked to resume
}

// A Notice is one thing to know about a run.
type Notice struct {
	Kind    string `json:"kind"` // a short word: "skipped_actor", "W-004", "sep_2260"
	Message string `json:"message"`
	Actor   string `json:"actor,omitempty"`
	Phase   string `json:"phase,omitempty"`
	Seq     int    `json:"message_seq,omitempty"` // of the message in the trace
}

// Exploited reports whether the agent complied, wholly or in part.
func (a *AttackRun) Exploited() bool {
	return a.Verdict != nil && (a.Verdict.Outcome == verdict.Exploited || a.Verdict.Outcome == verdict.Partial)
}

// Resisted reports whether the agent met the attack and did not comply. Whoever neither
// complied nor resisted could not be judged.
func (a *AttackRun) Resisted() bool {
	return a.Verdict != nil && a.Verdict.Outcome == verdict.NotExploited
}

// undone says of a run without a verdict to rely on what is missing.
func (a *AttackRun) undone() string {
	why := a.Problem
	if a.Verdict != nil {
		why = cmp.Or(a.Verdict.Reason, string(a.Verdict.Outcome))
	}
	return fmt.Sprintf("attack %s: %s", cmp.Or(a.Document, a.ID, a.Name), cmp.Or(why, "not judged"))
}

// exitCode applies the rule for exit codes to the runs: an agent that complied is 1; a run
// without a verdict to rely on, or in which the attack never reached the agent, is 2.
func exitCode(runs []AttackRun) int {
	code := ExitOK
	for i := range runs {
		switch {
		case runs[i].Exploited():
			return ExitGate
		case !runs[i].Resisted():
			code = ExitTrouble
		}
	}
	return code
}
