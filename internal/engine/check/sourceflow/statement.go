package sourceflow

import (
	"strings"

	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/sink"
)

var _ = register(check.Check{
	ID: "MCP-S-008", Name: "sql-injection", Severity: finding.High, Maturity: check.Experimental, Needs: check.Sources,
	Taxonomy: "MCP05:2025 close, ASI05 weak, CWE-89 exact, L3 close, L4 weak",
	Axis:     "sql-injection", Source: "https://cwe.mitre.org/data/definitions/89.html",
	Doc: `A tool's parameter is written into the text of a database statement, so that the caller can end the value and
continue with statements of their own.

A value counts as guarded where it is bound as a query parameter, is a number, is one of a list, or matches a
pattern that excludes quotation marks. Doubling or escaping some of them does not count.

In a filter for a document database (MongoDB), a parameter that may be an object can bring its own operators:
{"$ne": null} in place of a password matches every document. This counts where the SDK accepts an object, as
low-level servers do, and no code checks that the value is a string. A parameter inside $where becomes code
that the database runs.

A statement that the caller sends as a whole is reported, with severity medium, where the server promises that it
only reads and keeps the promise by comparing words, or inside a read-only transaction that a second statement can end.

Not reported: other statements and filters that the caller sends as a whole, since that is the purpose of such a
tool, and values whose path through the code could not be followed.`,
	Advice: "Bind values as query parameters. Check table and column names against an allowlist.",
	Run: func(p *check.Pass) {
		reportFlows(p, func(f sink.Flow) finding.Severity {
			if f.Kind == sink.SQLFlow && strings.HasPrefix(f.About, "read only") {
				return finding.Medium
			}
			return finding.None
		}, map[sink.FlowKind]string{
			sink.SQLFlow: "the text of a database statement", sink.QueryFlow: "part of a query filter",
		})
	},
})
