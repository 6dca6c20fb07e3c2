package oatf

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"gauntlet/rawjson"
)

// Schema returns the JSON Schema (draft 2020-12) of documents, for editors. It accepts every document without errors and rejects
// what a schema can recognize as wrong; unique and existing names, phase order and embedded languages are left to [Validate].
//
// It is generated from the shapes that documents are read by, so the two cannot differ.
func Schema() string {
	d := definitions{}
	root := objectForm(documentShape).schema(d)
	var defs []string
	for _, name := range slices.Sorted(maps.Keys(d)) {
		defs = append(defs, quoteJSON(name)+`:{`+d[name]+`}`)
	}
	text := json.RawMessage(`{` + joinMembers(`"$schema":"https://json-schema.org/draft/2020-12/schema","title":"OATF document"`, root, `"$defs":{`+strings.Join(defs, ",")+`}`) + `}`)
	out, err := json.MarshalIndent(text, "", "  ")
	if err != nil {
		panic(err) // a shape of this package is malformed; a test calls this
	}
	return string(out) + "\n"
}

// definitions are the schemas that others refer to, by name.
type definitions map[string]string

func (f form) schema(d definitions) string { return joinMembers(docKeyword(f.doc), f.keywords(d)) }

// definedForm returns a form whose schema is written once and referenced.
func definedForm(name, doc string, f form) form {
	return form{check: f.check, keywords: func(d definitions) string {
		if _, done := d[name]; !done {
			d[name] = "" // reserved, for a self-reference
			d[name] = joinMembers(docKeyword(doc), f.keywords(d))
		}
		return `"$ref":"#/$defs/` + name + `"`
	}}
}

// keywords returns the schema of a shape without its description.
func (s *shape) keywords(d definitions) string {
	var properties, required []string
	for _, f := range s.fields {
		doc := docKeyword(cmp.Or(f.doc, f.form.doc))
		properties = append(properties, quoteJSON(f.name)+`:{`+joinMembers(doc, f.form.keywords(d))+`}`)
		if f.required {
			required = append(required, f.name)
		}
	}
	members := []string{`"type":"object"`, `"properties":{` + strings.Join(properties, ",") + `}`, `"additionalProperties":false`, s.also}
	if required != nil {
		members = append(members, `"required":`+quoteList(required))
	}
	if s.extensions {
		members = append(members, `"patternProperties":{"^x-":{}}`)
	}
	return joinMembers(members...)
}

func docKeyword(doc string) string {
	if doc == "" {
		return ""
	}
	return `"description":` + quoteJSON(doc)
}

// joinMembers joins object members, without empty ones.
func joinMembers(members ...string) string {
	return strings.Join(slices.DeleteFunc(members, func(m string) bool { return m == "" }), ",")
}

func requireEach(fields []field) string {
	var out []string
	for _, f := range fields {
		out = append(out, `{"required":["`+f.name+`"]}`)
	}
	return strings.Join(out, ",")
}

func patternKeyword(pattern string) string { return `"pattern":` + quoteJSON(pattern) }

func quoteList(words []string) string {
	var out []string
	for _, w := range words {
		out = append(out, quoteJSON(w))
	}
	return `[` + strings.Join(out, ",") + `]`
}

func quoteJSON(s string) string { return rawjson.Quote(s) }
