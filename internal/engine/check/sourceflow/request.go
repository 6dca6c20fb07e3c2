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
	Doc: `A parameter of a tool decides which host the server makes a request to, so that its caller reaches what only the server
can: services on its own machine and network, and the metadata service of its cloud, which hands out credentials.

An address is guarded where its host is one of a list or ends with a fixed name, and where the address that the host has is looked
up and compared before the request. Comparing the host as text alone is not enough, since any name can lead to any address;
the message says so.

Severity low, where the host is fixed and the parameter becomes part of the path or query without being encoded: with ../ it
asks for something else of the same service.

The same holds for a header of a request that names the host of the service which the server asks with its own credential.

Silent on encoded parts, and where the way could not be followed. Redirects and a second answer of the name server are not judged.`,
	Advice: "Compare the host with a list, or look its address up, refuse private ones and connect to that very address; encode what becomes part of a path.",
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
