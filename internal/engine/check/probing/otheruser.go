package probing

import (
	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/internal/leaf/probe"
)

// OtherSession is the step of P09 that asks in a session with the token of another user.
const OtherSession = "with another token"

var _ = protocolCheck(check.Check{
	ID: "GNT-446", Name: "session-of-another-user", Severity: finding.High, Axis: "authentication",
	Taxonomy: "MCP07:2025 exact, ASI03 close, CWE-639 close, CWE-384 close, L5 close, L4 weak", Source: "https://modelcontextprotocol.io/specification/2025-11-25/basic/security_best_practices",
	Doc: `A session that one user began answered a request with the token of another. Whoever learns a session id can then act in it, and what is
pushed into it reaches somebody else. Tried with --other-bearer-env alone.

What stays quiet: servers that answer requests without any token.`,
	Advice: "Bind each session to the user who began it, and answer others with HTTP 404.",
}, func(e *probe.Protocol) (string, finding.Severity) {
	none, first, other := e.Find("P11", "no token"), e.Find("P30", "first"), e.Find("P09", OtherSession)
	if none == nil || !none.Answered || isResult(none) || first == nil || !isResult(first) || other == nil || !isResult(other) {
		return "", finding.None
	}
	return "a session that was begun with one token answers a request with another: " + other.Sent, finding.None
})
