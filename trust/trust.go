// Package trust holds the types by which a user declares what may pass between servers: allowed flows, sanitizers that
// they must pass, and capabilities that a client agreed to claim. It makes no decisions.
package trust

// A Boundary is a declared boundary. The zero Boundary declares nothing, so that every flow between two servers crosses it.
type Boundary struct {
	File       string // for locations in messages
	Flows      []Flow
	Sanitizers []Name // all are required, in any order
	Limits     Limits
	// Given are the user's own texts: the prompt, parts of the configuration.
	Given []string
	// Negotiation is nil if no capabilities were declared.
	Negotiation *Negotiation
}

// A Flow allows values to pass unchanged between two servers. From and To are a server, or server.tool for one of its tools.
type Flow struct{ From, To Name }

// A Name is a name written by the user; Line and Column are 1-based, 0 without a file.
type Name struct {
	Text         string
	Line, Column int
}

// Negotiation is the capability set that a client agreed to.
type Negotiation struct {
	Target Name // revision, such as 2026-07-28; "" for the one of each request
	// Negotiated are capability names as paths: "sampling", "elicitation.url", "extensions.com.example/x". Declared
	// distinguishes an empty set from a missing one.
	Negotiated []Name
	Declared   bool
}

// Limits bound what is followed and reported. Zero fields mean the defaults.
type Limits struct {
	MinLength  int // characters of a text worth following
	CommonPart int // characters of a common part worth a note
	Producers  int // earlier results reported per place in a call
	Findings   int // findings per check
}

// The defaults of Limits.
const (
	DefaultMinLength  = 12
	DefaultCommonPart = 48
	DefaultProducers  = 20
	DefaultFindings   = 1_000
)

// WithDefaults replaces zeros by the defaults.
func (l Limits) WithDefaults() Limits {
	for _, f := range []struct {
		at        *int
		otherwise int
	}{{&l.MinLength, DefaultMinLength}, {&l.CommonPart, DefaultCommonPart}, {&l.Producers, DefaultProducers}, {&l.Findings, DefaultFindings}} {
		if *f.at == 0 {
			*f.at = f.otherwise
		}
	}
	return l
}
