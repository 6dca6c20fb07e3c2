package check

import (
	"cmp"
	"fmt"
	"strings"

	"gauntlet/catalog"
	"gauntlet/finding"
	"gauntlet/internal/leaf/clause"
	"gauntlet/internal/leaf/schema"
	"gauntlet/rawjson"
)

// A context is the part of a definition that a value is in, as far as sorts depend on it.
type context uint8

const (
	inItem context = iota
	inSchema
	inProperties
	inDefinitions
	inValues // enum, const, default, examples: any JSON
	inAnnotations
	inMeta
	inIcons
	inArguments
	inIdentity // a server's description of itself
)

// fields collects the strings of an item. Member names defined by MCP or JSON Schema are structure and omitted; all
// other names are somebody's text.
func (w *worker) fields(it *catalog.Item, v rawjson.Value) []Field {
	w.buf, w.full = w.buf[:0], false
	clear(w.params)
	addProperties(w.params, v.Get("inputSchema"))
	addProperties(w.params, v.Get("outputSchema"))
	w.reader.Begin(clause.Business{Name: it.Name(), Parameters: w.params, Size: len(v.Raw()), Prompt: it.Kind == finding.Prompt})
	ctx := inItem
	if it.Kind == finding.Server {
		if it.Label() == "capabilities" { // switches for the client, which no model sees; additions of the server are read
			w.walk(v.Get("experimental"), inMeta, Meta, 1)
			w.walk(v.Get("extensions"), inMeta, Meta, 1)
			return w.buf
		}
		ctx = inIdentity
	}
	if v.Kind() == rawjson.String { // instructions are a plain string
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
			name := meantMember(ctx, m.Key.Text())
			// Capture tools add members to what a server says about itself; only those of MCP's Implementation reach a model.
			if ctx == inIdentity && depth == 0 {
				if name == "serverInfo" {
					w.walk(m.Value, inIdentity, Other, 0) // the server's answer, wrapped by a capture tool
				}
				if !identity[name] {
					continue
				}
			}
			switch {
			case ctx == inProperties:
				w.field(m.Key, true, PropertyName)
			case ctx == inDefinitions: // type names, not arguments
				w.field(m.Key, true, SchemaOther)
			case !structural[m.Key.Text()] || ctx == inValues:
				w.field(m.Key, true, MemberName)
			}
			next, sort := fieldSort(ctx, name)
			w.output = w.output || ctx == inItem && name == "outputSchema"
			w.walk(m.Value, next, sort, depth+1)
			w.output = w.output && ctx != inItem
		}
	}
}

// meantMember returns the member that a parser which ignores case takes a name for: what such a parser shows its model
// is judged as that member.
func meantMember(ctx context, name string) string {
	if ctx == inProperties || ctx == inDefinitions || ctx == inValues || ctx == inMeta {
		return name
	}
	return cmp.Or(foldedMembers[rawjson.FoldName(name)], name)
}

// foldedMembers are the members that fieldSort and identity distinguish.
var foldedMembers = func() map[string]string {
	out := map[string]string{}
	for name := range identity {
		out[rawjson.FoldName(name)] = name
	}
	for _, name := range []string{"serverInfo", "inputSchema", "outputSchema", "annotations", "_meta", "icons", "arguments", "name", "title", "description",
		"instructions", "uri", "uriTemplate", "websiteUrl", "properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "$comment",
		"markdownDescription", "errorMessage", "enum", "const", "default", "examples", "example", "enumDescriptions", "enumNames"} {
		out[rawjson.FoldName(name)] = name
	}
	return out
}()

