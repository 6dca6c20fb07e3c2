package integrity

import (
	"gauntlet/finding"
	"gauntlet/internal/engine/check"
)

var _ = register(check.Check{
	ID: "SEC-015", Name: "schema-drift", Severity: finding.Medium, Maturity: check.Experimental,
	Taxonomy: "MCP03:2025 weak, MCP04:2025 close, ASI04 close, CWE-353 close, CWE-345 close, AML.T0109 close, SAFE-T1201 close, SAFE-T1501 weak, L6 close, L2 weak",
	Axis:     "rug-pull", Needs: check.Baseline, Source: check.SourceSEC,
	Doc: `The input schema, the output schema or the annotations of a tool have changed since the baseline.

A new parameter is a new way out for data, a new default changes what a call does, and the model reads
descriptions inside a schema like the tool's own. In many clients the annotations decide whether the user is
asked before a call: a destructiveHint that became false changes what was approved.

There is one finding for each tool; its message names the changed parts. Values are compared by meaning: the
order of members, white space, escapes and the spelling of numbers do not matter, the order of list elements
does. A part that is null counts as missing. Servers and tools are matched as in SEC-014; added and removed
tools are not reported.`,
	Advice: "Check that the new schema asks only for what the tool needs. If it is fine, make the new snapshot the baseline.",
	Run:    drift(tools, "inputSchema", "outputSchema", "annotations"),
})
