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
	Doc: `What a stranger sends is read into memory as a whole, however long it is: the answer of an address that a tool's caller chooses, or the body
of a request to the server's own endpoint. Whoever holds the address answers without an end, and the server is killed.

Silent where the address is the source's own or its host is compared with anything, where the length is asked for or counted while parts come (content-length,
maxContentLength, a stream, io.LimitReader, http.MaxBytesReader), and where another function reads the answer than the one that asked.`,
	Advice: "Read in parts and stop at a limit; give up early where content-length is beyond it.",
	Run: func(p *check.Pass) {
		reportFlows(p, always(finding.None), map[sink.FlowKind]string{sink.BodyFlow: "the address of a request"})
		reportSites(p, ofEverySite(finding.None), sink.UnboundedRead)
	},
})