// fieldSort returns the context of a member's value and the sort of its strings.
func fieldSort(ctx context, name string) (context, Sort) {
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
	case inProperties, inDefinitions:
		return inSchema, SchemaOther
	case inSchema:
		switch name {
		case "$defs", "definitions":
			return inDefinitions, SchemaOther
		case "properties", "patternProperties", "dependentSchemas":
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

// addProperties adds a schema's property names at any depth.
func addProperties(into map[string]bool, root rawjson.Value) {
	for p := range schema.All(root) {
		if len(into) >= mostFields {
			return
		}
		if p.Keyword == "properties" {
			into[p.Name()] = true
		}
	}
}

// nameField returns the meaning of an identifier in the current item.
func (w *worker) nameField(s string) clause.Name {
	switch {
	case w.params[s]:
		return clause.Parameter
	case s == w.self:
		return clause.Self
	case w.of.hasName(s):
		return clause.Sibling
	}
	return clause.Unknown
}

// ownHost reports whether a host is the server's own: its name occurs in it.
func (w *worker) ownHost(host string) bool {
	host = strings.ToLower(host)
	for word := range strings.FieldsFuncSeq(strings.ToLower(w.server), func(r rune) bool { return r < 'a' || r > 'z' }) {
		if len(word) >= 4 && !commonInNames[word] && strings.Contains(host, word) {
			return true
		}
	}
	return false
}

// commonInNames are words in server names that identify nobody.
var commonInNames = map[string]bool{"server": true, "tools": true, "data": true, "cloud": true, "http": true, "https": true, "example": true, "test": true, "mail": true, "docs": true, "local": true}

// longestText limits the bytes read of one string: reading needs about forty times as much memory, and each processor
// reads one string at a time.
const longestText = 1 << 20

// mostFields limits the strings read of one item: each takes some hundred bytes of memory, and no honest tool has a tenth of them.
const mostFields = 200_000

func (w *worker) field(v rawjson.Value, isKey bool, sort Sort) {
	if len(w.buf) >= mostFields {
		if !w.full {
			w.fieldProblem(v, isKey, finding.Limit, fmt.Sprintf("only the first %d strings of this item were judged", mostFields))
		}
		w.full = true
		return
	}
	s := v.Text()
	if len(s) > longestText {
		w.fieldProblem(v, isKey, finding.Limit, fmt.Sprintf("only part of a string of %d bytes was judged, up to byte %d", len(s), longestText))
		s = strings.ToValidUTF8(s[:longestText], "")
	}
	w.counts[sort].strings++
	w.counts[sort].bytes += len(s)
	at := sort.Place()
	if w.output && (at == clause.Slot || at == clause.SlotName) {
		at = clause.Elsewhere // not an argument: what a tool returns
	}
	read := w.reader.Read(s, at)
	if read.Unread != "" && (!read.Looks || sort.Prose() || sort == SchemaValue || sort == Other) {
		w.fieldProblem(v, isKey, finding.Unread, read.Unread)
	}
	w.buf = append(w.buf, Field{Value: v, IsKey: isKey, Sort: sort, Text: read})
}

func (w *worker) fieldProblem(v rawjson.Value, isKey bool, kind finding.ProblemKind, message string) {
	w.out.problems = append(w.out.problems, finding.Problem{Kind: kind, Message: message, Location: w.item.Location(w.from, v, isKey), Input: w.from.Document.Number, Order: v.Offset()})
}

// identity has the members of MCP's Implementation object (2024-11-05 to 2026-07-28).
var identity = map[string]bool{
	"name": true, "title": true, "version": true, "description": true, "websiteUrl": true, "icons": true,
	"instructions": true, "_meta": true,
}

// structural has the member names that MCP and JSON Schema define.
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

// Place returns how text of a sort is read.
func (s Sort) Place() clause.Place { return placeOf[s] }

// placeOf maps each sort to how its text is read.
var placeOf = [sorts]clause.Place{
	Name: clause.Label, Title: clause.Label, Description: clause.Function, Instructions: clause.Instruction,
	SchemaDescription: clause.Slot, PropertyName: clause.SlotName, MemberName: clause.SlotName,
	SchemaValue: clause.Value,
}
