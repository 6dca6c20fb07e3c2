package surface

import (
	"net/url"
	"strings"

	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/internal/leaf/hostscope"
	"gauntlet/rawjson"
)

var _ = register(check.Check{
	ID: "GNT-005", Name: "external-schema-reference", Severity: finding.Medium, Maturity: check.Experimental,
	Taxonomy: "MCP03:2025 weak, ASI04 close, CWE-829 close, CWE-918 close, L6 weak, L3 close",
	Axis:     "server-side-request-forgery", Needs: check.Definitions, Source: "https://modelcontextprotocol.io/specification/2026-07-28/basic",
	Doc: `A schema's ` + "`$ref`" + ` leads out of the definition. A client that follows it makes a request, or reads a file, of the server's choice, and what
the schema says can change after it was approved. The specification forbids to follow such references without being told to.

Severity high for references to files, to addresses of this machine or of private networks, and with other schemes than http and https.
Not reported: references within the schema, to an $id that it holds, to the meta-schemas of json-schema.org, and URNs.`,
	Advice:  "Put what is shared under $defs, and refer to it by #/$defs/NAME.",
	RunItem: externalReference,
})

func externalReference(it *check.Item) {
	var ids map[string]bool
	for i := range it.Fields {
		f := &it.Fields[i]
		if f.IsKey || f.Sort != check.SchemaOther || !isReference(f.Value.Key().Text()) {
			continue
		}
		to := strings.TrimSpace(f.Value.Text())
		if to == "" || to[0] == '#' {
			continue
		}
		if ids == nil {
			ids = map[string]bool{}
			schemaIDs(it.Value.Get("inputSchema"), ids, 0)
			schemaIDs(it.Value.Get("outputSchema"), ids, 0)
		}
		if what, severity := leadsOut(to, ids); what != "" {
			it.Report(check.Report{Field: f, Severity: severity, Message: "a schema refers to " + what})
		}
	}
}

func isReference(key string) bool {
	return key == "$ref" || key == "$dynamicRef" || key == "$recursiveRef"
}

// schemaIDs collects the $id of a schema and its subschemas.
func schemaIDs(v rawjson.Value, into map[string]bool, depth int) {
	if depth > 50 {
		return
	}
	for m := range v.Members() {
		if key := m.Key.Text(); (key == "$id" || key == "id") && m.Value.Kind() == rawjson.String {
			into[withoutFragment(m.Value.Text())] = true
		}
		schemaIDs(m.Value, into, depth+1)
	}
	for _, e := range v.Elements() {
		schemaIDs(e, into, depth+1)
	}
}

func withoutFragment(address string) string {
	before, _, _ := strings.Cut(address, "#")
	return before
}

// leadsOut describes the target of a reference that leaves its schema, "" if it does not.
func leadsOut(to string, ids map[string]bool) (string, finding.Severity) {
	target := withoutFragment(to)
	if ids[target] {
		return "", finding.None
	}
	u, err := hostscope.ParseURL(target)
	if err != nil {
		return "an address that cannot be read", finding.None
	}
	for base := range ids { // bundled schemas may be referenced relative to the schema's location
		b, err := url.Parse(base)
		if err != nil || !b.IsAbs() {
			continue
		}
		if ids[b.ResolveReference(u).String()] {
			return "", finding.None
		}
		if !u.IsAbs() && u.Host == "" && (b.Scheme == "file" || b.Host != "" && hostscope.Of(b.Hostname()) != hostscope.Public) {
			return leadsOut(b.ResolveReference(u).String(), nil)
		}
	}
	switch scheme := strings.ToLower(u.Scheme); {
	case scheme == "urn" || scheme == "tag":
		return "", finding.None
	case scheme == "file" || len(scheme) == 1: // a Windows drive
		return "a file of the client", finding.High
	case scheme == "" && u.Host == "" && (strings.HasPrefix(target, "/") || strings.HasPrefix(target, ".")):
		return "a file or an address beside it", finding.None
	case scheme == "" && u.Host == "":
		return "", finding.None // a name, as older generators write it
	case scheme != "" && scheme != "http" && scheme != "https":
		return "an address of the scheme " + scheme, finding.High
	case hostscope.Of(u.Hostname()) != hostscope.Public:
		return "a " + string(hostscope.Of(u.Hostname())) + " address", finding.High
	case u.Hostname() == "json-schema.org":
		return "", finding.None
	}
	return "an address on another host", finding.None
}
