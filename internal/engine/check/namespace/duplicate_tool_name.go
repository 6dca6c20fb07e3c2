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

An agent that is connected to both asks for a tool by its name. Which server gets the call, and with
it the arguments, depends on the client: the first, the last, or whichever the model has in mind. A
server that takes the name of another's tool can so receive what was meant for the other.

Names are compared exactly, as decoded. There is one finding a name, at the first server in reading
order, and the other servers are its related places. Which of them had the name first is not to be
told from a snapshot. Two tools of one name on one server are no matter of this check.

Clients that put the server's name in front of its tools are not affected.`,
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
