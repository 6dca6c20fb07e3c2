package boundary

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/internal/leaf/excerpt"
	"gauntlet/rawjson"
)

var _ = register(check.Check{
	ID: "SEC-061/b", Name: "undeclared-capability-used", Severity: finding.Medium, Maturity: check.Experimental,
	Taxonomy: "MCP02:2025 close, MCP07:2025 weak, ASI03 close, CWE-266 close, CWE-807 weak, SAFE-T1308 weak, SAFE-T1302 weak, L3 close, L2 weak",
	Axis:     "capability-negotiation-widening", Needs: check.Trace, Source: source,
	Doc: `A server asks a client for something that the current request did not claim.

A result with ` + "`inputRequests`" + ` may ask only for what that request claimed: ` + "`sampling`" + ` (with tools,
` + "`sampling.tools`" + `), ` + "`elicitation`" + ` in the claimed mode, ` + "`roots`" + `. A result of the type ` + "`task`" + ` needs its
extension. MCP 2026-07-28 forbids servers to ask for more. For earlier revisions the check reads initialize: a
server's own requests may use only what was agreed there. The ledger shows that baseline for each conversation
whose initialize was recorded, and so does the finding.

What an earlier request on the same connection claimed is SEC-061/c. A conversation whose beginning was not
recorded is not judged, and the ledger says so.`,
	Advice: "Report it to the server's author: the server must answer with -32021, or do without, where the client did not claim the capability.",
	Run: func(p *check.Pass) {
		noteBaselines(p, claimsOf(p))
		reportUses(p, func(o *unclaimedUse) bool { return o.inherited == 0 })
	},
})

var _ = register(check.Check{
	ID: "SEC-061/c", Name: "earlier-claim-inherited", Severity: finding.Medium, Maturity: check.Experimental,
	Taxonomy: "MCP02:2025 close, MCP07:2025 weak, ASI03 close, CWE-266 close, CWE-807 weak, SAFE-T1308 weak, SAFE-T1302 weak, L3 close, L2 weak",
	Axis:     "capability-negotiation-widening", Needs: check.Trace, Source: source,
	Doc: `A server uses a capability that only an earlier request on the same connection claimed.

From MCP 2026-07-28 on, a server must judge each request by itself: connections are shared, and what one
request claims says nothing about the next. A server that remembers claims asks clients for things that they
did not offer, and gives one user's request the capabilities of another's.`,
	Advice: "Report it to the server's author: a claim is valid only for the request that makes it.",
	Run: func(p *check.Pass) {
		reportUses(p, func(o *unclaimedUse) bool { return o.inherited != 0 })
	},
})

// noteBaselines adds the claims of each observed initialize to the ledger.
func noteBaselines(p *check.Pass, h *claimLog) {
	const most = 10
	for i, b := range h.baselines {
		if i == most {
			p.Note("and %d baselines more", len(h.baselines)-i)
			return
		}
		m := &h.trace.Messages[b.message]
		p.Note("baseline of server %s: initialize (message %d) claims %s", quoteValue(m.Server), m.Seq, cmp.Or(b.claims, "nothing"))
	}
}

func reportUses(p *check.Pass, which func(*unclaimedUse) bool) {
	h := claimsOf(p)
	p.Looked(len(h.trace.Messages))
	if h.unknown > 0 {
		p.Note("%d requests of servers are not judged: the trace lacks the beginning of their conversations", h.unknown)
	}
	uses := slices.DeleteFunc(slices.Clone(h.uses), func(o unclaimedUse) bool { return !which(&o) })
	key := func(o unclaimedUse) string {
		return strings.Join(append([]string{p.Trace.Messages[o.message].Server, o.title, o.ask.what}, o.lacking...), "\x00")
	}
	reportGroups(p, uses, key, func(g *group[unclaimedUse], in *parsedMessage) { reportReach(p, &g.first, g.more, in) })
}

func reportReach(p *check.Pass, o *unclaimedUse, more int, in *parsedMessage) {
	m, r := &p.Trace.Messages[o.message], &p.Trace.Messages[o.request]
	place, _ := in.locateValue(p, m, o.title, o.ask.offset)
	text := fmt.Sprintf("the server %s uses %s (%s), which the current request (message %d, %s) did not claim", quoteValue(m.Server), quotedList(o.lacking), excerpt.Clip(o.ask.what, 80), r.Seq, o.title)
	if o.legacy {
		text = fmt.Sprintf("the server %s uses %s (%s), which the client did not claim in initialize; the baseline is %s (message %d)", quoteValue(m.Server), quotedList(o.lacking), excerpt.Clip(o.ask.what, 80), cmp.Or(o.agreed, "nothing"), r.Seq)
	}
	if o.inherited != 0 {
		text += fmt.Sprintf("; only an earlier request did (message %d)", o.inherited)
	}
	if more > 0 {
		text += fmt.Sprintf("; this happens %d more times", more)
	}
	p.Report(check.Relation{At: place, Related: []check.Place{p.Message(r, o.title, rawjson.Value{})}, Message: text,
		Identity: append([]string{m.Server, o.title}, o.lacking...)})
}
