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
	Doc: `The source declares a tool with readOnlyHint true, and its handler writes, moves or deletes files or changes a database. Clients run
such tools without asking. MCP-S-004 compares the annotation with the tool's name; this check compares it with what the tool does.

Only calls count that the handler makes itself or one function away and that the sink table knows to write. What half of the server's tools reach is
the server's log or cache and no tool's own. Silent on temporary files, on paths beside the program, and where no
annotation stands in the registration.`,
	Advice: "Declare readOnlyHint false, or let the tool write nothing.",
	Run: func(p *check.Pass) {
		reportSites(p, ofEverySite(finding.None), sink.ReadOnlyLie)
	},
})
