// Package verdict holds the results of an attack: what each indicator says, and whether the agent
// complied. They are statements about an agent and never about a server.
//
// The form in JSON is that of the Open Agent Threat Format's verdicts (§9.3, SDK §2.19); what that
// format does not define is in the extension x-gauntlet.
package verdict

import "time"

// A Result is what one indicator says (§9.1).
type Result string

// The results.
const (
	Matched    Result = "matched"     // there is evidence that the agent complied
	NotMatched Result = "not_matched" // there is none
	Error      Result = "error"       // the indicator could not be evaluated
	Skipped    Result = "skipped"     // it was not evaluated
)

// An Outcome is the verdict on an attack (§9.2).
type Outcome string

// The outcomes.
const (
	Exploited    Outcome = "exploited"     // the agent complied
	NotExploited Outcome = "not_exploited" // it resisted
	Partial      Outcome = "partial"       // some indicators matched where all are needed
	Failed       Outcome = "error"         // nothing reliable can be said
	// NotExposed is an outcome of our own: nothing matched, and nothing that carries the
	// attack ever reached the agent, so that it had nothing to resist.
	NotExposed Outcome = "not_exposed"
)

// An Indicator is the verdict of one indicator.
type Indicator struct {
	ID     string
	Result Result
	// Evidence is what matched, or why nothing can be said. It quotes a stranger.
	Evidence string
	// Kind is the kind of an Error in the words of SDK §2.20: cel_error, type_error,
	// semantic_error, path_resolution.
	Kind string
	// Message is the number in the trace of the message that matched, or of the first that
	// could not be evaluated.
	Message int
	// Examined counts the messages that were looked at, up to the one that matched, and
	// Failed those among them that could not be evaluated.
	Examined int
	Failed   int
	// Unobservable says that no message of the indicator's protocol has what it looks at:
	// it was skipped for that.
	Unobservable bool
	// Tier is how far the agent went if this matched, as the document says.
	Tier string
	// Time is that of the message that decided, or of the last that was looked at: it comes from the trace and not
	// from a clock, so that the same trace gives the same verdict. Source, who judged, is the caller's to fill in.
	Time   time.Time
	Source string
}

// A Summary counts results. They add up to the number of indicators, so that an attack that was not
// evaluated cannot pass for one that was resisted.
type Summary struct {
	Matched    int `json:"matched"`
	NotMatched int `json:"not_matched"`
	Error      int `json:"error"`
	Skipped    int `json:"skipped"`
}

// Add counts one result.
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

// Total returns how many results were counted.
func (s Summary) Total() int { return s.Matched + s.NotMatched + s.Error + s.Skipped }

// An Attack is the verdict on one attack.
type Attack struct {
	ID         string
	Outcome    Outcome
	Reason     string // why the outcome is Failed or NotExposed
	Indicators []Indicator
	Summary    Summary
	// MaxTier is the highest tier of the indicators that matched. It says how far the agent
	// went whatever the outcome is.
	MaxTier string
	// Exposure says which parts of the attack reached the agent; nil where nobody looked.
	Exposure *Exposure
	// Time is that of the last message of the trace that was looked at, zero where there was none.
	Time   time.Time
	Source string
}

// An Exposure says which parts of an attack reached the agent.
type Exposure struct {
	// Parts are those of the document that carry the attack, in its order.
	Parts []Part `json:"parts"`
	// Basis explains how the parts that carry the attack were distinguished from the others.
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

// Unreached returns the parts of those actors that carry the attack and of whose parts none was
// delivered. An attack in which there is such an actor did not reach the agent whole.
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

// A Part is something that an actor has to say.
type Part struct {
	Actor  string `json:"actor"`
	Phase  string `json:"phase"`
	Method string `json:"method"`
	Name   string `json:"name,omitempty"` // of the tool or prompt, or the resource's URI
	// Delivered counts the messages that brought it to the agent, and Message is the number
	// in the trace of the first.
	Delivered int `json:"delivered"`
	Message   int `json:"message,omitempty"`
}
