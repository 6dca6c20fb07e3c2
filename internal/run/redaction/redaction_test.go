package redaction

import (
	"strings"
	"testing"

	"gauntlet/finding"
	"gauntlet/internal/leaf/redact"
	"gauntlet/result"
)

// A value is removed from every text of a live server's report, also where an excerpt was
// cut in the middle of it.
func TestRedactReport(t *testing.T) {
	const value = "my-s3cr3t-value"
	f := finding.Finding{
		Message:  "says " + value,
		Location: finding.Location{Server: "s " + value, Item: value, Pointer: "/tools/0/" + value},
		Evidence: finding.Evidence{
			Raw: "begins " + value[:9], Normalized: value[5:] + " ends",
			Before: "Key " + value, After: value[4:] + " and " + value[:6],
		},
	}
	r := &result.Report{
		Findings:   []finding.Finding{f},
		Suppressed: []result.Suppressed{{Finding: f}},
		Problems:   []finding.Problem{{Message: value, Location: finding.Location{Server: value}}},
		Coverage:   result.Coverage{Servers: []result.ServerCoverage{{Server: value}}},
		Posture:    []result.Signal{{Detail: "has " + value}},
	}
	New([]string{"TOKEN=" + value}).Report(r)
	g, accepted := r.Findings[0], r.Suppressed[0].Finding
	for name, text := range map[string]string{
		"message": g.Message, "server": g.Location.Server, "item": g.Location.Item, "pointer": g.Location.Pointer,
		"raw": g.Evidence.Raw, "normalized": g.Evidence.Normalized, "before": g.Evidence.Before, "after": g.Evidence.After,
		"suppressed message": accepted.Message, "suppressed raw": accepted.Evidence.Raw, "suppressed item": accepted.Location.Item,
		"problem": r.Problems[0].Message, "problem's server": r.Problems[0].Location.Server,
		"coverage": r.Coverage.Servers[0].Server, "posture": r.Posture[0].Detail,
	} {
		for n := 0; n+redact.Shortest <= len(value); n++ {
			if part := value[n : n+redact.Shortest]; strings.Contains(text, part) {
				t.Errorf("%s still has %q: %q", name, part, text)
				break
			}
		}
	}
}
