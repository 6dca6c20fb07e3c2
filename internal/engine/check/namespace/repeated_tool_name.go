package namespace

import (
	"fmt"

	"gauntlet/catalog"
	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/rawjson"
)

var _ = register(check.Check{
	ID: "GNT-010", Name: "repeated-tool-name", Severity: finding.Medium, Maturity: check.Experimental,
	Taxonomy: "MCP03:2025 weak, MCP09:2025 weak, ASI04 weak, CWE-694 exact, SAFE-T1301 weak, L4 close, L2 weak",
	Axis:     "tool-shadowing", Needs: check.Definitions, Source: "https://modelcontextprotocol.io/specification/2025-11-25/server/tools",
	Doc: `One server offers two tools of the same name.

A call names its tool, so only one of the two can be reached, and which one depends on the server and the
client. A person may approve one definition while the model reads the other, which makes the second a place to
hide a description.

Names are compared exactly, after decoding. There is one finding for each name and server, at the second tool,
with the first as its related place. Tools of the same name on different servers are SEC-010.`,
	Advice: "Give every tool of a server its own name.",
	Run:    repeatedToolName,
})

func repeatedToolName(p *check.Pass) {
	var tree rawjson.Tree
	for _, s := range p.Catalog.Servers {
		list := s.Tools()
		p.Looked(len(list))
		first, told := map[string]int{}, map[string]bool{}
		for i := range list {
			name := list[i].Name()
			if name == "" {
				continue
			}
			j, seen := first[name]
			if !seen {
				first[name] = i
				continue
			}
			if told[name] {
				continue
			}
			told[name] = true
			at := func(it *catalog.Item) check.Place { return p.At(s, it, it.Parse(s, &tree).Get("name")) }
			p.Report(check.Relation{
				At: at(&list[i]), Related: []check.Place{at(&list[j])}, Identity: []string{check.Identity(s), name},
				Message: fmt.Sprintf("the server offers the tool name %s more than once: a call reaches only one of them", quoteName(name)),
			})
		}
	}
}
