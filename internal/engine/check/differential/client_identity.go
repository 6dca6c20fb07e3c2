package differential

import (
	"fmt"

	"gauntlet/catalog"
	"gauntlet/finding"
	"gauntlet/internal/engine/check"
)

var _ = register(check.Check{
	ID: "GNT-001", Name: "client-identity-differential", Severity: finding.High, Maturity: check.Experimental,
	Taxonomy: "MCP03:2025 close, ASI04 close, CWE-345 close, CWE-353 weak, CWE-506 weak, AML.T0110 close, SAFE-T1201 close, L6 close, L2 weak",
	Axis:     "rug-pull", Needs: check.Askings, Source: source,
	Doc: `The server gives another client different definitions, or changes them after announcing that a list has
changed.

A server learns from the first message which client is asking. A server that shows harmless definitions to a
scanner or reviewer, and others to an agent, passes every review. gauntlet therefore asks twice, as two
clients that differ only in name and version and claim the same capabilities (none). Any difference counts: a
definition or list that only one client sees, another text or schema, other instructions, another identity or
other capabilities of the server. The order of lists and members, the spelling of JSON, the size of a resource
and its modification date do not count.

Where the two answers differ, each client asks once more. A difference is reported here only if each client
got the same answer both times; what varies from one request to the next is GNT-002, unless it contains words
(words with digits do not count) that one client got both times and the other never. If the second round
fails, the difference is reported here and the scan is incomplete.

After a list_changed notification, the first client reads the lists again in the same conversation. A changed
definition has severity high. One that was added or removed has severity medium, since servers that load tools
on demand do this; it has not been reviewed. A resource that was added or removed has severity info, since tools
give their results this way.

There is one finding for each definition. The message holds both values; what only the other client gets is
quoted and is scanned by the checks of definitions as well. A server may have an honest reason, such as
leaving out what an old client cannot display; then review both versions. The check does not detect servers
that distinguish clients by their address, their credentials or their later behaviour.`,
	Advice: "Compare both texts. Do not approve a server whose definitions depend on who asks.",
	Run: func(p *check.Pass) {
		for a := range askedServers(p) {
			byClient(p, a)
			afterChange(p, a)
		}
	},
})

func byClient(p *check.Pass, a *asked) {
	if len(a.other) == 0 {
		return
	}
	first, other := a.self[0], a.other[0]
	forFirst, forOther := fmt.Sprintf("for the client %q", first.clientName()), fmt.Sprintf("for the client %q", other.clientName())
	for k := range keys(first, other) {
		moving := append(moves(k, a.self), moves(k, a.other)...)
		parts := between(k, first, other, moving...)
		if len(parts) == 0 {
			if len(a.self) > 1 && len(a.other) > 1 {
				inNoise(p, k, moving, side{a.self, forFirst}, side{a.other, forOther})
			}
			continue
		}
		d := compare(first, other, k, parts)
		message := d.words(forFirst, forOther)
		if len(a.self) < 2 || len(a.other) < 2 {
			message += "; neither client was asked again, so this may be chance"
		}
		d.reportDifference(p, message, finding.None)
	}
}

func afterChange(p *check.Pass, a *asked) {
	for i, later := range a.later {
		first := a.self[0]
		for k := range keys(first, later) {
			moving := moves(k, a.self)
			parts := between(k, first, later, moving...)
			if len(parts) == 0 {
				inNoise(p, k, moving, side{a.self, "before " + a.after[i]}, side{[]*account{later}, "after " + a.after[i]})
				continue
			}
			if before := a.before[i]; judged(k, before, later) && len(differs(before.said[k], later.said[k])) == 0 {
				continue // it was so before the change
			}
			severity := finding.High
			if first.said[k] == nil || later.said[k] == nil {
				severity = finding.Medium
				if k.list >= 0 && catalog.Kinds[k.list] == finding.Resource {
					severity = finding.Info
				}
			}
			d := compare(first, later, k, parts)
			d.reportDifference(p, d.words("before "+a.after[i], "after "+a.after[i]), severity)
		}
	}
}
