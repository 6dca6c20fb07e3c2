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
Not reported: references within the schema, to an $id that it holds (a relative one begins at the nearest $id), to the meta-schemas of json-schema.org, and URNs.`,
	Advice:  "Put what is shared under $defs, and refer to it by #/$defs/NAME.",
	RunItem: externalReference,
})

func externalReference(it *check.Item) {
	var known *schemaNames
	for i := range it.Fields {
		f := &it.Fields[i]
		if f.IsKey || f.Sort != check.SchemaOther || !isReference(f.Value.Key().Text()) {
			continue
		}
		to := strings.TrimSpace(f.Value.Text())
		if to == "" || to[0] == '#' {
			continue
		}
		if known == nil {
			known = &schemaNames{ids: map[string]bool{}, bases: map[int]*url.URL{}}
			known.collect(it.Value.Get("inputSchema"), nil, 0)
			known.collect(it.Value.Get("outputSchema"), nil, 0)
		}
		if what, severity := known.leadsOut(to, known.bases[f.Value.Offset()]); what != "" {
			it.Report(check.Report{Field: f, Severity: severity, Message: "a schema refers to " + what})
		}
	}
}

func isReference(key string) bool {
	return key == "$ref" || key == "$dynamicRef" || key == "$recursiveRef"
}

// schemaNames are how the schemas of a definition can be referred to.
type schemaNames struct {
	ids   map[string]bool  // as written, and resolved
	bases map[int]*url.URL // by the offset of a reference: the $id that it is relative to
}

// collect adds a schema and its subschemas, base being the nearest absolute $id around it.
func (s *schemaNames) collect(v rawjson.Value, base *url.URL, depth int) {
	if depth > 50 {
		return
	}
	for _, key := range []string{"$id", "id"} {
		id := withoutFragment(strings.TrimSpace(v.Get(key).Text()))
		u, err := hostscope.ParseURL(id)
		if id == "" || err != nil {
			continue
		}
		s.ids[id] = true
		if base != nil {
			u = base.ResolveReference(u)
		}
		if u.IsAbs() {
			base = u
			s.ids[u.String()] = true
		}
		break
	}
	for m := range v.Members() {
		if base != nil && isReference(m.Key.Text()) {
			s.bases[m.Value.Offset()] = base
		}
		s.collect(m.Value, base, depth+1)
	}
	for _, e := range v.Elements() {
		s.collect(e, base, depth+1)
	}
}

func withoutFragment(address string) string {
	before, _, _ := strings.Cut(address, "#")
	return before
}

// leadsOut describes the target of a reference that leaves its schema, "" if it does not. A relative one begins at its base, if it has one.
func (s *schemaNames) leadsOut(to string, base *url.URL) (string, finding.Severity) {
	target := withoutFragment(to)
	if s.ids[target] {
		return "", finding.None
	}
	u, err := hostscope.ParseURL(target)
	if err != nil {
		return "an address that cannot be read", finding.None
	}
	if base != nil && !u.IsAbs() {
		u = base.ResolveReference(u)
		if target = u.String(); s.ids[target] {
			return "", finding.None
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
