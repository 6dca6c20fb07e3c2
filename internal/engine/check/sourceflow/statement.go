package sourceflow

import (
	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/sink"
)

var _ = register(check.Check{
	ID: "MCP-S-008", Name: "sql-injection", Severity: finding.High, Maturity: check.Experimental, Needs: check.Sources,
	Taxonomy: "MCP05:2025 close, ASI05 weak, CWE-89 exact, L3 close, L4 weak",
	Axis:     "sql-injection", Source: "https://cwe.mitre.org/data/definitions/89.html",
	Doc: `A parameter of a tool is written into the text of a statement that a database runs, so that its caller can end the
value and go on with a statement of their own.

A value is guarded where it is bound as a parameter of the query, is a number, is one of a list, or matches a pattern that leaves out
quotation marks. Doubling or escaping some of them is not taken for a guard.

In the filter of a document database (MongoDB), a parameter that may be an object brings operators of its own: {"$ne": null} in place of a
password fits every document. That counts where the SDK lets an object in, as low-level servers do, and no code asks whether it is
a text. A parameter inside $where becomes code that the database runs.

Silent on statements and filters that the caller sends as a whole, which is what such a tool is for, and where the way could not be followed.`,
	Advice: "Bind values as query parameters; check table and column names against an allowlist.",
	Run: func(p *check.Pass) {
		reportFlows(p, always(finding.None), map[sink.FlowKind]string{
			sink.SQLFlow: "the text of a statement", sink.QueryFlow: "part of the filter of a query",
		})
	},
})
