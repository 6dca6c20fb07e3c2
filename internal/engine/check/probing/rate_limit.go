package probing

import (
	"fmt"

	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/internal/leaf/probe"
)

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
