package probing

import (
	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/internal/leaf/mcp"
	"gauntlet/internal/leaf/probe"
)

var _ = add(Probe{
	ID: "P07", Asks: "whether a request whose headers contradict its body is answered", Effect: probe.Reads, HTTP: true, Era: probe.Stateless,
	Steps: []Step{
		{Name: "Mcp-Method names another method", Body: statelessList, Header: map[string]string{mcp.HeaderMethod: "prompts/list"}},
		{Name: "Mcp-Method in capitals", Body: statelessList, Header: map[string]string{mcp.HeaderMethod: "TOOLS/LIST"}},
		{Name: "Mcp-Method missing", Body: statelessList, Header: map[string]string{mcp.HeaderMethod: ""}},
		{Name: "MCP-Protocol-Version of another revision", Body: statelessList, Header: map[string]string{mcp.HeaderProtocolVersion: mcp.Revision2025Nov}},
		{Name: "MCP-Protocol-Version missing", Body: statelessList, Header: map[string]string{mcp.HeaderProtocolVersion: ""}},
		{Name: "a body without _meta", Body: plainList},
	},
	Signal: "protocol-version",
	Judge:  resultsOf("P07", "requests whose headers contradict their body were answered with a result", "refused"),
	Rule: check.Check{
		ID: "GNT-441", Name: "header-body-mismatch", Severity: finding.Medium, Axis: "transport",
		Taxonomy: "MCP07:2025 weak, ASI03 weak, CWE-436 close, CWE-444 weak, L5 close, L4 weak", Source: "https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http",
		Doc: `A request of revision 2026-07-28 whose headers say something else than its body was answered with a result. Gateways and firewalls decide by
the headers (which method, which tool, which revision); where the server does not compare them, they can be passed by.

What stays quiet: servers that do not answer the same request with headers that fit; servers of earlier revisions, which have no such headers.`,
		Advice: "Compare MCP-Protocol-Version, Mcp-Method and Mcp-Name with the body, and answer HTTP 400 with -32020.",
	},
})
