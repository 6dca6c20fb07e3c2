package namespace

import (
	"fmt"

	"gauntlet/catalog"
	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/rawjson"
)

var _ = register(check.Check{
	ID: "SEC-012", Name: "server-name-squat", Severity: finding.Medium, Maturity: check.Experimental,
	Taxonomy: "MCP04:2025 close, MCP09:2025 weak, ASI04 close, CWE-1007 weak, CWE-290 weak, AML.T0074 close, AML.T0073 weak, SAFE-T1004 close, SAFE-T1003 weak, L6 close, L2 weak",
	Axis:     "server-impersonation", Needs: check.Servers, Source: check.SourceSEC,
	Doc: `A server's name is almost the same as another server's name.

People trust servers by name: in a configuration, in a consent dialog, in a log. Names are compared as in
SEC-011: one edit in a name of four letters or more, a difference only in separators or letter case, or the
same look. Numbered names ("shard 1", "shard 2") are not reported.

The names compared are those in the input: "name" of a list entry, or the name in "server" or "serverInfo". A
server without a name is left out. Equal names are not reported: they are one server captured twice, or two
servers whose tools SEC-010 compares. There is one finding for each name.`,
	Advice: "Make sure that you meant to connect both servers, and remove the one that you did not.",
	Run:    serverNameSquat,
})

func serverNameSquat(p *check.Pass) {
	var names []string
	by := map[string][]*catalog.Server{}
	for _, s := range p.Catalog.Servers {
		if s.Anonymous {
			continue
		}
		if by[s.Name] == nil {
			names = append(names, s.Name)
		}
		by[s.Name] = append(by[s.Name], s)
	}
	p.Looked(len(p.Catalog.Servers))
	var tree rawjson.Tree
	for i, near := range nearNames(names) {
		if len(near) == 0 {
			continue
		}
		name := names[i]
		servers := by[name]
		var words []string
		var related []check.Place
		for _, o := range near {
			other := names[o.name]
			words = append(words, fmt.Sprintf("%s %s", o.how.spell(other), o.how))
			for _, s := range by[other] {
				if len(related) < maxRelated {
					related = append(related, namePlace(p, &tree, s))
				}
			}
			servers = append(servers[:len(servers):len(servers)], by[other][0])
		}
		p.Report(check.Relation{
			At: namePlace(p, &tree, by[name][0]), Related: related, Identity: identity(name, servers),
			Message: fmt.Sprintf("the server name %s resembles another server's: %s", quoteName(name), listNames(words)),
		})
	}
}

func namePlace(p *check.Pass, tree *rawjson.Tree, s *catalog.Server) check.Place {
	for i := range s.Self {
		it := &s.Self[i]
		v := it.Parse(s, tree)
		if v.Kind() == rawjson.Object {
			v = v.Get("name")
		}
		if it.Label() != "instructions" && v.Text() == s.Name {
			return p.At(s, it, v)
		}
	}
	return p.At(s, nil, rawjson.Value{})
}
