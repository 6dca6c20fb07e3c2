package attack

// A FaultOutcome is one client's reaction to one rule of x-gauntlet-wire, which tampers below the message level.
type FaultOutcome struct {
	Actor   string
	Phase   string
	Do      string // the rule with its parameters
	Session string // the client's label in the trace
	Times   int    // messages tampered with
	Bytes   int64  // bytes of them that the client's transport accepted
	Ceiling bool   // the payload reached its limit and the server closed
	Client  Reaction
	Next    string // method of its first request or notification afterwards, or ""
	Back    int    // messages of any kind that it sent afterwards
	Again   int    // sessions begun afterwards, by any client
	Resumed int    // streams requested afterwards with Last-Event-ID
}

// A Reaction is what a client did: the first of these that applies.
type Reaction string

// The reactions. Crashed is set by those who know the agent's process.
const (
	Closed Reaction = "closed"  // it closed the connection before it had everything
	WentOn Reaction = "went_on" // it sent further requests or notifications
	Hung   Reaction = "hung"    // it had neither read everything nor closed when the run ended
	Left   Reaction = "left"    // it ended the session
	Silent Reaction = "silent"  // nothing more came from it
)
