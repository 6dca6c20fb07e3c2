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
	Doc: `The server takes the Authorization header of a client's request and sends it to another server. The MCP
specification forbids this (token passthrough): the token was issued for this server, the other server cannot
tell who is asking, and a stolen token opens both.

The value is followed through names that are assigned once, templates and defaults. Not reported: the server's
own tokens, tokens that were exchanged for others, and a proxy that forwards all headers.`,
	Advice: "Exchange the token for one issued for the other server, or use the server's own.",
	Run: func(p *check.Pass) {
		reportSites(p, ofEverySite(finding.None), sink.PassedToken)
	},
})
