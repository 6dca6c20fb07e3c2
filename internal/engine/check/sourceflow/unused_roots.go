package sourceflow

import (
	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/sink"
)

var _ = register(check.Check{
	ID: "MCP-S-012", Name: "unused-roots", Severity: finding.Low, Maturity: check.Experimental, Needs: check.Sources,
	Taxonomy: "MCP02:2025 weak, ASI03 weak, CWE-668 weak, L4 close, L3 weak",
	Axis:     "over-permission", Source: "https://modelcontextprotocol.io/specification/2025-11-25/client/roots",
	Doc: `The source asks to be told when the client's roots change, and nowhere asks which directories they are. A user who sets roots then
believes that the server keeps to them.

Roots are a capability of the client. Revisions 2024-11-05 to 2025-11-25 have them; the revision 2026-07-28 deprecates them, and a server for that revision alone has
nothing to ask. Silent on servers that never speak of roots.`,
	Advice: "Ask for the roots with roots/list and keep to them, or leave the notification out.",
	Run: func(p *check.Pass) {
		reportSites(p, ofEverySite(finding.None), sink.UnusedRoots)
	},
})
