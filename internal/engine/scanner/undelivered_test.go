package scanner

import (
	"testing"

	"gauntlet/internal/leaf/probe"
	"gauntlet/result"
)

// A tool of which no trial had an answer is a problem, planned or not; one whose values its server refuses has answered.
func TestToolThatNoTrialReached(t *testing.T) {
	missed := func(tool, why string) result.ProbeTrial {
		return result.ProbeTrial{Tool: tool, Parameter: "id", Class: "path traversal", Outcome: result.NotDelivered, Reason: why}
	}
	p := &result.Probing{Server: "s", Trials: []result.ProbeTrial{
		missed("dies", "the server ended"), missed("dies", "the server ended"),
		missed("refuses", probe.Refused+": id must be a number"), missed("refuses", "the server ended"),
		{Tool: "answers", Parameter: "id", Class: "SQL injection", Outcome: result.ResistedIt}, missed("answers", "the server ended"),
	}}
	got := undelivered(p)
	if len(got) != 1 || got[0].Location.Item != "dies" {
		t.Errorf("%+v, want one problem, of the tool that dies", got)
	}
}
