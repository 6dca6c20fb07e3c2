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
	Doc: `The source asks to be notified when the client's roots change, but never asks which directories they are. A
user who sets roots then believes that the server stays inside them.

Roots are a client capability of revisions 2024-11-05 to 2025-11-25. Revision 2026-07-28 deprecates them, so a
server only for that revision need not ask. Not reported: servers that never mention roots.`,
	Advice: "Request the roots with roots/list and stay inside them, or remove the notification handler.",
	Run: func(p *check.Pass) {
		reportSites(p, ofEverySite(finding.None), sink.UnusedRoots)
	},
})
