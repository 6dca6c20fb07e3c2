package surface

import (
	"strings"

	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/internal/leaf/lazyregexp"
	"gauntlet/internal/leaf/schema"
	"gauntlet/internal/leaf/secret"
	"gauntlet/rawjson"
)

var _ = register(check.Check{
	ID: "GNT-004", Name: "unsafe-parameter-header", Severity: finding.Medium, Maturity: check.Experimental,
	Taxonomy: "MCP07:2025 weak, MCP01:2025 weak, ASI04 weak, CWE-93 close, CWE-522 weak, L5 close, L4 weak",
	Axis:     "transport", Needs: check.Definitions, Source: "https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http",
	Doc: `A parameter's ` + "`x-mcp-header`" + `, which has clients repeat its value in an HTTP header (2026-07-28), is one that the specification forbids or warns of:

- it holds a line break, which in a careless client begins a header of the server's choice (severity high),
- the parameter takes a password, key or token, which proxies on the way then see and log,
- another parameter has the same header, letter case aside, so that a proxy and the server may read different values,
- it is no token of HTTP, or stands on something else than a string, an integer or a boolean: clients must drop the tool (severity low).

Not reported: annotations of output schemas, and words inside default values and examples.`,
	Advice:  "Use a header name of letters, digits and hyphens, once, and never for a secret.",
	RunItem: parameterHeader,
})

const (
	headerKey = "x-mcp-header"
	shown     = "the parameter's " + headerKey
)

func parameterHeader(it *check.Item) {
	if it.Kind != finding.Tool {
		return
	}
	holders := map[string]map[string]bool{} // by header: the parameters that have it; one in several branches is one
	for p := range schema.All(it.Value.Get("inputSchema")) {
		if header := strings.ToLower(p.Schema.Get(headerKey).Text()); header != "" {
			if holders[header] == nil {
				holders[header] = map[string]bool{}
			}
			holders[header][strings.Join(p.Path, "\x00")] = true
		}
	}
	for p := range schema.All(it.Value.Get("inputSchema")) {
		header := p.Schema.Get(headerKey)
		if !header.Exists() {
			continue
		}
		text, kind := header.Text(), p.Schema.Get("type").Text()
		r := check.Report{Field: fieldAt(it, header)}
		switch {
		case strings.ContainsAny(text, "\r\n\x00"):
			r.Severity, r.Message = finding.High, shown+" holds a line break: a careless client sends a header of the server's choice"
		case kind != "boolean" && takesSecret(p.Name(), p.Schema):
			r.Message = shown + " puts a secret into a header, which proxies see and log"
		case text != "" && len(holders[strings.ToLower(text)]) > 1:
			r.Message = shown + " is that of another parameter as well"
		case header.Kind() != rawjson.String || !isToken(text):
			r.Severity, r.Message = finding.Low, shown+" cannot be part of a header's name: clients must drop the tool"
		case kind != "string" && kind != "integer" && kind != "boolean":
			r.Severity, r.Message = finding.Low, shown+" stands on something else than a string, an integer or a boolean: clients must drop the tool"
		default:
			continue
		}
		it.Report(r)
	}
}

// takesSecret reports whether a parameter of this name and schema takes a password, key or token.
func takesSecret(name string, v rawjson.Value) bool {
	description := v.Get("description").Text()
	switch {
	case v.Get("format").Text() == "password", v.Get("writeOnly").Raw() == "true", tellsSecret.MatchString(description):
		return true
	case strings.EqualFold(name, "token") && tellsOtherToken.MatchString(description):
		return false
	}
	return secret.IsFieldName(name)
}

// tellsSecret matches the description of a parameter that takes a secret: "Your GitHub personal access token".
var tellsSecret = lazyregexp.New(`(?i)\b(password|passphrase|api[ _-]?key|(access|api|auth|bearer|refresh|session)[ _-]token|session cookie|one-time code|authorization header|private key|client secret)\b`)

// tellsOtherToken matches the description of a parameter called "token" that takes none: "The token of the next page", "Symbol of the token to swap".
var tellsOtherToken = lazyregexp.New(`(?i)\b(next|previous|page|pagination|cursor|continuation|symbol|ticker|coin|swap|mint|contract|blockchain|word)s?\b`)

// isToken reports whether a text is a token of RFC 9110.
func isToken(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return r <= ' ' || r > '~' || strings.ContainsRune(`"(),/:;<=>?@[\]{}`, r)
	})
}

// fieldAt returns the field of a value, nil if it is not a string.
func fieldAt(it *check.Item, v rawjson.Value) *check.Field {
	for i := range it.Fields {
		if f := &it.Fields[i]; !f.IsKey && f.Value.Offset() == v.Offset() {
			return f
		}
	}
	return nil
}
