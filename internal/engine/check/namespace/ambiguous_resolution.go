package namespace

import (
	"fmt"
	"strings"

	"gauntlet/catalog"
	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/rawjson"
)

var _ = register(check.Check{
	ID: "SEC-013", Name: "ambiguous-resolution", Severity: finding.Medium, Maturity: check.Experimental,
	Taxonomy: "MCP03:2025 weak, ASI02 weak, CWE-694 close, CWE-706 close, AML.T0110 weak, SAFE-T1301 close, L2 close, L3 weak",
	Axis:     "tool-shadowing", Needs: check.Servers, Source: check.SourceSEC,
	Doc: `Tools of the same name on different servers have different input schemas.

A call that reaches the wrong server fails, or worse: its arguments mean something else there. SEC-010 reports
the shared name; this check adds that the tools are not the same.

Schemas are compared as values: the order of members, white space, escapes and the spelling of numbers do not
matter. Everything else does, including descriptions inside the schema. A missing schema differs from any
schema. There is one finding for each name, with all servers that have it.`,
	Advice: "Connect one of these servers at a time, or use a client that prefixes tool names with the server's name.",
	Run:    ambiguousResolution,
})

// A variant is one of the input schemas of a name.
type variant struct {
	schema  string // canonical
	first   offer
	servers []*catalog.Server
}

func ambiguousResolution(p *check.Pass) {
	var tree rawjson.Tree
	for _, n := range tools(p) {
		if !n.several() {
			continue
		}
		var variants []*variant
		index := map[string]*variant{}
		var at []check.Place
		for _, o := range n.offers {
			schema := o.tool.Parse(o.server, &tree).Get("inputSchema")
			at = append(at, p.At(o.server, o.tool, schema))
			c := ""
			if schema.Kind() != rawjson.Null {
				c = schema.Canonical()
			}
			v := index[c]
			if v == nil {
				v = &variant{schema: c, first: o}
				index[c] = v
				variants = append(variants, v)
			}
			if len(v.servers) == 0 || v.servers[len(v.servers)-1] != o.server {
				v.servers = append(v.servers, o.server)
			}
		}
		if !acrossServers(variants) {
			continue
		}
		p.Report(check.Relation{
			At: at[0], Related: at[1:], Identity: identity(n.name, n.sharedServers()),
			Message: fmt.Sprintf("the tool name %s has %d different input schemas: %s", quoteName(n.name), len(variants), describe(variants)),
		})
	}
}

// acrossServers reports whether two servers have different schemas, not just one server two.
func acrossServers(variants []*variant) bool {
	for _, v := range variants[1:] {
		if len(v.servers) > 1 || v.servers[0] != variants[0].servers[0] || len(variants[0].servers) > 1 {
			return true
		}
	}
	return false
}

func describe(variants []*variant) string {
	var parts []string
	for _, v := range variants {
		parts = append(parts, fmt.Sprintf("%s: %s", listNames(serverNames(v.servers)), parameters(v.schema)))
		if more := len(variants) - shown; len(parts) == shown && more > 0 {
			parts = append(parts, fmt.Sprintf("%d more", more))
			break
		}
	}
	if a, b := variants[0].schema, variants[1].schema; parameters(a) == parameters(b) {
		parts = append(parts, "the first two differ at "+differing(a, b))
	}
	return strings.Join(parts, "; ")
}

// differing names the first places where two schemas differ.
func differing(a, b string) string {
	var x, y rawjson.Tree
	if x.Parse(a, 0) != nil || y.Parse(b, 0) != nil {
		return "all"
	}
	var at []string
	for _, d := range rawjson.Differences(x.Root(), y.Root(), shown) {
		at = append(at, quoteName(d.Pointer))
	}
	return listNames(at)
}

func parameters(schema string) string {
	var tree rawjson.Tree
	if schema == "" || tree.Parse(schema, 0) != nil {
		return "no schema"
	}
	required := map[string]bool{}
	for _, r := range tree.Root().Get("required").Elements() {
		required[r.Text()] = true
	}
	var names []string
	for m := range tree.Root().Get("properties").Members() {
		name := quoteName(m.Key.Text())
		if required[m.Key.Text()] {
			name += " (required)"
		}
		names = append(names, name)
	}
	if names == nil {
		return "no parameters"
	}
	if len(names) == 1 {
		return "parameter " + names[0]
	}
	return "parameters " + listNames(names)
}
