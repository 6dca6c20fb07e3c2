package sourceflow

import (
	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/sink"
)

var _ = register(check.Check{
	ID: "MCP-S-014", Name: "open-listener", Severity: finding.Medium, Maturity: check.Experimental, Needs: check.Sources,
	Taxonomy: "MCP07:2025 close, ASI03 weak, CWE-346 exact, CWE-306 close, L5 close, L4 weak",
	Axis:     "open-listener", Source: "https://modelcontextprotocol.io/specification/2025-06-18/basic/transports#security-warning",
	Doc: `The server opens an HTTP endpoint to callers that should not reach it. There are three cases.

Nothing checks the Host or Origin header of a request. A web page in a browser on the same machine can then
make its own name resolve to 127.0.0.1 (DNS rebinding) and call the tools. Guards are the transport's own list
of hosts or origins, a middleware made for it, a function that reads Host or Origin and refuses requests, and
one that refuses requests without a credential. In the TypeScript SDK, enableDnsRebindingProtection alone
checks nothing; the message says so.

The server listens on all addresses of the machine (0.0.0.0, or listen() without a host), asks for no
credential and does not check Host.

CORS lets every origin read the answers, with the credentials of the user's browser.

A guard anywhere in the program counts for all its endpoints. Not reported: endpoints that no code of the
program listens for, as in cloud functions. Newer SDKs check the header by themselves for requests to the
loopback address; the manifest says which version is used: Python's FastMCP from 1.23 on (pyproject.toml,
requirements.txt), the official Go SDK from 1.4 on (for SSE from 1.6 on), and mcp-go from 0.56 on (go.mod),
unless the program switches the check off. No version of the TypeScript SDK does so in the transport; an
application made by createMcpExpressApp does, unless it is given another address and no list of hosts.`,
	Advice: "Give the transport the allowed hosts and origins, listen on 127.0.0.1, and ask for a credential where others can reach the server.",
	Run: func(p *check.Pass) {
		reportSites(p, ofEverySite(finding.None), sink.OpenListener, sink.WideListener, sink.OpenSharing)
	},
})

// ofEverySite is the severity of every site of a check.
func ofEverySite(s finding.Severity) func(sink.Site) finding.Severity {
	return func(sink.Site) finding.Severity { return s }
}
