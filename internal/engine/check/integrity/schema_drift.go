package integrity

import (
	"gauntlet/finding"
	"gauntlet/internal/engine/check"
)

var _ = register(check.Check{
	ID: "SEC-015", Name: "schema-drift", Severity: finding.Medium, Maturity: check.Experimental,
	Taxonomy: "MCP03:2025 weak, MCP04:2025 close, ASI04 close, CWE-353 close, CWE-345 close, AML.T0109 close, SAFE-T1201 close, SAFE-T1501 weak, L6 close, L2 weak",
	Axis:     "rug-pull", Needs: check.Baseline, Source: check.SourceSEC,
	Doc: `The input schema, the output schema or the annotations of a tool that stands in the baseline have
changed.

A new parameter is a new way out for data, a new default a new behaviour, and descriptions inside a
schema speak to the model as the tool's own does. Annotations decide in many clients whether the user
is asked: a destructiveHint that turned false is a change of what was approved.

There is one finding a tool, whose message names the parts and places. Values are compared by what
they mean: the order of members, white space, escapes and the spelling of numbers do not count; the
order of list elements does. A part that is missing or null is not there. How servers and tools are
matched, SEC-014 says; added and removed tools are silent.`,
	Advice: "Check that the new schema asks for nothing that the tool has no use for; if it is fine, make the new snapshot the baseline.",
	Run: func(p *check.Pass) {
		eachKept(p, tools, func(k kept) {
			if cs := changes(k.old, k.new, only("inputSchema", "outputSchema", "annotations")); cs != nil {
				k.reportChange(p, finding.None, cs)
			}
		})
	},
})
