package boundary

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/internal/leaf/excerpt"
	"gauntlet/internal/leaf/mcp"
	"gauntlet/rawjson"
	"gauntlet/trust"
)

var _ = register(check.Check{
	ID: "SEC-061", Name: "capability-negotiation-widening", Severity: finding.High, Maturity: check.Experimental,
	Taxonomy: "MCP02:2025 close, MCP07:2025 weak, ASI03 close, CWE-266 close, CWE-807 weak, SAFE-T1308 weak, SAFE-T1302 weak, L3 close, L2 weak",
	Axis:     "capability-negotiation-widening", Needs: check.Trace, Source: source,
	Doc: `A request claims a client capability that is not in the declared set.

From MCP 2026-07-28 on there is no handshake: every request says in its ` + "`_meta`" + ` what its client can do. A
claim that was not agreed on opens the client to sampling, elicitation or an extension that nobody reviewed.
The declared set is ` + "`security.capability_negotiation.negotiated`" + ` of the suite file. The specification lets a
client claim something different in each request, so the finding is about that declaration and not about the
specification.

Claims are compared as exact paths: ` + "`sampling`" + `, ` + "`sampling.tools`" + `, ` + "`elicitation.form`" + `, ` + "`roots`" + `,
` + "`extensions.ID`" + `, ` + "`experimental.ID`" + `. A bare ` + "`elicitation`" + ` means ` + "`elicitation.form`" + `; a declared part includes
the capability that it belongs to; null or false is no claim; settings inside an extension are not compared.
There is one finding for each set of extra claims of one client, with the number of requests.

For revisions before 2026-07-28 the check does nothing and says so. Without a declared set, SEC-061/drift
applies. Claims are what the client says about itself and do not prove its identity.`,
	Advice: "Have the client claim only what was agreed on, or review the capability and declare it.",
	Run: func(p *check.Pass) {
		h := claimsOf(p)
		p.Looked(len(h.requests))
		n := p.Boundary.Negotiation
		if note, idle := outOfScope(n); idle {
			p.Note("%s", note)
			return
		}
		if n == nil || !n.Declared {
			p.Note("no set of capabilities is declared: SEC-061/drift compares with the first request")
			return
		}
		var names []string
		for _, name := range n.Negotiated {
			names = append(names, name.Text)
		}
		set := declaredSet(n.Negotiated)
		var found []differing
		for i := range h.requests {
			r := &h.requests[i]
			if extra := r.claims.pathsBeyond(set); extra != nil {
				found = append(found, differing{r, extra, p.Trace.Messages[r.message].Server})
			}
		}
		reportClaims(p, found, func(r *request, extra []string) string {
			return fmt.Sprintf("claims %s, which the declared set does not contain; sent as %s; negotiated: %s", quotedList(extra), sentAs(r, extra), cmp.Or(strings.Join(names, ", "), "nothing"))
		})
	},
})

var _ = register(check.Check{
	ID: "SEC-061/drift", Name: "capability-claim-drift", Severity: finding.Low, Maturity: check.Experimental,
	Taxonomy: "MCP02:2025 close, MCP07:2025 weak, ASI03 close, CWE-266 close, CWE-807 weak, SAFE-T1308 weak, SAFE-T1302 weak, L3 close, L2 weak",
	Axis:     "capability-negotiation-widening", Needs: check.Trace, Source: source,
	Doc: `A client claims other capabilities than in its first request.

Where no set of capabilities is declared, the first request of the same client and credential is the baseline;
both additional and missing claims count. The specification allows this, so the severity is low: find out why,
and declare what was agreed on.`,
	Advice: "Declare the capabilities that were agreed on in security.capability_negotiation.negotiated.",
	Run: func(p *check.Pass) {
		h := claimsOf(p)
		p.Looked(len(h.requests))
		n := p.Boundary.Negotiation
		if note, idle := outOfScope(n); idle {
			p.Note("%s", note)
			return
		}
		if n != nil && n.Declared {
			p.Note("a set of capabilities is declared: SEC-061 compares with it")
			return
		}
		first := map[string]*request{}
		var found []differing
		for i := range h.requests {
			r := &h.requests[i]
			base := first[r.who]
			if base == nil {
				first[r.who] = r
				continue
			}
			changed := append(r.claims.pathsBeyond(base.claims.pathSet()), base.claims.pathsBeyond(r.claims.pathSet())...)
			if slices.Sort(changed); len(changed) > 0 {
				found = append(found, differing{r, changed, ""})
			}
		}
		reportClaims(p, found, func(r *request, changed []string) string {
			base := first[r.who]
			return fmt.Sprintf("claims other capabilities than the first request of this client (message %d), the difference is %s; here: %s; there: %s",
				p.Trace.Messages[base.message].Seq, quotedList(changed), cmp.Or(strings.Join(r.claims.sortedPaths(), ", "), "nothing"), cmp.Or(strings.Join(base.claims.sortedPaths(), ", "), "nothing"))
		})
	},
})

