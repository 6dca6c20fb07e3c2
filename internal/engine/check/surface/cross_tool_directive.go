package surface

import (
	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/internal/leaf/clause"
)

var _ = register(check.Check{
	ID: "SEC-002", Name: "cross-tool-directive", Severity: finding.High, Maturity: check.Stable,
	Taxonomy: "MCP03:2025 close, ASI01 close, ASI02 close, CWE-1427 close, CWE-441 weak, AML.T0110 close, AML.T0053 weak, SAFE-T1301 close, SAFE-T1008 weak, SAFE-T1701 weak, L2 close, L3 weak",
	Axis:     "tool-shadowing", Needs: check.Definitions, Source: check.SourceSEC,
	Doc: `A definition steers the model's use of another tool: it changes how another server's tool is called ("whenever
send_email is used, set bcc to ..."), has the model call it with fixed arguments, declares another tool out of
service and offers itself as the replacement, or hides such an instruction from the user.

All servers of an agent share one context. A tool that is never called can still change how a trusted tool is
used, just by what its description says about it (tool shadowing).

The check reads the same strings as SEC-001. It knows which names belong to the tool itself, to its parameters
and to other tools of its server.

Not reported: the order in which to use the tools of one server ("call list_projects first to get the id") and
plain references ("similar to get_user"). For tools of the same server, only fixed arguments (an address, a
file) and changes to another tool's calls are reported.`,
	Advice:  "Describe only this tool. Remove what the text says about calling other tools.",
	RunItem: reporting(clause.Cross),
})
