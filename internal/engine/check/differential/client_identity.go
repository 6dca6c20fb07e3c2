package differential

import (
	"fmt"

	"gauntlet/finding"
	"gauntlet/internal/engine/check"
)

var _ = register(check.Check{
	ID: "GNT-001", Name: "client-identity-differential", Severity: finding.High, Maturity: check.Experimental,
	Taxonomy: "MCP03:2025 close, ASI04 close, CWE-345 close, CWE-353 weak, CWE-506 weak, AML.T0110 close, SAFE-T1201 close, L6 close, L2 weak",
	Axis:     "rug-pull", Needs: check.Askings, Source: source,
	Doc: `The server defines something else for another client, or after it said that a list had changed.

A server learns from the first message who is asking. One that shows a scanner or a reviewer harmless
definitions and an agent other ones passes every review of its definitions. So the server is asked
twice, by clients that differ in their name and version alone and claim the same capabilities (none).
Any difference counts: a definition that only one of them is shown (also where a list is missing), another
text or schema, other instructions, another identity or other capabilities of the server. The order of
lists, the order of members and the spelling of JSON do not count, nor do the size of a resource and
the date of its last change.

Where the two accounts differ, each client asks once more. A member of a definition counts only if each client was told
the same both times: what changes from asking to asking is reported as GNT-002 instead, unless it has
words, not counting those with digits, that one client was told each time and the other not once. If the second round
could not be had the difference is reported here, and the scan is incomplete.

After a list_changed the first client reads the lists again in the same conversation. A definition
that is not what it was a moment ago is high; one that has come or gone is medium, since servers that load
their tools on demand work like that, and it has not been reviewed.

There is one finding a definition. The message holds both values; what only the other client is shown is quoted, and
is scanned by the checks of single definitions like the first answer. Servers may tell clients apart for honest reasons, such as leaving out what an
old client cannot show; then both accounts should be reviewed. It does not see a server
that tells clients apart by their address, by credentials or by what they do later.`,
	Advice: "Compare both texts; do not approve a server whose definitions depend on who asks.",
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
			message += "; neither was asked again, so this may be chance"
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
			severity := finding.High
			if first.said[k] == nil || later.said[k] == nil {
				severity = finding.Medium
			}
			d := compare(first, later, k, parts)
			d.reportDifference(p, d.words("before "+a.after[i], "after "+a.after[i]), severity)
		}
	}
}
