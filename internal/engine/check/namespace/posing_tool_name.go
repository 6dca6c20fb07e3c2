package namespace

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gauntlet/catalog"
	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/internal/leaf/lazyregexp"
	"gauntlet/rawjson"
)

var _ = register(check.Check{
	ID: "GNT-011", Name: "posing-tool-name", Severity: finding.High, Maturity: check.Experimental,
	Taxonomy: "MCP03:2025 close, MCP09:2025 weak, ASI04 close, CWE-694 weak, CWE-706 exact, SAFE-T1301 close, L2 close, L6 weak",
	Axis:     "tool-shadowing", Needs: check.Servers, Source: "https://modelcontextprotocol.io/specification/2025-11-25/server/tools",
	Doc: `A tool's name is the one that clients and gateways make for a tool of another server: the name of that server, two underscores, and
more ("bank__search" on a server that is not bank); or with another sign between them, the name of a tool that this server has
("bank_search", "bank-search", "bank.search", "bank:search").

Such a client shows the model the tool of the stranger in the place of the real one, whose name it then changes, and calls that are
meant for one server reach another.

Names of servers are compared as clients write them into names: letter case aside, every other sign as an underscore; "mcp__" may stand
before. Not reported: names that begin like the tool's own server, "bank_fees" where bank has no tool "fees", and names of servers of fewer
than three characters.`,
	Advice: "Do not connect the two together, and ask the author of the server why its tool has that name.",
	Run:    posingToolName,
})

const qualifier = "__"

// notInNames are the characters that clients replace when they prefix a tool's name with its server's.
var notInNames = lazyregexp.New(`[^a-z0-9]+`)

func writtenName(s string) string {
	return strings.Trim(notInNames.ReplaceAllString(strings.ToLower(s), "_"), "_")
}

// writtenNames are the user's names for a server and its own.
func writtenNames(s *catalog.Server) (out []string) {
	for _, name := range append(slices.Clone(s.Entries), s.Name) {
		if name = writtenName(name); len(name) > 2 {
			out = append(out, name)
		}
	}
	return out
}

func posingToolName(p *check.Pass) {
	servers := map[string]*catalog.Server{}
	for _, s := range p.Catalog.Servers {
		for _, name := range writtenNames(s) {
			if servers[name] == nil {
				servers[name] = s
			}
		}
	}
	names := map[*catalog.Server]map[string]bool{}
	has := func(s *catalog.Server, tool string) bool {
		if names[s] == nil {
			names[s] = map[string]bool{}
			for i := range s.Tools() {
				names[s][writtenName(s.Tools()[i].Name())] = true
			}
		}
		return names[s][tool]
	}
	// imitated returns the server that a name is a qualified name of.
	imitated := func(name string, own []string) *catalog.Server {
		before, after, found := strings.Cut(name, qualifier)
		if of := servers[writtenName(before)]; found && after != "" && of != nil && !slices.Contains(own, writtenName(before)) {
			return of
		}
		name = writtenName(name)
		for i := range name {
			if of := servers[name[:i]]; name[i] == '_' && of != nil && !slices.Contains(own, name[:i]) && has(of, name[i+1:]) {
				return of
			}
		}
		return nil
	}
	var tree rawjson.Tree
	for _, s := range p.Catalog.Servers {
		own := writtenNames(s)
		p.Looked(len(s.Tools()))
		for i := range s.Tools() {
			it := &s.Tools()[i]
			of := imitated(strings.TrimPrefix(strings.ToLower(it.Name()), "mcp"+qualifier), own)
			if of == nil {
				continue
			}
			p.Report(check.Relation{
				At: p.At(s, it, it.Parse(s, &tree).Get("name")), Related: []check.Place{p.At(of, nil, rawjson.Value{})}, Identity: identity(it.Name(), []*catalog.Server{s, of}),
				Message: fmt.Sprintf("the tool name %s is what clients make of a tool of the server %s", quoteName(it.Name()), quoteName(cmp.Or(append(slices.Clone(of.Entries), of.Name)...))),
			})
		}
	}
}
