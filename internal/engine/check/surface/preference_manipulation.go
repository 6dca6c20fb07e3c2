package surface

import (
	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/internal/leaf/clause"
)

var _ = register(check.Check{
	ID: "SEC-006", Name: "preference-manipulation", Severity: finding.Medium, Maturity: check.Stable,
	Taxonomy: "MCP03:2025 close, MCP06:2025 weak, ASI09 weak, ASI02 weak, CWE-451 weak, AML.T0100 weak, AML.T0111 weak, SAFE-T1405 weak, SAFE-T1406 weak, L2 close, L6 weak",
	Axis:     "preference-manipulation", Needs: check.Definitions, Source: check.SourceSEC,
	Doc: `A definition advertises itself to be chosen over other tools: it calls itself the best or the only right tool,
disparages other tools, forbids their use or claims priority. Other praise is reported as a suspicion where it
resembles known attacks.

Models choose tools by their descriptions, and such language sways them. A tool chosen for its praise instead
of its fit receives data and requests that were meant for another.

Not reported: when to use this tool and when to use another one of the same server, "preferred" among a
server's own tools, and a single boastful word. Some well-known honest servers do advertise themselves and are
reported.`,
	Advice:  "State what the tool is for, and remove comparisons with other tools.",
	RunItem: reporting(clause.Praise),
})
