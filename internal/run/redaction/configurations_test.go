package redaction

import (
	"testing"

	"gauntlet/finding"
	"gauntlet/result"
)

// Findings in configurations mask their secrets themselves, and keep what they are about; those of anything else lose it.
func TestFindingsInConfigurationsStay(t *testing.T) {
	const value = "my-s3cr3t-value"
	in := func(file string) finding.Finding {
		return finding.Finding{Message: "says " + value, Location: finding.Location{File: file}}
	}
	r := &result.Report{
		Clients:    &result.Clients{Files: []result.ClientFile{{File: "mcp.json"}}},
		Findings:   []finding.Finding{in("mcp.json"), in("other.json"), in("")},
		Suppressed: []result.Suppressed{{Finding: in("mcp.json")}, {Finding: in("other.json")}},
	}
	New([]string{"TOKEN=" + value}).Report(r)
	for i, f := range append(r.Findings, r.Suppressed[0].Finding, r.Suppressed[1].Finding) {
		if kept := f.Message == "says "+value; kept != (f.Location.File == "mcp.json") {
			t.Errorf("%d, in %q: %q", i, f.Location.File, f.Message)
		}
	}
}
