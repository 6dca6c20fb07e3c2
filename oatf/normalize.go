package oatf

import (
	"cmp"
	"fmt"
	"strings"
)

// Normalize returns a copy of a valid document with defaults filled in, short forms expanded and derived values added
// (SDK §3.3). It does not change d and is idempotent.
//
// Afterwards the attack has a name, a version and a status; a severity has a confidence; the execution has actors, each with
// a mode, whose phases have names and modes; a trigger with an event has a count; indicators have an id, a protocol and, in
// a pattern or a semantic block, a target; a pattern has a condition; and there is a correlation if there are indicators.
func Normalize(d *Document) *Document {
	n := d.Clone()
	a := &n.Attack
	protocol := ProtocolOf(a.Execution.Mode) // N-006 and N-007 remove the mode
	normalizeEnvelope(a)
	normalizeExecution(&a.Execution)
	if a.Indicators != nil {
		normalizeIDs(a)
		for i := range a.Indicators {
			normalizeIndicator(&a.Indicators[i], protocol)
		}
		if a.Correlation == nil {
			a.Correlation = new(Correlation)
		}
		a.Correlation.Logic = cmp.Or(a.Correlation.Logic, LogicAny)
	}
	return n
}

// normalizeEnvelope is N-001, N-002 and N-008 for the attack's own fields.
func normalizeEnvelope(a *Attack) {
	a.Name = cmp.Or(a.Name, "Untitled")
	a.Version = cmp.Or(a.Version, 1)
	a.Status = cmp.Or(a.Status, StatusDraft)
	if a.Severity != nil && a.Severity.Confidence == nil {
		a.Severity.Confidence = new(50)
	}
	if c := a.Classification; c != nil {
		for i := range c.Mappings {
			c.Mappings[i].Relationship = cmp.Or(c.Mappings[i].Relationship, RelationshipPrimary)
		}
		for i, tag := range c.Tags {
			c.Tags[i] = strings.NewReplacer("_", "-", " ", "-").Replace(strings.ToLower(tag))
		}
	}
}

// normalizeExecution is N-006 and N-007, and N-001 for phases. An unnamed phase is named after its position, or gets
// the next free number beyond the list if that name is taken.
func normalizeExecution(e *Execution) {
	switch {
	case e.Actors != nil:
	case e.Phases != nil:
		mode := e.Mode
		if mode == "" && len(e.Phases) > 0 {
			mode = e.Phases[0].Mode
		}
		e.Actors = []Actor{{Name: DefaultActor, Mode: mode, Phases: e.Phases}}
		e.Mode, e.Phases = "", nil
	case e.State.Exists():
		e.Actors = []Actor{{Name: DefaultActor, Mode: e.Mode, Phases: []Phase{{State: e.State}}}}
		e.Mode, e.State = "", Phase{}.State
	}
	for i := range e.Actors {
		a := &e.Actors[i]
		names := numbering{next: len(a.Phases), taken: map[string]bool{}}
		for _, p := range a.Phases {
			names.taken[p.Name] = true
		}
		for j := range a.Phases {
			p := &a.Phases[j]
			if p.Name == "" {
				p.Name = names.unusedName(j+1, func(n int) string { return fmt.Sprintf("phase-%d", n) })
			}
			p.Mode = cmp.Or(p.Mode, a.Mode)
			if p.Trigger != nil && p.Trigger.Event != "" {
				p.Trigger.Count = cmp.Or(p.Trigger.Count, 1)
			}
		}
	}
}

// normalizeIDs is N-003. The number is the indicator's position, or the next free one beyond the list if that id is taken.
func normalizeIDs(a *Attack) {
	prefix := cmp.Or(a.ID, "indicator")
	ids := numbering{next: len(a.Indicators), taken: map[string]bool{}}
	for _, i := range a.Indicators {
		ids.taken[i.ID] = true
	}
	for i := range a.Indicators {
		if a.Indicators[i].ID == "" {
			a.Indicators[i].ID = ids.unusedName(i+1, func(n int) string { return fmt.Sprintf("%s-%02d", prefix, n) })
		}
	}
}

// A numbering generates unused names.
type numbering struct {
	taken map[string]bool
	next  int // last number of the list, or assigned beyond it
}

// unusedName returns the name for a position, or for the next free number.
func (n *numbering) unusedName(place int, name func(int) string) string {
	for n.taken[name(place)] {
		n.next++
		place = n.next
	}
	n.taken[name(place)] = true
	return name(place)
}

// normalizeIndicator is N-004 and N-005, and N-001 for the protocol.
func normalizeIndicator(i *Indicator, protocol string) {
	i.Protocol = cmp.Or(i.Protocol, protocol)
	if p := i.Pattern; p != nil {
		if p.Target == nil {
			p.Target = new(i.Target)
		}
		if !p.Condition.Exists() {
			p.Condition, p.Shorthand = p.Shorthand, p.Condition
		}
	}
	if s := i.Semantic; s != nil && s.Target == nil {
		s.Target = new(i.Target)
	}
}
