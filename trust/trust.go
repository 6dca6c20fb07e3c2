// Package trust holds the types with which a user declares what may pass between servers: the
// allowed flows, the sanitizers that they must pass, and the capabilities that a client agreed to
// claim. It makes no decisions.
package trust

// A Boundary is a declared boundary. The zero Boundary declares nothing, so every flow between two
// servers crosses it.
type Boundary struct {
	File       string // where it stands; for places in messages
	Flows      []Flow
	Sanitizers []Name // all of them are required; their order says nothing
	Limits     Limits
	// Given are texts of the user's own: the prompt, parts of the configuration.
	Given []string
	// Negotiation is nil where nothing was declared about capabilities.
	Negotiation *Negotiation
}

// A Flow is a pair of servers between which values may pass as they are. From and To are the
// name of a server, or server.tool for one tool of it.
type Flow struct{ From, To Name }

// A Name is a name that the user wrote, with its place; Line and Column count from 1, and are 0
// where no file holds it.
type Name struct {
	Text         string
	Line, Column int
}

// Negotiation is the capability set that a client agreed to.
type Negotiation struct {
	Target Name // the revision, such as 2026-07-28; "" for what each request says
	// Negotiated are capability names as paths: "sampling", "elicitation.url",
	// "extensions.com.example/x". Declared tells an empty set from none.
	Negotiated []Name
	Declared   bool
}

// Limits say what is substantial and how much is reported. A zero field means its default.
type Limits struct {
	MinLength  int // characters of a text that is worth following
	CommonPart int // characters of a common part that is worth a note
	Producers  int // earlier results that are reported for one place in one call
	Findings   int // findings of one check
}

// The defaults of Limits.
const (
	DefaultMinLength  = 12
	DefaultCommonPart = 48
	DefaultProducers  = 20
	DefaultFindings   = 1_000
)

// WithDefaults returns the limits with every zero replaced.
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
