package probing

import (
	"strings"

	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/internal/leaf/mcp"
	"gauntlet/internal/leaf/probe"
)

// FirstOfAll is the step of P28 that is sent to a server to which nothing was said yet: the control.
const FirstOfAll = "no _meta, first of all"

var _ = add(Probe{
	ID: "P28", Asks: "whether a request without _meta inherits that of an earlier one", Effect: probe.Reads, Stdio: true, Era: probe.Stateless,
	Steps: []Step{
		{Name: "no _meta", Body: plainList},
		{Name: "a revision that does not exist", Body: strings.Replace(statelessList, mcp.Revision2026Jul, "1900-01-01", 1)},
	},
	Judge: func(e *probe.Protocol) Verdict {
		control, all := e.Find("P28", FirstOfAll), exchanges(e, "P28")
		switch {
		case control == nil || !control.Answered || len(all) < 2:
			return Verdict{}
		case isResult(control):
			return unprobed("not probed: the server answers requests without _meta in any case")
		}
		return resultsOf("P28", "after a request with _meta the server answers without one, which it refuses first of all", "refused")(e)
	},
	Rule: check.Check{
		ID: "GNT-443", Name: "context-inherited", Severity: finding.Medium, Axis: "capabilities",
		Taxonomy: "MCP07:2025 close, ASI03 weak, CWE-653 weak, CWE-668 weak, L5 close, L4 weak", Source: "https://modelcontextprotocol.io/specification/2026-07-28/basic/index",
		Doc: `A request of revision 2026-07-28 says itself who asks, in which revision and with which capabilities. The server refused one that does not,
and answered the very same after another request had said so: it takes over what was said before. Where several clients share a pipe, one
then acts with the capabilities of another.`,
		Advice: "Read _meta of every request, and answer -32602 where it is missing.",
	},
})
