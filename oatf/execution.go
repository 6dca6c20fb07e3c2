package oatf

import "gauntlet/rawjson"

// An Execution says what the adversarial side does, in exactly one of three forms (§5.1):
// State (one phase), Phases (one actor) or Actors. [Normalize] turns the first two into
// the third, with one actor called [DefaultActor].
type Execution struct {
	Mode       string        // such as mcp_server; absent beside Actors
	State      rawjson.Value // an object; of the form with one phase
	Phases     []Phase
	Actors     []Actor
	Extensions []Extension
}

// DefaultActor is the name of the only actor of a document that names none (N-006, N-007).
const DefaultActor = "default"

// An Actor is one endpoint of the adversarial side. Actors run at the same time, each
// through its own phases, and see only their own connection (§5.1).
type Actor struct {
	Name       string // [a-z][a-z0-9_]*
	Mode       string
	Phases     []Phase
	Extensions []Extension
}

// A Phase is one stage of an actor (§5.2).
type Phase struct {
	Name        string // "phase-2" for the second, once normalized
	Description string
	Mode        string // that of the actor once normalized
	// State is what the actor shows while the phase lasts: an object that replaces the
	// state before it whole, key for key, with no merging at any level. Absent, the state
	// of the phase before stays.
	State      rawjson.Value
	Extractors []Extractor
	OnEnter    []Action // done when the phase begins, before the agent is answered
	Trigger    *Trigger // what ends the phase; nil for the last one, which stays
	Extensions []Extension
}

// A Trigger ends a phase: when Count events that match were seen, or After has passed,
// whichever comes first (§5.3). It has at least one of Event and After.
type Trigger struct {
	Event string        // a method or event of the protocol, such as tools/call
	Count int           // how many of them; 1 once normalized, where there is an Event
	Match rawjson.Value // a match predicate on the event's content (§5.4), an object
	After string        // a duration since the phase began
}

// An Extractor takes a value out of a message, for templates to use (§5.5).
type Extractor struct {
	Name     string // [a-z][a-z0-9_]*
	Source   ExtractorSource
	Type     ExtractorType
	Selector string // RFC 9535 JSONPath, or an RE2 expression with a capture group
}

// An Action is done when a phase begins (SDK §2.7a). Exactly one of its first three fields
// is set in a valid document.
type Action struct {
	Send       *Send
	Log        *Log
	Binding    *BindingAction
	Extensions []Extension
}

// Send sends a message of the protocol: a notification, or a request.
type Send struct {
	Method string
	Params rawjson.Value // passed through; its strings are templates
}

// Log writes a line for whoever watches the run.
type Log struct {
	Message string // a template
	Level   LogLevel
}

// A BindingAction is an action that only a protocol's binding knows, such as
// delay_ms: 500. A tool that does not know it skips it and says so.
type BindingAction struct {
	Name  string
	Value rawjson.Value
}
