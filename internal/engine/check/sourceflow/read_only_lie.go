package sourceflow

import (
	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/sink"
)

var _ = register(check.Check{
	ID: "GNT-701", Name: "read-only-lie", Severity: finding.Medium, Maturity: check.Experimental, Needs: check.Sources,
	Taxonomy: "MCP02:2025 weak, ASI02 close, ASI09 close, CWE-451 close, L4 close, L2 weak",
	Axis:     "over-permission", Source: "https://modelcontextprotocol.io/specification/2025-11-25/server/tools",
	Doc: `The source declares a tool with readOnlyHint: true, but its handler writes, moves or deletes files or changes
a database. Clients run read-only tools without asking the user. MCP-S-004 compares the annotation with the
tool's name; this check compares it with what the code does.

Only calls in the handler itself or one function away count, and only those that the table of sinks lists as
writing. What half of the server's tools reach is taken for the server's log or cache. Not reported: temporary
files, paths next to the program, and registrations without an annotation.`,
	Advice: "Declare readOnlyHint: false, or have the tool write nothing.",
	Run: func(p *check.Pass) {
		reportSites(p, ofEverySite(finding.None), sink.ReadOnlyLie)
	},
})
