package surface

import (
	"fmt"
	"strings"

	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/internal/leaf/excerpt"
)

var _ = register(check.Check{
	ID: "GNT-003", Name: "ambiguous-member", Severity: finding.High, Maturity: check.Experimental,
	Taxonomy: "MCP03:2025 weak, ASI04 weak, CWE-436 close, L6 weak, L2 weak",
	Axis:     "tool-poisoning", Needs: check.Definitions, Source: "https://www.rfc-editor.org/rfc/rfc8259#section-4",
	Doc: `A server's answer, or a definition in it, holds a member that clients read differently: two members have the
same name, or names that differ only in case.

RFC 8259 does not say which of two members with the same name counts. Some parsers take the first, most take
the last, and some (Go's encoding/json, C# and Java parsers in common settings) also ignore case: of
` + "`" + `{"tools": […], "Tools": […]}` + "`" + ` they show their agent the second list. A server can thereby show a reviewer or
a scanner one thing and the agent another. gauntlet scans both; this check reports that there are two. It
looks at answers, at the server's description of itself and at definitions, at any depth.

A single member in a case that MCP does not define (` + "`Description`" + `) has severity medium: some clients see it
and others do not. Names that the author chooses may differ in case: a schema's properties and definitions,
default values, examples, _meta.`,
	Advice: "Send each member once, spelled as in the MCP specification.",
	Run: func(p *check.Pass) {
		for _, s := range p.Catalog.Servers {
			for range s.Items() {
				p.Looked(1)
			}
		}
		for i := range p.Catalog.Ambiguities {
			a := &p.Catalog.Ambiguities[i]
			names := make([]string, len(a.Names))
			for i, name := range a.Names {
				names[i] = excerpt.Quote(name, 60)
			}
			r := check.Relation{At: p.Ambiguous(a), Identity: append([]string{a.Location.Server, string(a.Location.Kind), a.Location.Item}, a.Names...)}
			switch {
			case a.Meant == "":
				r.Message = "clients read the answer differently: " + excerpt.Clip(a.Names[0], 300)
			case len(names) > 1:
				r.Message = "clients differ in which of these members they use: " + strings.Join(names, ", ")
			case a.Twice:
				r.Message = fmt.Sprintf("the member %s appears more than once; clients differ in which one they take", names[0])
			default:
				r.Severity = finding.Medium
				r.Message = fmt.Sprintf("clients that ignore case read the member %s as %q; others ignore it", names[0], a.Meant)
			}
			p.Report(r)
		}
	},
})
