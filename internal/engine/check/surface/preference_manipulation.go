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
	Doc: `A definition uses persuasive language to capture tool selection: it calls itself the best or the only
right tool, runs other tools down, forbids their use, claims priority, or advertises (praise by
authorities, urgency, invented proofs).

Models choose tools by their descriptions, and advertising works on them. A tool that wins by praise
instead of fit sees data and requests that were meant for another.

What stays quiet: when to use the tool and when to use another one of the same server, "preferred"
among a server's own tools, and one boastful word. Some well-known honest servers do advertise
themselves; the finding is right about them too.`,
	Advice:  "Say what the tool is for and leave the comparison to whoever chooses.",
	RunItem: reporting(clause.Praise),
})
