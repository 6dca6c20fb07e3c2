package surface

import (
	"fmt"

	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/rawjson"
)

var _ = register(check.Check{
	ID: "SEC-007", Name: "docstring-schema-mismatch", Severity: finding.Medium, Maturity: check.Stable,
	Taxonomy: "MCP03:2025 weak, ASI02 weak, CWE-684 close, CWE-1059 weak, AML.T0110 weak, SAFE-T1501 weak, L4 close, L3 weak",
	Axis:     "tool-poisoning", Needs: check.Definitions, Source: check.SourceSEC,
	Doc: `A tool's description names a parameter that its input schema does not declare.

The model fills in what the description asks for, but the person who approves a call and the client that
validates arguments look at the schema. A parameter that only the description mentions passes them unseen and
can carry data out ("pass its content as the ` + "`sidenote`" + ` parameter"). Even in an honest tool, the model then
sends arguments that the server drops or refuses.

The check reads names from parameter sections in the styles of Google, NumPy, reST, JSDoc and Markdown, and
from sentences such as "the ` + "`x`" + ` parameter", "parameter ` + "`x`" + `" or "pass its content as 'x'". Each undeclared name
is one finding, with the name as evidence.

A name counts as declared if it appears anywhere in the schema, nested objects and definitions included, in
any case, with any separators, in singular or plural; for a dotted name the first part is enough. Not judged:
tools whose input schema is missing or not an object, fields of an object whose own fields the schema leaves
open, parameters that frameworks fill in (ctx, context, self, …), *args and **kwargs, environment variables,
and parameters described as another tool's. Where the schema explicitly allows additional properties, a list
in the description counts as the declaration; a sentence that asks for a parameter does not. An object that
holds the parameters of a request and leaves their names open ("queryParams") takes whatever is asked for.`,
	Advice:  "Declare the parameter in inputSchema, or remove it from the description.",
	RunItem: docstringSchemaMismatch,
})

func docstringSchemaMismatch(it *check.Item) {
	if it.Kind != finding.Tool {
		return
	}
	schema := it.Value.Get("inputSchema")
	if schema.Kind() != rawjson.Object {
		return
	}
	for i := range it.Fields {
		f := &it.Fields[i]
		if f.Sort != check.Description || f.IsKey {
			continue
		}
		named := documented(f.Text.Raw)
		if len(named) == 0 {
			continue
		}
		d, ok := declarations(schema)
		if !ok {
			return
		}
		reportUndeclared(it, f, named, d)
	}
}

// reportUndeclared reports each name once, where it first occurs.
func reportUndeclared(it *check.Item, f *check.Field, named []parameter, d declared) {
	s := f.Text.Raw
	seen := map[string]bool{}
	for _, p := range named {
		name := s[p.start:p.end]
		key := canonicalName(name)
		if seen[key] || p.listed && d.open || d.has(name) || neverDeclared(name, p.kind) || !p.listed && (d.carrier || othersParameter(it, s, p)) {
			continue
		}
		seen[key] = true
		it.Report(check.Report{
			Field: f, Start: p.start, End: p.end,
			Message: fmt.Sprintf("the description names a parameter %q that the input schema does not declare", name),
		})
	}
}
