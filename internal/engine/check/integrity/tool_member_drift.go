package integrity

import (
	"gauntlet/finding"
	"gauntlet/internal/engine/check"
)

var _ = register(check.Check{
	ID: "GNT-017", Name: "tool-member-drift", Severity: finding.Medium, Maturity: check.Experimental,
	Taxonomy: "MCP03:2025 weak, MCP04:2025 close, ASI04 close, CWE-353 close, CWE-345 close, AML.T0109 weak, SAFE-T1201 weak, L6 close, L2 weak",
	Axis:     "rug-pull", Needs: check.Baseline, Source: toolPins,
	Doc: `Another part of a tool has changed since the baseline: its title (severity medium), or its icons, its
execution settings or any non-standard member (low).

People approve a tool by its title. Clients show the other parts to the user, and some hosts pass them to the
model. Descriptions are SEC-014; schemas and annotations are SEC-015. Versions and "_meta" are not reported,
since they are meant to change. There is one finding for each tool; matching and comparing work as in SEC-014
and SEC-015.`,
	Advice: "Check that the tool still presents itself as what you approved. If so, make the new snapshot the baseline.",
	Run: func(p *check.Pass) {
		others := only("name", "description", "inputSchema", "outputSchema", "annotations", "_meta", "version")
		eachKept(p, tools, func(k kept) {
			cs := changes(k.old, k.new, func(m string) bool { return !others(m) })
			severity := finding.Low
			for _, c := range cs {
				if c.member == "title" {
					severity = finding.Medium
				}
			}
			k.reportChange(p, severity, cs)
		})
	},
})
