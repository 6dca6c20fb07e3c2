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
	Doc: `A tool's name is almost the same as that of a tool on another server.

A model that means "read_file" may write "read_files", and a person who approves a call may overlook the
difference. Names are near-duplicates if they

- are one edit apart: one character inserted, deleted or replaced,
- differ only in separators or letter case ("read_file", "readFile", "read-file"), or
- look the same: letters of other scripts, invisible characters, accents, and characters that fonts draw alike
  (I, l and 1; O and 0; rn and m).

Equal names are SEC-010. There is one finding for each name, with the similar names of other servers as
related places, so two similar names give two findings: a snapshot does not show which one is the copy.

Not reported: one edit in a name of three letters or fewer ("get", "set"); numbered names ("tool1" and
"tool2", "step_9" and "step_10"); similar names on one server, since one author chose both. Names of more than
128 characters are not compared by edits. At most 50 similar names are reported for one name.`,
	Advice: "Check which server each of these tools belongs to, and disconnect a server whose tool imitates another's.",
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
			Message: fmt.Sprintf("the tool name %s resembles a name on another server: %s", quoteName(n.name), listNames(words)),
		})
	}
}

// maxRelated limits the places of a finding: many near names on many servers would make more of them than there are tools.
const maxRelated = 100

// foreign reports whether two different servers offer one name each.
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
