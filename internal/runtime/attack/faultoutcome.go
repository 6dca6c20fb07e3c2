package attack

// A FaultOutcome is what one client did when messages to it were tampered with below the level of
// messages by one rule of x-gauntlet-wire.
type FaultOutcome struct {
	Actor   string
	Phase   string
	Do      string // the rule with its parameters
	Session string // of the client in the trace
	Times   int    // messages that it was done to
	Bytes   int64  // that the client's transport took of them
	Ceiling bool   // the payload reached its ceiling, where the server closed
	Client  Reaction
	Next    string // method of the first request or notification that it sent afterwards, "" for none
	Back    int    // messages of all kinds that it sent afterwards
	Again   int    // conversations that were begun afterwards, by whomever
	Resumed int    // streams that were asked for afterwards with Last-Event-ID
}

// A Reaction is what a client did, the first of these that is true.
type Reaction string

// The reactions. Crashed is for those to say who know the agent's process.
const (
	Closed Reaction = "closed"  // it closed the connection before it had everything
	WentOn Reaction = "went_on" // it sent further requests or notifications
	Hung   Reaction = "hung"    // it had neither taken everything nor closed when the run ended
	Left   Reaction = "left"    // it ended the conversation
	Silent Reaction = "silent"  // nothing more came from it
)
