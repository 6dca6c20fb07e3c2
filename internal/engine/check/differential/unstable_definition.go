package differential

import (
	"gauntlet/finding"
	"gauntlet/internal/engine/check"
)

var _ = register(check.Check{
	ID: "GNT-002", Name: "unstable-definition", Severity: finding.Medium, Maturity: check.Experimental,
	Taxonomy: "MCP03:2025 weak, ASI04 weak, CWE-345 close, CWE-353 weak, AML.T0110 weak, SAFE-T1201 weak, L6 close, L2 weak",
	Axis:     "rug-pull", Needs: check.Askings, Source: source,
	Doc: `The server told the same client different things when it was asked twice in a row.

It shows up beside GNT-001: where two clients are told different things each asks once more, and what the
same client is told differently is no matter of who asks. A definition that moves cannot be approved, since
nobody knows which one the agent will be given; a server can also try to hide in the noise that it treats
clients differently. From revision 2026-07-28 on lists must not vary from one connection to the next.

Times, counters and random values in a text are the usual honest reason. A server that behaves
differently at its first start, or from some start on, is reported here too.

Of a text that moves in one place only the words are compared between clients (GNT-001), the other members of
its definition as always. There is one finding a definition, with what the first client was told both times, or else the second one.
What counts as a difference GNT-001 says. A server whose accounts agree is asked no more, so this
check is no measure of stability.`,
	Advice: "Take what varies (times, counters, random values) out of the definitions; otherwise compare several askings before you approve.",
	Run: func(p *check.Pass) {
		for a := range askedServers(p) {
			seen := map[key]bool{}
			for _, same := range [][]*account{a.self, a.other} {
				if len(same) < 2 {
					continue
				}
				for k := range keys(same[0], same[1]) {
					parts := moves(k, same)
					if seen[k] || len(parts) == 0 {
						continue
					}
					seen[k] = true
					d := compare(same[0], same[1], k, parts)
					d.unstable = true
					d.reportDifference(p, d.words("the first time", "the second time"), finding.None)
				}
			}
		}
	},
})
