package probing

import (
	"fmt"
	"strings"

	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/internal/leaf/probe"
)

var _ = add(Probe{
	ID: "P14", Asks: "whether a token of too few rights is refused with HTTP 403 and insufficient_scope", Effect: probe.Reads, HTTP: true,
	Signal: "authorization", Unless: "no valid token was refused; --other-bearer-env names a second one, of fewer rights",
	Judge: judgeScope,
})

// judgeScope reads the refusals of tokens that the server otherwise takes.
func judgeScope(e *probe.Protocol) Verdict {
	for _, x := range exchanges(e, "P14") {
		if x.Status != 403 {
			continue
		}
		if strings.Contains(strings.ToLower(x.Answer["Www-Authenticate"]), "insufficient_scope") {
			return held(x.Step + " with another token was refused with HTTP 403 and insufficient_scope")
		}
		return brokenBy(x, x.Step+" with another token was refused with HTTP 403, and WWW-Authenticate does not say insufficient_scope")
	}
	return Verdict{}
}

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

// OtherSession is the step of P09 that asks in a session with the token of another user.
const OtherSession = "with another token"

var _ = protocolCheck(check.Check{
	ID: "GNT-446", Name: "session-of-another-user", Severity: finding.High, Axis: "authentication",
	Taxonomy: "MCP07:2025 exact, ASI03 close, CWE-639 close, CWE-384 close, L5 close, L4 weak", Source: "https://modelcontextprotocol.io/specification/2025-11-25/basic/security_best_practices",
	Doc: `A session that one user began answered a request with the token of another. Whoever learns a session id can then act in it, and what is
pushed into it reaches somebody else. Tried with --other-bearer-env alone.

What stays quiet: servers that answer requests without any token.`,
	Advice: "Bind each session to the user who began it, and answer others with HTTP 404.",
}, func(e *probe.Protocol) Verdict {
	none, first, other := e.Find("P11", "no token"), e.Find("P30", "first"), e.Find("P09", OtherSession)
	switch {
	case other == nil || !other.Answered:
		return unprobed("no session could be asked in with another token")
	case none == nil || !none.Answered || IsResult(none) || first == nil || !IsResult(first) || !IsResult(other):
		return Verdict{}
	}
	return broken("a session that was begun with one token answers a request with another: " + other.Sent)
})

var _ = add(Probe{
	ID: "P23", Asks: "whether many requests in a short time meet a limit", Effect: probe.Load, HTTP: true,
	Signal: "rate-limit", Unless: "a burst is load: --burst N sends one",
	Judge: func(e *probe.Protocol) Verdict {
		b := e.Burst
		switch {
		case b == nil || b.Answered == 0:
			return Verdict{}
		case b.Limited > 0:
			return held(fmt.Sprintf("%d of %d requests in %.1f s were refused by a limit", b.Limited, b.Sent, b.Seconds))
		case b.Answered < b.Sent:
			return unprobed(fmt.Sprintf("%d of %d requests in %.1f s got no answer: whether that is a limit cannot be told", b.Sent-b.Answered, b.Sent, b.Seconds))
		}
		return broken(fmt.Sprintf("no limit was seen in %d requests in %.1f s", b.Sent, b.Seconds))
	},
	Rule: check.Check{
		ID: "SEC-024", Name: "rate-limit-present", Severity: finding.Info, Axis: "denial-of-service",
		Taxonomy: "MCP07:2025 weak, ASI08 close, CWE-770 close, L4 close, L5 weak", Source: "https://modelcontextprotocol.io/specification/2025-11-25/server/tools",
		Doc: `Many requests in a short time, sent with --burst alone, were all answered. The message has their number and the time: a limit may lie higher,
which this does not tell.`,
		Advice: "Limit how often one client may call, and answer HTTP 429 with Retry-After.",
	},
})
