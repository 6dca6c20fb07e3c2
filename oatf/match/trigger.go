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

// ParseTrigger builds a trigger from the fields of a document: "" and absent values mean that a field is missing, and a
// count below 1 means 1.
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

// After returns the maximum duration of the phase, ok false if there is none. The caller sets a timer: Advance acts only when called.
func (t *Trigger) After() (d time.Duration, ok bool) { return t.after, t.timed }

// A Reason is why a phase ended.
type Reason string

// The reasons. The zero Reason means that the phase goes on.
const (
	EventMatched Reason = "event_matched"
	TimedOut     Reason = "timeout"
)

// Advance reports whether and why the phase ends, elapsed after its start. Call it for every event with its content,
// and with event "" when only time has passed. seen counts matching events since the start of the phase; the caller
// keeps one per phase and actor, and Advance changes it.
//
// Time takes precedence: an event that arrives after the time limit is not counted. Nor is one whose content takes
// longer to examine than ctx allows, which is the error.
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

// EffectiveState returns the state of the phase with this index: its own, or that of the nearest earlier phase that has
// one (§5.2, SDK §5.10). States are replaced entirely, never merged. A null state counts as absent.
func EffectiveState(states []rawjson.Value, phase int) rawjson.Value {
	for i := min(phase, len(states)-1); i >= 0; i-- {
		if s := states[i]; s.Exists() && s.Kind() != rawjson.Null {
			return s
		}
	}
	return rawjson.Value{}
}
