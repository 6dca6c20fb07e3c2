package integrity

import (
	"gauntlet/finding"
	"gauntlet/internal/engine/check"
)

var _ = register(check.Check{
	ID: "GNT-017", Name: "tool-member-drift", Severity: finding.Medium, Maturity: check.Experimental,
	Taxonomy: "MCP03:2025 weak, MCP04:2025 close, ASI04 close, CWE-353 close, CWE-345 close, AML.T0109 weak, SAFE-T1201 weak, L6 close, L2 weak",
	Axis:     "rug-pull", Needs: check.Baseline, Source: toolPins,
	Doc: `Something else in a tool that stands in the baseline has changed: its title (medium), or its icons,
execution or any member beside the standard ones (low).

The title is the name by which people approve a tool. The rest is shown to the user or, by some hosts,
to the model. The description is SEC-014's and schemas and annotations are SEC-015's. A version
stamp and "_meta" are silent: they are meant to move. There is one finding a tool; matching and
comparing are those of SEC-014 and SEC-015.`,
	Advice: "Check that the tool still presents itself as what you approved; if so, make the new snapshot the baseline.",
	Run: func(p *check.Pass) {
		others := only("name", "description", "inputSchema", "outputSchema", "annotations", "_meta", "version")
		eachKept(p, tools, func(k kept) {
			cs := changes(k.old, k.new, func(m string) bool { return !others(m) })
			if cs == nil {
				return
			}
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
