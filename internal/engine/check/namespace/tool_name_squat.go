package namespace

import (
	"fmt"

	"gauntlet/catalog"
	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/rawjson"
)

var _ = register(check.Check{
	ID: "SEC-011", Name: "tool-name-squat", Severity: finding.Medium, Maturity: check.Experimental,
	Taxonomy: "MCP03:2025 weak, MCP04:2025 close, ASI04 close, CWE-1007 weak, CWE-706 weak, AML.T0074 close, SAFE-T1004 close, SAFE-T1405 weak, L6 close, L2 weak",
	Axis:     "tool-shadowing", Needs: check.Servers, Source: check.SourceSEC,
	Doc: `A tool's name is a near-duplicate of a tool's name on another server.

A model that means "read_file" may well write "read_files", and a person who approves a call may not
see the difference. Near-duplicates are names that

- are one edit apart: one character inserted, deleted or replaced,
- differ in separators or letter case only ("read_file", "readFile", "read-file"), or
- look the same: letters of other scripts, invisible characters, accents, and what fonts draw alike
  (I, l and 1; O and 0; rn and m).

Equal names are SEC-010's. There is one finding a name, with the near names of other servers as its
related places, so two near names give two findings: which one is the copy is not to be told from a
snapshot.

Silent are one edit in a name of three letters or fewer ("get", "set"), and numbering: names that
differ in the digits of a number that both have ("tool1" and "tool2", "step_9" and "step_10"). Near
names on one server are silent too, since their author chose both. Names of more than 128 characters
are not compared by edits. At most 50 near names are reported for one.`,
	Advice: "Check which server each of these tools belongs to; if one of them has no business with that name, disconnect its server.",
	Run:    toolNameSquat,
})

func toolNameSquat(p *check.Pass) {
	all := tools(p)
	names := make([]string, len(all))
	for i, n := range all {
		names[i] = n.name
	}
	var tree rawjson.Tree
	for i, near := range nearNames(names) {
		n := all[i]
		var words []string
		var related []check.Place
		servers := n.sharedServers()
		for _, o := range near {
			other := all[o.name]
			if !foreign(n, other) {
				continue
			}
			words = append(words, fmt.Sprintf("%s of %s %s", o.how.spell(other.name), listNames(serverNames(other.sharedServers())), o.how))
			if len(related) < maxRelated {
				related = append(related, places(p, &tree, other.offers[:min(len(other.offers), maxRelated-len(related))])...)
			}
			servers = append(servers, other.sharedServers()[:min(len(other.offers), maxRelated)]...)
		}
		if words == nil {
			continue
		}
		p.Report(check.Relation{
			At: n.offers[0].offerPlace(p, &tree, "name"), Related: related, Identity: identity(n.name, distinct(servers)),
			Message: fmt.Sprintf("the tool name %s is a near-duplicate on another server: %s", quoteName(n.name), listNames(words)),
		})
	}
}

// maxRelated bounds the places of one finding, since many near names on many servers
// would make more of them than there are tools.
const maxRelated = 100

// foreign reports whether two names are offered by two servers, one each.
func foreign(a, b *shared) bool {
	return a.several() || b.several() || a.offers[0].server != b.offers[0].server
}

func distinct(servers []*catalog.Server) []*catalog.Server {
	seen := map[*catalog.Server]bool{}
	var out []*catalog.Server
	for _, s := range servers {
		if !seen[s] {
			seen[s] = true
			out = append(out, s)
		}
	}
	return out
}
