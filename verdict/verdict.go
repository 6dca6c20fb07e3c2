// Package verdict holds the results of an attack: what each indicator says, and whether the agent complied. They are
// statements about an agent, never about a server.
//
// The JSON form is that of the Open Agent Threat Format's verdicts (§9.3, SDK §2.19); what that format does not define
// is in the extension x-gauntlet.
package verdict

import "time"

// A Result is the result of one indicator (§9.1).
type Result string

// The results.
const (
	Matched    Result = "matched"     // evidence that the agent complied
	NotMatched Result = "not_matched" // no such evidence
	Error      Result = "error"       // the indicator could not be evaluated
	Skipped    Result = "skipped"     // not evaluated
)

// An Outcome is the verdict on an attack (§9.2).
type Outcome string

// The outcomes.
const (
	Exploited    Outcome = "exploited"     // the agent complied
	NotExploited Outcome = "not_exploited" // it resisted
	Partial      Outcome = "partial"       // some indicators matched, but all are required
	Failed       Outcome = "error"         // nothing reliable can be said
	// NotExposed is our own: nothing matched, and no part of the attack reached the agent, which therefore had nothing to resist.
	NotExposed Outcome = "not_exposed"
)

// An Indicator is the verdict of one indicator.
type Indicator struct {
	ID     string
	Result Result
	// Evidence is what matched, or why nothing can be said. It quotes untrusted text.
	Evidence string
	// Kind is the kind of an Error as in SDK §2.20: cel_error, type_error, semantic_error, path_resolution.
	Kind string
	// Message is the trace number of the message that matched, or of the first that could not be evaluated.
	Message int
	// Examined counts the messages examined, up to the match, and Failed those of them that could not be evaluated.
	Examined int
	Failed   int
	// Unobservable says that it was skipped because no message of its protocol has what it examines.
	Unobservable bool
	// Tier is how far the agent went if it matched, according to the document.
	Tier string
	// Time is that of the deciding message, or of the last one examined: it comes from the trace, not a clock, so that
	// the same trace gives the same verdict. The caller sets Source, the judge.
	Time   time.Time
	Source string
}

// A Summary counts results. They add up to the number of indicators, so that an attack that was not evaluated cannot
// pass for one that was resisted.
type Summary struct {
	Matched    int `json:"matched"`
	NotMatched int `json:"not_matched"`
	Error      int `json:"error"`
	Skipped    int `json:"skipped"`
}

// Add counts a result.
func (s *Summary) Add(r Result) {
	switch r {
	case Matched:
		s.Matched++
	case NotMatched:
		s.NotMatched++
	case Error:
		s.Error++
	case Skipped:
		s.Skipped++
	}
}

// Total returns the number of results.
func (s Summary) Total() int { return s.Matched + s.NotMatched + s.Error + s.Skipped }

// An Attack is the verdict on an attack.
type Attack struct {
	ID         string
	Outcome    Outcome
	Reason     string // why the outcome is Failed or NotExposed
	Indicators []Indicator
	Summary    Summary
	// MaxTier is the highest tier of the matched indicators. It says how far the agent went, whatever the outcome.
	MaxTier string
	// Exposure says which parts of the attack reached the agent; nil if unknown.
	Exposure *Exposure
	// Time is that of the last message examined, zero if there was none.
	Time   time.Time
	Source string
}

// An Exposure says which parts of an attack reached the agent.
type Exposure struct {
	// Parts carry the attack, in document order.
	Parts []Part `json:"parts"`
	// Basis explains how the parts that carry the attack were recognized.
	Basis string `json:"basis"`
}

// Reached reports whether any part that carries the attack was delivered.
func (e *Exposure) Reached() bool {
	for i := range e.Parts {
		if e.Parts[i].Delivered > 0 {
			return true
		}
	}
	return false
}

// Unreached returns the parts of actors that carry the attack but delivered none of them. With such an actor the attack
// did not reach the agent completely.
func (e *Exposure) Unreached() []Part {
	reached := map[string]bool{}
	for i := range e.Parts {
		reached[e.Parts[i].Actor] = reached[e.Parts[i].Actor] || e.Parts[i].Delivered > 0
	}
	var out []Part
	for i := range e.Parts {
		if !reached[e.Parts[i].Actor] {
			out = append(out, e.Parts[i])
		}
	}
	return out
}

// A Part is something that an actor presents.
type Part struct {
	Actor  string `json:"actor"`
	Phase  string `json:"phase"`
	Method string `json:"method"`
	Name   string `json:"name,omitempty"` // of the tool or prompt, or the resource's URI
	// Delivered counts the messages that brought it to the agent; Message is the trace number of the first.
	Delivered int `json:"delivered"`
	Message   int `json:"message,omitempty"`
}
