package boundary

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/internal/leaf/excerpt"
	"gauntlet/trust"
)

var _ = register(check.Check{
	ID: "GNT-301", Name: "boundary-declaration", Severity: finding.Low, Maturity: check.Experimental,
	Taxonomy: "MCP07:2025 weak, ASI03 weak, CWE-501 weak, L2 close, L3 weak",
	Axis:     "cross-server-trust-propagation", Needs: check.Trace, Source: source,
	Doc: `A declared boundary may not mean what its author intended.

Reported with severity low: a name under ` + "`negotiated`" + ` that is not a client capability (` + "`tools`" + ` is a server
capability), since no client will ever claim it; and a sanitizer named without its server while two servers
offer such a tool, since either tool is then accepted, even one that another server added later. Write
` + "`server.tool`" + `. Reported as information: a server in ` + "`allowed_flows`" + `, or a sanitizer, that does not occur in
the trace, which may be a typing error.`,
	Advice: "Correct the name in the suite file.",
	Run: func(p *check.Pass) {
		k := flowsOf(p).log
		b := &p.Boundary
		p.Looked(len(b.Flows) + len(b.Sanitizers))
		for _, s := range b.Sanitizers {
			sanitizerNamed(p, k, s)
		}
		seen := map[string]bool{}
		for _, f := range b.Flows {
			for _, n := range []trust.Name{f.From, f.To} {
				if !seen[n.Text] && !k.knowsServerOrTool(n.Text) {
					reportDeclared(p, n, finding.Info, fmt.Sprintf("allowed_flows: no server %s is in the trace", quoteDeclared(n)))
				}
				seen[n.Text] = true
			}
		}
		if b.Negotiation == nil {
			return
		}
		p.Looked(len(b.Negotiation.Negotiated))
		for _, n := range b.Negotiation.Negotiated {
			if !isClientCapability(n.Text) {
				reportDeclared(p, n, finding.None, fmt.Sprintf("negotiated: %s is no capability of a client; it is compared all the same", quoteDeclared(n)))
			}
		}
	},
})

// knowsServerOrTool reports whether a declared name means a server of the trace or one of its tools.
func (k *callLog) knowsServerOrTool(name string) bool {
	if k.servers[name] {
		return true
	}
	for server := range k.servers {
		if strings.HasPrefix(name, server+".") {
			return true
		}
	}
	return false
}

func sanitizerNamed(p *check.Pass, k *callLog, s trust.Name) {
	servers := slices.Sorted(maps.Keys(k.tools[s.Text]))
	if len(servers) > 1 {
		reportDeclared(p, s, finding.None, fmt.Sprintf("required_sanitizers: %s is served by %s: write server.tool", quoteDeclared(s), excerpt.Clip(strings.Join(servers, ", "), 200)))
		return
	}
	if len(servers) == 1 {
		return
	}
	for tool, on := range k.tools {
		for server := range on {
			if s.Text == server+"."+tool {
				return
			}
		}
	}
	reportDeclared(p, s, finding.Info, fmt.Sprintf("required_sanitizers: no server in the trace serves %s", quoteDeclared(s)))
}

func reportDeclared(p *check.Pass, n trust.Name, severity finding.Severity, message string) {
	p.Report(check.Relation{At: p.Declared(n), Severity: severity, Message: message, Identity: []string{message}})
}
