package attack

import (
	"strings"
	"time"

	"gauntlet/oatf"
	"gauntlet/rawjson"
)

// A Summary says what became of a run.
type Summary struct {
	Ended    string         `json:"ended"` // why, in words
	Duration time.Duration  `json:"duration_ns"`
	Actors   []ActorSummary `json:"actors"` // those that were played first
	Wire     []FaultOutcome `json:"wire,omitempty"`
	// Lost is why messages are missing in the trace, "" if none are.
	Lost string `json:"lost,omitempty"`
}

// An ActorSummary says how far an actor came.
type ActorSummary struct {
	Name    string   `json:"name"`
	Mode    string   `json:"mode"`
	Phases  []string `json:"phases,omitempty"`  // that it went through, the last one included
	Through bool     `json:"through"`           // it did everything that it has to do
	Skipped string   `json:"skipped,omitempty"` // why it was not played, "" if it was
	Failed  string   `json:"failed,omitempty"`  // why it could not do its part, "" if it could
}

func (r *Run) summary(why string, took time.Duration) Summary {
	r.mu.Lock()
	s := Summary{Ended: why, Duration: took, Lost: r.lost}
	r.mu.Unlock()
	for _, a := range r.actors {
		a.mu.Lock()
		one := ActorSummary{Name: a.name, Mode: a.mode, Through: a.done && a.failed == "", Failed: a.failed}
		for i := range a.m.index + 1 {
			one.Phases = append(one.Phases, a.phases[i].name)
		}
		a.mu.Unlock()
		s.Actors = append(s.Actors, one)
	}
	s.Actors = append(s.Actors, r.skipped...)
	for _, v := range r.servers {
		s.Wire = append(s.Wire, v.faults.outcomes()...)
	}
	return s
}

// prompt returns what a document has the user say to the agent; see [Run.Prompt].
func prompt(doc *oatf.Document) string {
	for i := range doc.Attack.Execution.Actors {
		a := &doc.Attack.Execution.Actors[i]
		if a.Mode != "ag_ui_client" {
			continue
		}
		var said []string
		for p := range a.Phases {
			for _, m := range a.Phases[p].State.Get("run_agent_input").Get("messages").Elements() {
				if text := saidIn(m.Get("content")); m.Get("role").Is("user") && text != "" {
					said = append(said, text)
				}
			}
		}
		if said != nil {
			return strings.Join(said, "\n\n")
		}
	}
	return ""
}

// saidIn returns the words of a message's content: a text, or a list of parts of which those
// of text count.
func saidIn(content rawjson.Value) string {
	var parts []string
	for _, p := range content.Elements() {
		if text := p.Get("text").Text(); text != "" {
			parts = append(parts, text)
		}
	}
	return content.Text() + strings.Join(parts, "\n")
}
