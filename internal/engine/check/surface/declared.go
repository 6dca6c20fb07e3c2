package surface

import (
	"strings"

	"gauntlet/internal/leaf/schema"
	"gauntlet/rawjson"
)

// declared is what an input schema says about parameter names.
type declared struct {
	names map[string]bool // canonical
	// open is set if the schema accepts parameters that it does not name: through additional properties, or an object
	// without listed fields.
	open bool
	// carrier is set if such an object exists to hold parameters, according to its name: "queryParams".
	carrier bool
}

// declarations reads a schema; false if properties is not an object, so that the declared names are unknown.
func declarations(input rawjson.Value) (declared, bool) {
	d := declared{names: map[string]bool{}}
	props := input.Get("properties")
	if props.Exists() && props.Kind() != rawjson.Object {
		return d, false
	}
	d.collect(input)
	extra := input.Get("additionalProperties")
	allowed, _ := extra.Bool()
	d.open = d.open || allowed || extra.Kind() == rawjson.Object || input.Get("patternProperties").Len() > 0
	single := props.Len() == 1
	for m := range props.Members() {
		whole := m.Value.Get("type").Text() == "object" || wrappers[canonicalName(m.Key.Text())]
		d.open = d.open || single && whole && !fieldsListed(m.Value)
		d.carrier = d.carrier || m.Value.Get("type").Text() == "object" && !fieldsListed(m.Value) && holdsParameters(canonicalName(m.Key.Text()))
	}
	return d, true
}

// holdsParameters reports whether an object's canonical name says that it holds request parameters.
func holdsParameters(name string) bool {
	return strings.HasSuffix(name, "param") || strings.HasSuffix(name, "params") || strings.HasSuffix(name, "parameters") || strings.HasSuffix(name, "arguments") || strings.HasSuffix(name, "args")
}

// fieldsListed reports whether a property's own fields are listed, directly or behind a reference; collect reads all definitions.
func fieldsListed(v rawjson.Value) bool {
	for _, name := range []string{"properties", "$ref", "allOf", "anyOf", "oneOf", "items"} {
		if v.Get(name).Exists() {
			return true
		}
	}
	return false
}

// collect collects names at any depth: descriptions list the fields of an object parameter next to the parameters.
func (d *declared) collect(input rawjson.Value) {
	for p := range schema.All(input) {
		if len(p.Path) > 0 {
			d.names[canonicalName(p.Name())] = true
		}
		for _, e := range p.Schema.Get("required").Elements() {
			d.names[canonicalName(e.Text())] = true
		}
		// External references are not fetched, so their names are unknown.
		ref := p.Schema.Get("$ref")
		d.open = d.open || ref.Exists() && !strings.HasPrefix(ref.Text(), "#")
	}
}

// has reports whether a name, or the part before its first dot or bracket, is declared.
func (d *declared) has(name string) bool {
	if d.names[canonicalName(name)] {
		return true
	}
	i := strings.IndexAny(name, ".[")
	return i > 0 && d.names[canonicalName(name[:i])]
}

// canonicalName unifies names that differ only in case, separators or plural: "userIds", "user_id", "USER-ID".
func canonicalName(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case 'A' <= c && c <= 'Z':
			b.WriteByte(c | 0x20)
		case c == '_' || c == '-' || c == '.' || c == ' ' || c == '$' || c == '[' || c == ']':
		default:
			b.WriteByte(c)
		}
	}
	if s = b.String(); len(s) > 2 {
		s = strings.TrimSuffix(s, "s")
	}
	return s
}

// wrappers are canonical names for "all parameters". Code that takes one object documents it in the docstring, while
// the schema may show its fields, and vice versa.
var wrappers = setOf("param", "parameter", "arg", "argument", "kwarg", "input", "inputdata", "inputmodel", "inputparam", "request", "req")

// framework lists the canonical names of parameters that frameworks inject and never show to a model.
var framework = setOf("ctx", "context", "self", "cl", "requestcontext", "mcpctx", "mcpcontext", "toolcontext", "runcontext",
	"extra", "meta", "server", "mcp", "app", "session", "progresstoken", "callback", "signal", "abortsignal", "cancellationtoken", "request", "httprequest")

// labels are canonical words before a colon in a parameter list that are not parameters: always, and only if capitalized.
var (
	labels     = setOf("none", "example", "default", "required", "optional", "return", "http", "where", "or", "and", "if", "eg", "ie", "na", "nothing", "todo")
	titleWords = setOf("note", "raise", "yield", "warning", "important", "tip", "usage", "output", "response", "error", "exception",
		"result", "description", "remark", "behavior", "behaviour", "throw", "no", "type", "format", "value", "limit", "location")
)

func setOf(words ...string) map[string]bool {
	m := make(map[string]bool, len(words))
	for _, w := range words {
		m[w] = true
	}
	return m
}

// neverDeclared reports whether a schema would never declare a documented name. kind is its documented type, "" if none.
func neverDeclared(name, kind string) bool {
	key := canonicalName(name)
	return framework[key] || wrappers[key] || labels[key] || name[0] < 'a' && titleWords[key] ||
		strings.Contains(kind, "Context") || strings.Contains(kind, "Session") || // injected by frameworks, under any name
		strings.ToUpper(name) == name && strings.Contains(name, "_") // an environment variable
}
