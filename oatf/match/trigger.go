package match

import (
	"context"
	"fmt"
	"time"

	"gauntlet/rawjson"
)

// A Trigger says when a phase ends (§5.3, SDK §5.8).
type Trigger struct {
	event string
	count int
	match *Predicate // nil: any content
	after time.Duration
	timed bool
}

// ParseTrigger makes a trigger of its fields in a document: "" and an absent value stand for
// a field that is not there, and a count below 1 for 1.
func ParseTrigger(event string, count int, match rawjson.Value, after string) (*Trigger, error) {
	t := &Trigger{event: event, count: max(count, 1)}
	var err error
	if match.Exists() {
		if t.match, err = ParsePredicate(match); err != nil {
			return nil, fmt.Errorf("match: %w", err)
		}
	}
	if after != "" {
		if t.after, err = ParseDuration(after); err != nil {
			return nil, fmt.Errorf("after: %w", err)
		}
		t.timed = true
	}
	return t, nil
}

// After returns how long after its begin the phase ends whatever was seen; ok is false if
// it does not. Who runs phases sets a timer to it: Advance is only asked when told.
func (t *Trigger) After() (d time.Duration, ok bool) { return t.after, t.timed }

// A Reason is why a phase ended.
type Reason string

// The reasons. The zero Reason is that of a phase that goes on.
const (
	EventMatched Reason = "event_matched"
	TimedOut     Reason = "timeout"
)

// Advance reports whether and why the phase ends, elapsed after its begin. Each event is a
// call, with "" for the passing of time alone; content is the event's. seen counts the
// events that matched, from 0 at the begin of the phase; it is the caller's to keep, one
// for each phase of each actor, and Advance's to change.
//
// Time comes first: an event that arrives when time is up is not counted. Neither is one
// whose content takes longer to look at than ctx lasts, which is the error.
func (t *Trigger) Advance(ctx context.Context, event string, content rawjson.Value, elapsed time.Duration, seen *int) (Reason, error) {
	if t.timed && elapsed >= t.after {
		return TimedOut, nil
	}
	if event == "" || event != t.event {
		return "", nil
	}
	if t.match != nil {
		if ok, err := t.match.Holds(ctx, content); !ok {
			return "", err
		}
	}
	if *seen++; *seen >= t.count {
		return EventMatched, nil
	}
	return "", nil
}

// EffectiveState returns the state that holds in the phase with this index: its own, or
// else that of the nearest phase before it that has one (§5.2, SDK §5.10). States are
// replaced whole and never merged. A state that is null counts as left out.
func EffectiveState(states []rawjson.Value, phase int) rawjson.Value {
	for i := min(phase, len(states)-1); i >= 0; i-- {
		if s := states[i]; s.Exists() && s.Kind() != rawjson.Null {
			return s
		}
	}
	return rawjson.Value{}
}