// outOfScope reports whether the declared target predates claims in requests.
func outOfScope(n *trust.Negotiation) (note string, idle bool) {
	if n == nil || n.Target.Text == "" || n.Target.Text >= mcp.FirstStateless {
		return "", false
	}
	return fmt.Sprintf("nothing is compared for the target %s: before %s clients claim capabilities only once, in initialize", n.Target.Text, mcp.FirstStateless), true
}

// A group is of findings that are equal to their readers: the first is reported, and the others are counted.
type group[T any] struct {
	first, last T
	more        int
}

// reportGroups reports findings by their keys, up to the limit of the declared boundary.
func reportGroups[T any](p *check.Pass, found []T, key func(T) string, report func(*group[T], *parsedMessage)) {
	at := map[string]*group[T]{}
	var order []*group[T]
	for _, one := range found {
		k := key(one)
		if g := at[k]; g != nil {
			g.more, g.last = g.more+1, one
			continue
		}
		at[k] = &group[T]{first: one}
		order = append(order, at[k])
	}
	most := p.Boundary.Limits.WithDefaults().Findings
	var in parsedMessage
	for _, g := range order[:min(most, len(order))] {
		report(g, &in)
	}
	p.Withhold(len(order)-min(most, len(order)), fmt.Sprintf("at most %d are reported", most))
}

// A differing is a request that claims what it should not, or not what it should.
type differing struct {
	*request
	paths  []string
	server string // where servers are told apart
}

func reportClaims(p *check.Pass, found []differing, message func(*request, []string) string) {
	key := func(c differing) string { return strings.Join(append([]string{c.server, c.who}, c.paths...), "\x00") }
	reportGroups(p, found, key, func(g *group[differing], in *parsedMessage) {
		r := g.first
		m := &p.Trace.Messages[r.message]
		place, _ := in.locateValue(p, m, r.title, r.claims[r.paths[0]].offset)
		if _, claimed := r.claims[r.paths[0]]; !claimed {
			place = p.Message(m, r.title, rawjson.Value{})
		}
		text := message(r.request, r.paths)
		if g.more > 0 {
			text += fmt.Sprintf("; %d more requests do the same, the last in message %d", g.more, p.Trace.Messages[g.last.message].Seq)
		}
		p.Report(check.Relation{At: place, Message: text, Identity: append([]string{m.Server, r.who}, r.paths...)})
	})
}

func quotedList(paths []string) string {
	out := make([]string, len(paths))
	for i, path := range paths {
		out[i] = fmt.Sprintf("%q", excerpt.Clip(path, 80))
	}
	return strings.Join(out, ", ")
}

func sentAs(r *request, paths []string) string {
	var out []string
	for _, path := range paths {
		if sent := excerpt.Clip(r.claims[path].sent, 80); !slices.Contains(out, sent) {
			out = append(out, sent)
		}
	}
	return strings.Join(out, ", ")
}
