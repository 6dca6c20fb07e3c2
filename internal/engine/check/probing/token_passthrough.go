package probing

import (
	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/internal/leaf/probe"
)

var _ = add(Probe{
	ID: "P13", Asks: "whether the token of the client is handed on to other services", Effect: probe.Writes, HTTP: true,
	Unless: "no token was sent, or no tool could be led to a planted service",
	Judge: func(e *probe.Protocol) Verdict {
		switch {
		case e.PassedOn != "":
			return broken("the token of the probes came to another service: " + e.PassedOn)
		case e.Planted && e.Token:
			return held("a planted service was asked, and no request carried the token")
		}
		return Verdict{}
	},
	Rule: check.Check{
		ID: "GNT-447", Name: "token-passed-on", Severity: finding.Critical, Axis: "authentication",
		Taxonomy: "MCP01:2025 exact, MCP07:2025 close, ASI03 exact, CWE-441 close, CWE-522 close, L4 close, L3 weak", Source: "https://modelcontextprotocol.io/specification/2025-11-25/basic/security_best_practices",
		Doc: `A service that a tool was led to got the very token that the client had sent to the server. Whoever makes the server fetch an address of theirs
has the user's token. The specification forbids to pass tokens on to anybody.`,
		Advice: "Use credentials of the server's own for other services; never copy Authorization from the request.",
	},
})
