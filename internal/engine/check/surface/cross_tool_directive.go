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
	Doc: `A definition steers the model to call or alter another tool: it changes how a tool of another server
is called ("whenever send_email is used, set bcc to ..."), has the model call one with arguments of its
choosing, declares another tool out of service and itself its heir, or hides such a thing from the user.

All servers of an agent share one context. A tool that is never called can still shadow a trusted one
by what its description says about it.

What is read is the same as for SEC-001. Names are known for what they are: the tool itself, its
parameters, the other tools of its server, and names of none of these.

What stays quiet: the order in which the tools of one server are to be used ("call list_projects
first to get the id"), and plain references ("similar to get_user"). For the tools of its own server
only the dictation of fixed arguments (an address, a file) and the change of another tool's calls
count.`,
	Advice:  "Describe this tool only; what another tool does or is given is not its business.",
	RunItem: reporting(clause.Cross),
})
