package attack

import (
	"time"
)

// A Summary is the outcome of a run.
type Summary struct {
	Ended    string         `json:"ended"` // why, in words
	Duration time.Duration  `json:"duration_ns"`
	Actors   []ActorSummary `json:"actors"` // those played come first
	Wire     []FaultOutcome `json:"wire,omitempty"`
	// Lost is why messages are missing from the trace, or "".
	Lost string `json:"lost,omitempty"`
	// Unwritten is why a text that a model should write was not sent, or "".
	Unwritten string `json:"unwritten,omitempty"`
}

// An ActorSummary says how far an actor got.
type ActorSummary struct {
	Name    string   `json:"name"`
	Mode    string   `json:"mode"`
	Phases  []string `json:"phases,omitempty"`  // phases it entered, including the last
	Through bool     `json:"through"`           // it did everything it has to do
	Skipped string   `json:"skipped,omitempty"` // why it was not played, or ""
	Failed  string   `json:"failed,omitempty"`  // why it could not do its part, or ""
}

func (r *Run) summary(why string, took time.Duration) Summary {
	r.mu.Lock()
	s := Summary{Ended: why, Duration: took, Lost: r.lost, Unwritten: r.unwritten}
	r.mu.Unlock()
	for _, a := range r.actors {
		a.mu.Lock()
		one := ActorSummary{Name: a.Name, Mode: a.Mode, Through: a.done && a.failed == "", Failed: a.failed}
		for i := range a.m.index + 1 {
			one.Phases = append(one.Phases, a.Phases[i].Name)
		}
		a.mu.Unlock()
		s.Actors = append(s.Actors, one)
	}
	s.Actors = append(s.Actors, r.skipped...)
	for _, server := range r.Servers() {
		if server.Faults != nil {
			s.Wire = append(s.Wire, server.Faults()...)
		}
	}
	return s
}
