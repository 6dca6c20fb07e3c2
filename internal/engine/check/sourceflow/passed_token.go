package sourceflow

import (
	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/sink"
)

var _ = register(check.Check{
	ID: "GNT-702", Name: "token-passthrough", Severity: finding.Medium, Maturity: check.Experimental, Needs: check.Sources,
	Taxonomy: "MCP01:2025 close, MCP07:2025 close, ASI03 close, CWE-522 close, CWE-441 close, L4 close, L5 weak",
	Axis:     "authorization", Source: "https://modelcontextprotocol.io/specification/2025-06-18/basic/security_best_practices#token-passthrough",
	Doc: `The header Authorization of a request that a client sent to this server becomes the header Authorization of a request that the server sends to
another one. The specification forbids it: the token was made for this server, the other one cannot tell who asks, and a
stolen token opens both.

The way is followed through names that are assigned once, templates and defaults. Silent on tokens of the server's own, on tokens that were exchanged for
others, and on headers that a proxy hands on as a whole.`,
	Advice: "Exchange the token for one that was made for the other server, or use the server's own.",
	Run: func(p *check.Pass) {
		reportSites(p, ofEverySite(finding.None), sink.PassedToken)
	},
})
