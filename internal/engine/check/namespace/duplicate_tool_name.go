package namespace

import (
	"fmt"

	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/rawjson"
)

var _ = register(check.Check{
	ID: "SEC-010", Name: "duplicate-tool-name", Severity: finding.High, Maturity: check.Experimental,
	Taxonomy: "MCP03:2025 close, MCP09:2025 weak, ASI04 weak, CWE-694 exact, CWE-706 close, AML.T0074 weak, SAFE-T1008 close, SAFE-T1301 close, L2 close, L6 weak",
	Axis:     "tool-shadowing", Needs: check.Servers, Source: check.SourceSEC,
	Doc: `More than one server offers a tool of the same name.

An agent connected to both calls a tool by its name. Which server receives the call and its arguments depends
on the client: the first server, the last, or the one that the model has in mind. A server that reuses another
server's tool name can therefore receive data that was meant for that server.

Names are compared exactly, after decoding. There is one finding for each name, at the first server in reading
order, with the other servers as related places. A snapshot does not show which server used the name first.
Two tools of the same name on one server are GNT-010.

Clients that prefix tool names with the server's name are not affected.`,
	Advice: "Connect one of these servers at a time, or use a client that prefixes tool names with the server's name.",
	Run:    duplicateToolName,
})

func duplicateToolName(p *check.Pass) {
	var tree rawjson.Tree
	for _, n := range tools(p) {
		if !n.several() {
			continue
		}
		servers := n.sharedServers()
		at := places(p, &tree, n.offers)
		p.Report(check.Relation{
			At: at[0], Related: at[1:], Identity: identity(n.name, servers),
			Message: fmt.Sprintf("the tool name %s is served by %d servers: %s", quoteName(n.name), len(servers), listNames(serverNames(servers))),
		})
	}
}
