package sourceflow

import (
	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/sink"
)

var _ = register(check.Check{
	ID: "GNT-711", Name: "unbounded-read", Severity: finding.Low, Maturity: check.Experimental, Needs: check.Sources,
	Taxonomy: "MCP07:2025 weak, ASI08 weak, CWE-770 exact, CWE-400 close, L5 close, L4 weak",
	Axis:     "resource-exhaustion", Source: "https://cwe.mitre.org/data/definitions/770.html",
	Doc: `The server reads untrusted data into memory as a whole, whatever its length: the response of an address that a
tool's caller chooses, or the body of a request to the server's own endpoint. A sender that never stops makes
the server run out of memory.

Not reported: addresses in the source or whose host is checked in any way; code that checks the length or
counts it while parts arrive (content-length, maxContentLength, a stream, io.LimitReader,
http.MaxBytesReader); and responses that another function reads than the one that made the request.`,
	Advice: "Read in parts and stop at a limit; stop early where content-length exceeds it.",
	Run: func(p *check.Pass) {
		reportFlows(p, always(finding.None), map[sink.FlowKind]string{sink.BodyFlow: "the address of a request"})
		reportSites(p, ofEverySite(finding.None), sink.UnboundedRead)
	},
})
