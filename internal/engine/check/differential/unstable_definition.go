package differential

import (
	"gauntlet/finding"
	"gauntlet/internal/engine/check"
)

var _ = register(check.Check{
	ID: "GNT-002", Name: "unstable-definition", Severity: finding.Medium, Maturity: check.Experimental,
	Taxonomy: "MCP03:2025 weak, ASI04 weak, CWE-345 close, CWE-353 weak, AML.T0110 weak, SAFE-T1201 weak, L6 close, L2 weak",
	Axis:     "rug-pull", Needs: check.Askings, Source: source,
	Doc: `The server gave the same client different answers when asked twice in a row.

Definitions that vary cannot be approved, since nobody knows which version the agent will get. Variation can
also hide that a server treats clients differently (GNT-001). From revision 2026-07-28 on, lists must not vary
from one connection to the next.

The usual honest reason is times, counters or random values in a text. A server that behaves differently at
its first start, or from a certain start on, is reported here too.

If a text varies in one place, only its words are compared between clients (GNT-001); the other members of the
definition are compared as always. There is one finding for each definition, with what the first client got
both times, or otherwise the second. GNT-001 says what counts as a difference. A server whose first answers
agree is not asked again, so the check does not measure stability.`,
	Advice: "Remove what varies (times, counters, random values) from the definitions. Otherwise compare several answers before you approve.",
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
