package oatf

import (
	"strings"

	"gauntlet/rawjson"
)

// An Execution describes the adversarial side in exactly one of three forms (§5.1): State (one phase), Phases (one
// actor) or Actors. [Normalize] turns the first two into the third, with one actor called [DefaultActor].
type Execution struct {
	Mode       string        `oatf:"mode"`          // such as mcp_server; absent with Actors
	State      rawjson.Value `oatf:"state,mapping"` // single-phase form
	Phases     []Phase       `oatf:"phases"`
	Actors     []Actor       `oatf:"actors"`
	Extensions []Extension
}

// DefaultActor names the only actor of a document that names none (N-006, N-007).
const DefaultActor = "default"

// An Actor is an endpoint of the adversarial side. Actors run concurrently, each through its own phases, and see only
// their own connection (§5.1).
type Actor struct {
	Name       string  `oatf:"name,always"` // [a-z][a-z0-9_]*
	Mode       string  `oatf:"mode,always"`
	Phases     []Phase `oatf:"phases"`
	Extensions []Extension
}

// A Phase is a stage of an actor (§5.2).
type Phase struct {
	Name        string `oatf:"name"` // "phase-2" for the second, once normalized
	Description string `oatf:"description"`
	Mode        string `oatf:"mode"` // the actor's once normalized
	// State is what the actor presents during the phase: an object that replaces the previous state entirely, with no
	// merging at any level. If absent, the previous state stays.
	State      rawjson.Value `oatf:"state,mapping"`
	Extractors []Extractor   `oatf:"extractors"`
	OnEnter    []Action      `oatf:"on_enter"` // run when the phase begins, before the agent is answered
	Trigger    *Trigger      `oatf:"trigger"`  // ends the phase; nil for the last one, which does not end
	Extensions []Extension
}

// A Trigger ends a phase after Count matching events or the duration After, whichever comes first (§5.3). It has at
// least one of Event and After.
type Trigger struct {
	Event string        `oatf:"event"`         // a protocol method or event, such as tools/call
	Count int           `oatf:"count"`         // number of events; 1 once normalized if there is an Event
	Match rawjson.Value `oatf:"match,mapping"` // match predicate on the event's content (§5.4)
	After string        `oatf:"after"`         // duration since the phase began
}

// An Extractor takes a value from a message for use in templates (§5.5).
type Extractor struct {
	Name     string          `oatf:"name,always"` // [a-z][a-z0-9_]*
	Source   ExtractorSource `oatf:"source,always"`
	Type     ExtractorType   `oatf:"type,always"`
	Selector string          `oatf:"selector,always"` // RFC 9535 JSONPath, or an RE2 expression with a capture group
}

// An Action runs when a phase begins (SDK §2.7a). A valid document sets exactly one of its first three fields.
type Action struct {
	Send       *Send `oatf:"send"`
	Log        *Log  `oatf:"log"`
	Binding    *BindingAction
	Extensions []Extension
}

// Send sends a protocol message: a notification or a request.
type Send struct {
	Method string        `oatf:"method,always"`
	Params rawjson.Value `oatf:"params"` // passed through; strings are templates
}

// Log writes a line for those who observe the run.
type Log struct {
	Message string   `oatf:"message,always"` // a template
	Level   LogLevel `oatf:"level"`
}

// A BindingAction is an action specific to a protocol binding, such as delay_ms: 500. A tool that does not know it
// skips it with a notice.
type BindingAction struct {
	Name  string
	Value rawjson.Value
}

// readRest reads the action of a binding: the first that is neither specified nor an extension.
func (a *Action) readRest(v rawjson.Value) {
	for m := range v.Members() {
		name := m.Key.Text()
		if name != "send" && name != "log" && !strings.HasPrefix(name, "x-") && a.Binding == nil {
			a.Binding = &BindingAction{Name: name, Value: m.Value}
		}
	}
}

func (a *Action) writeRest(w *objectWriter) {
	if a.Binding != nil {
		w.writeValue(a.Binding.Name, a.Binding.Value)
	}
}
