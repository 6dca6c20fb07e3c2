package sourceflow

import (
	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/sink"
)

var _ = register(check.Check{
	ID: "MCP-S-009", Name: "server-side-request-forgery", Severity: finding.Medium, Maturity: check.Experimental, Needs: check.Sources,
	Taxonomy: "MCP05:2025 close, ASI05 weak, CWE-918 exact, L3 close, L4 weak",
	Axis:     "server-side-request-forgery", Source: "https://cwe.mitre.org/data/definitions/918.html",
	Doc: `A tool's parameter decides which host the server sends a request to, so that the caller reaches what only the
server can reach: services on its machine and network, and its cloud's metadata service, which hands out
credentials.

An address counts as guarded where its host is one of a list or ends with a fixed name, and where the host's
IP address is looked up and checked before the request. Comparing only the host's text is not enough, since
any name can resolve to any address; the message says so.

The severity is low where the host is fixed and the parameter becomes part of the path or query without being
encoded: with ../ the caller can request something else from the same service.

The same applies to a request header that names the host of a service that the server calls with its own
credential.

Not reported: encoded parts, and values whose path through the code could not be followed. Redirects and
changing DNS answers are not judged.`,
	Advice: "Compare the host with a list, or look up its address, refuse private ones and connect to exactly that address. Encode what becomes part of a path.",
	Run: func(p *check.Pass) {
		reportFlows(p, func(f sink.Flow) finding.Severity {
			if f.Kind == sink.URLPathFlow {
				return finding.Low
			}
			return finding.None
		}, map[sink.FlowKind]string{sink.HostFlow: "the address of a request", sink.URLPathFlow: "part of the address of a request"})
		reportSites(p, ofEverySite(finding.None), sink.HeaderAddress)
	},
})
