package scanner

import (
	"testing"

	"gauntlet/internal/leaf/probe"
	"gauntlet/result"
)

// A tool of which no trial had an answer is a problem, planned or not, and so is a planned trial that was answered as any value is; one
// whose values its server refuses has answered.
func TestToolThatNoTrialReached(t *testing.T) {
	missed := func(tool, why string) result.ProbeTrial {
		return result.ProbeTrial{Tool: tool, Parameter: "id", Class: "path traversal", Outcome: result.NotDelivered, Reason: why}
	}
	p := &result.Probing{Server: "s", Trials: []result.ProbeTrial{
		missed("dies", "the server ended"), missed("dies", "the server ended"),
		missed("refuses", probe.Refused+": id must be a number"), missed("refuses", "the server ended"),
		{Tool: "answers", Parameter: "id", Class: "SQL injection", Outcome: result.ResistedIt}, missed("answers", "the server ended"),
		{Tool: "down", Parameter: "id", Class: "SQL injection", Planned: true, Outcome: result.InconclusiveTrial, Reason: probe.SameResult},
		{Tool: "unplanned", Parameter: "id", Class: "SQL injection", Outcome: result.InconclusiveTrial, Reason: probe.SameResult},
	}}
	got := undelivered(p)
	if len(got) != 2 || got[0].Location.Item != "dies" || got[1].Location.Item != "down" {
		t.Errorf("%+v, want two problems, of the tool that dies and of the one that is down", got)
	}
}
