package check

import (
	"gauntlet/catalog"
	"gauntlet/finding"
	"gauntlet/internal/text"
	"gauntlet/rawjson"
)

// A context is where in a definition a value stands, as far as sorts depend on it.
type context uint8

const (
	inItem context = iota
	inSchema
	inProperties
	inValues // enum, const, default, examples: any JSON
	inAnnotations
	inMeta
	inIcons
	inArguments
	inIdentity // the server's description of itself
)

// fields collects every string of an item. Names that MCP or JSON Schema give are
// structure and left out; all other names are somebody's text.
func (w *worker) fields(it *catalog.Item, v rawjson.Value) []Field {
	w.buf = w.buf[:0]
	w.reader.Reset()
	clear(w.params)
	properties(v.Get("inputSchema"), w.params, 0)
	properties(v.Get("outputSchema"), w.params, 0)
	ctx := inItem
	if it.Kind == finding.Server {
		if it.Label() == "capabilities" {
			return w.buf // switches for the client, which no model is shown
		}
		ctx = inIdentity
	}
	if v.Kind() == rawjson.String { // instructions stand alone
		w.field(v, false, Instructions)
		return w.buf
	}
	w.walk(v, ctx, Other, 0)
	return w.buf
}

func (w *worker) walk(v rawjson.Value, ctx context, sort Sort, depth int) {
	switch v.Kind() {
	case rawjson.String:
		w.field(v, false, sort)
	case rawjson.Array:
		if depth < catalog.MaxDepth {
			for _, e := range v.Elements() {
				w.walk(e, ctx, sort, depth+1)
			}
		}
	case rawjson.Object:
		if depth >= catalog.MaxDepth {
			return
		}
		for m := range v.Members() {
			name := m.Key.Text()
			// What a server says about itself has members that capture tools add; only
			// those of MCP's Implementation reach a model.
			if ctx == inIdentity && depth == 0 {
				if name == "serverInfo" {
					w.walk(m.Value, inIdentity, Other, 0) // what the server answered, wrapped by a capture tool
				}
				if !identity[name] {
					continue
				}
			}
			switch {
			case ctx == inProperties:
				w.field(m.Key, true, PropertyName)
			case !structural[name] || ctx == inValues:
				w.field(m.Key, true, MemberName)
			}
			next, sort := step(ctx, name)
			w.walk(m.Value, next, sort, depth+1)
		}
	}
}

// step returns where the value of a member stands and the sort of strings there.
func step(ctx context, name string) (context, Sort) {
	switch ctx {
	case inItem, inIdentity:
		switch name {
		case "inputSchema", "outputSchema":
			return inSchema, SchemaOther
		case "annotations":
			return inAnnotations, Annotation
		case "_meta":
			return inMeta, Meta
		case "icons":
			return inIcons, Icon
		case "arguments":
			return inArguments, Argument
		case "name":
			return ctx, Name
		case "title":
			return ctx, Title
		case "description":
			return ctx, Description
		case "instructions":
			return ctx, Instructions
		case "uri", "uriTemplate", "websiteUrl":
			return ctx, URI
		}
		return ctx, Other
	case inProperties:
		return inSchema, SchemaOther
	case inSchema:
		switch name {
		case "properties", "patternProperties", "$defs", "definitions", "dependentSchemas":
			return inProperties, SchemaOther
		case "description", "title", "$comment", "markdownDescription", "errorMessage":
			return inSchema, SchemaDescription
		case "enum", "const", "default", "examples", "example", "enumDescriptions", "enumNames":
			return inValues, SchemaValue
		}
		return inSchema, SchemaOther
	case inArguments:
		switch name {
		case "name":
			return ctx, PropertyName
		case "description", "title":
			return ctx, SchemaDescription
		}
		return ctx, Argument
	case inAnnotations:
		return ctx, Annotation
	case inMeta:
		return ctx, Meta
	case inIcons:
		return ctx, Icon
	}
	return inValues, SchemaValue
}

// properties collects the property names of a schema at any depth.
func properties(v rawjson.Value, into map[string]bool, depth int) {
	if depth > 50 {
		return
	}
	for m := range v.Members() {
		if m.Value.Kind() == rawjson.Object && m.Key.Raw() == `"properties"` {
			for p := range m.Value.Members() {
				into[p.Key.Text()] = true
			}
		}
		properties(m.Value, into, depth+1)
	}
	for _, e := range v.Elements() {
		properties(e, into, depth+1)
	}
}

// name tells the reader what an identifier means in the item at hand.
func (w *worker) name(s string) text.Name {
	switch {
	case w.params[s]:
		return text.Parameter
	case s == w.self:
		return text.Self
	case w.of.has(s):
		return text.Sibling
	}
	return text.Unknown
}

func (w *worker) field(v rawjson.Value, isKey bool, sort Sort) {
	s := v.Text()
	w.counts[sort].strings++
	w.counts[sort].bytes += len(s)
	t := w.reader.Read
	if sort == PropertyName || sort == MemberName {
		t = w.reader.ReadName
	}
	w.buf = append(w.buf, Field{Value: v, IsKey: isKey, Sort: sort, Text: t(s)})
}

// identity lists the members of MCP's Implementation object (2024-11-05 to 2026-07-28).
var identity = map[string]bool{
	"name": true, "title": true, "version": true, "description": true, "websiteUrl": true, "icons": true,
	"instructions": true, "_meta": true,
}

// structural lists the member names that MCP and JSON Schema define.
var structural = func() map[string]bool {
	m := map[string]bool{}
	for _, n := range []string{
		"name", "title", "description", "inputSchema", "outputSchema", "annotations", "_meta", "icons", "arguments",
		"uri", "uriTemplate", "mimeType", "size", "execution", "taskSupport", "version", "websiteUrl", "instructions",
		"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint", "audience", "priority", "lastModified",
		"src", "sizes", "theme", "required",
		"$schema", "$id", "$ref", "$defs", "$comment", "$anchor", "$dynamicRef", "$dynamicAnchor", "$vocabulary",
		"type", "properties", "patternProperties", "additionalProperties", "unevaluatedProperties", "propertyNames",
		"items", "prefixItems", "additionalItems", "unevaluatedItems", "contains", "minContains", "maxContains",
		"enum", "const", "default", "examples", "example", "format", "pattern", "minLength", "maxLength", "minimum",
		"maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minItems", "maxItems", "uniqueItems",
		"minProperties", "maxProperties", "dependentRequired", "dependentSchemas", "dependencies", "allOf", "anyOf",
		"oneOf", "not", "if", "then", "else", "definitions", "deprecated", "readOnly", "writeOnly", "nullable",
		"contentEncoding", "contentMediaType", "contentSchema", "discriminator", "x-mcp-header",
	} {
		m[n] = true
	}
	return m
}()

// reader is what a worker reads strings with; see text.Reader.
type reader = text.Reader
