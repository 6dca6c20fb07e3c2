package sourceflow

import (
	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/sink"
)

var _ = register(check.Check{
	ID: "GNT-703", Name: "guessable-session-id", Severity: finding.Medium, Maturity: check.Experimental, Needs: check.Sources,
	Taxonomy: "MCP07:2025 close, ASI03 close, CWE-330 exact, CWE-384 weak, L5 close, L4 weak",
	Axis:     "transport", Source: "https://modelcontextprotocol.io/specification/2025-06-18/basic/security_best_practices#session-hijacking",
	Doc: `Session ids are made from the clock or from a random generator that is not made for secrets: Math.random(),
Date.now(), time.time(), Python's random. Whoever guesses an id can act in another user's session.

The check looks where the transport is told how to make ids, and where a variable or member called sessionId
is assigned. Not reported: ids that include a value from a generator for secrets (randomUUID, uuid4, token_hex
…), and servers that speak only over stdio.`,
	Advice: "Make ids with crypto.randomUUID(), uuid.uuid4() or secrets.token_hex().",
	Run: func(p *check.Pass) {
		reportSites(p, ofEverySite(finding.None), sink.GuessableID)
	},
})
