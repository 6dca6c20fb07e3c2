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
	Doc: `The id of a session is made of a clock or of chance that is not made for secrets: Math.random(), Date.now(), time.time(), Python's random. Whoever
guesses it speaks in the session of another user.

It is looked for where the transport is told how to make ids, and where a variable or member called sessionId takes a value. Silent as soon as a function
that is made for secrets (randomUUID, uuid4, token_hex …) is part of it, and where the server speaks over stdio alone.`,
	Advice: "Make ids with crypto.randomUUID(), uuid.uuid4() or secrets.token_hex().",
	Run: func(p *check.Pass) {
		reportSites(p, ofEverySite(finding.None), sink.GuessableID)
	},
})
