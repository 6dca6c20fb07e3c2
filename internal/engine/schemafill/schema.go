// Package schemafill makes arguments that fit the input schema of a tool, puts a chosen value at
// one parameter, and mends them by what the server says about them. It does no I/O, and the same
// input gives the same arguments.
package schemafill

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// Limits of what is taken from a schema. A stranger wrote it.
const (
	maxDepth      = 12   // of references, alternatives and nesting
	maxParameters = 200  // of one tool
	maxMerged     = 256  // parts of allOf, one inside the other, of one schema
	maxValues     = 1000 // of one call
	maxString     = 4096 // bytes of a made string
)

// A Parameter is one value that a caller chooses, at any depth.
type Parameter struct {
	Path     string // "sql", "params.sql", "files[].path"; an array of strings ends in "[]"
	Name     string // the last name of Path
	Required bool   // as are all objects around it
	Type     string // "string", "integer", "number", "boolean", "array", "object", "" if not said
	Enum     []string
	Schema   map[string]any
}

// Free reports whether any text may stand there.
func (p *Parameter) Free() bool { return (p.Type == "string" || p.Type == "") && len(p.Enum) == 0 }

// A Schema is the input schema of one tool.
type Schema struct {
	root map[string]any
	defs map[string]any
}

// Parse reads an input schema. What is no object is an empty one: nothing is required.
func Parse(text string) *Schema {
	var root map[string]any
	_ = json.Unmarshal([]byte(text), &root) // a malformed schema asks for nothing
	openObjects(root, 0)
	s := &Schema{root: root, defs: map[string]any{}}
	for _, key := range []string{"$defs", "definitions"} {
		if m, ok := root[key].(map[string]any); ok {
			for name, v := range m {
				s.defs["#/"+key+"/"+name] = v
			}
		}
	}
	return s
}

// anyMember is what a member is called of an object that takes members of any name, and openMember marks
// its schema.
const (
	anyMember  = "example"
	openMember = "x-gauntlet-open"
)

// openObjects gives objects that take members of any name one, so that what they take is a parameter as
// well. The schema of a call as a whole stays as it is.
func openObjects(schema map[string]any, depth int) {
	if depth > maxDepth {
		return
	}
	for _, key := range []string{"properties", "$defs", "definitions"} {
		members, _ := schema[key].(map[string]any)
		for _, m := range members {
			openObject(m, depth+1)
		}
	}
	openObject(schema["items"], depth+1)
	for _, key := range []string{"anyOf", "oneOf", "allOf"} {
		list, _ := schema[key].([]any)
		for _, m := range list {
			openObject(m, depth+1)
		}
	}
}

func openObject(v any, depth int) {
	schema, ok := v.(map[string]any)
	if !ok {
		return
	}
	openObjects(schema, depth)
	if schema["type"] != "object" || schema["properties"] != nil || schema["additionalProperties"] == false || hasValue(schema) {
		return
	}
	member := map[string]any{"type": "string"}
	if said, ok := schema["additionalProperties"].(map[string]any); ok && len(said) > 0 {
		member = maps.Clone(said)
	}
	member[openMember] = true
	schema["properties"] = map[string]any{anyMember: member}
}

// Around returns the path of the object that a parameter is a member of, where that takes members of any
// name.
func (p *Parameter) Around() (path string, open bool) {
	if p.Schema[openMember] != true {
		return "", false
	}
	return strings.TrimSuffix(strings.TrimSuffix(p.Path, "[]"), "."+anyMember), true
}

// AddText adds a required parameter that a server asked for and its schema does not have.
func (s *Schema) AddText(name string) {
	if s.root == nil {
		s.root = map[string]any{}
	}
	properties, _ := s.root["properties"].(map[string]any)
	if properties == nil {
		properties = map[string]any{}
		s.root["properties"] = properties
	}
	properties[name] = map[string]any{"type": "string"}
	required, _ := s.root["required"].([]any)
	s.root["required"] = append(required, name)
}

// Parameters returns every parameter, the required ones first, in the order of their paths.
func (s *Schema) Parameters() []Parameter {
	var out []Parameter
	open := []object{{schema: s.root, required: true}}
	for ; len(open) > 0 && len(out) < maxParameters; open = open[1:] {
		open = s.collect(open[0], open, &out)
	}
	slices.SortStableFunc(out, func(a, b Parameter) int {
		switch {
		case a.Required == b.Required:
			return strings.Compare(a.Path, b.Path)
		case a.Required:
			return -1
		}
		return 1
	})
	return out
}

// An object is a schema whose properties are parameters. Objects are read level by level, so that what one holds does not hide what stands beside it.
type object struct {
	schema   map[string]any
	path     string
	required bool
	depth    int
}

// collect adds the parameters of an object, and puts the objects that it holds in line.
func (s *Schema) collect(o object, open []object, out *[]Parameter) []object {
	schema := s.resolve(o.schema, o.depth)
	properties, _ := schema["properties"].(map[string]any)
	names := slices.Sorted(maps.Keys(properties))
	needed := stringsOf(schema["required"])
	for _, name := range names {
		if len(*out) >= maxParameters || len(open) >= maxParameters || o.depth > maxDepth {
			return open
		}
		sub, _ := properties[name].(map[string]any)
		at := memberPath(o.path, name)
		open = s.addParameter(s.resolve(sub, o.depth+1), at, name, o.required && slices.Contains(needed, name), o.depth+1, open, out)
	}
	return open
}

// addParameter adds a value or the items of an array, or puts in line the object that it is.
func (s *Schema) addParameter(sub map[string]any, at, name string, required bool, depth int, open []object, out *[]Parameter) []object {
	if typeOf(sub) == "array" {
		items, _ := sub["items"].(map[string]any)
		sub, at = s.resolve(items, depth), at+"[]"
	}
	if typeOf(sub) == "object" && sub["properties"] != nil {
		return append(open, object{sub, at, required, depth})
	}
	*out = append(*out, Parameter{Path: at, Name: name, Required: required, Type: typeOf(sub), Enum: enumOf(sub), Schema: sub})
	return open
}

// resolve follows references and takes the first useful alternative of a schema.
func (s *Schema) resolve(schema map[string]any, depth int) map[string]any {
	left := maxMerged
	return s.resolveWithin(schema, depth, &left)
}

// resolveWithin is resolve, with the parts of allOf that it may still join: parts that refer to the whole would multiply.
func (s *Schema) resolveWithin(schema map[string]any, depth int, left *int) map[string]any {
	for ; depth <= maxDepth; depth++ {
		if ref, ok := schema["$ref"].(string); ok {
			next, _ := s.defs[ref].(map[string]any)
			schema = next
			continue
		}
		if parts, ok := schema["allOf"].([]any); ok {
			schema = s.mergeAll(schema, parts, depth, left)
			continue
		}
		next := firstAlternative(schema)
		if next == nil {
			break
		}
		schema = next
	}
	return schema
}

// mergeAll joins the parts of an allOf and what stands beside it.
func (s *Schema) mergeAll(schema map[string]any, parts []any, depth int, left *int) map[string]any {
	out := map[string]any{}
	for i, p := range parts {
		if m, ok := p.(map[string]any); ok && i < 16 && *left > 0 {
			*left--
			merge(out, s.resolveWithin(m, depth+1, left))
		}
	}
	merge(out, schema)
	delete(out, "allOf")
	return out
}

// merge adds the members of a schema to another: later ones win, properties and required add up.
func merge(out, schema map[string]any) {
	for k, v := range schema {
		switch have := out[k].(type) {
		case map[string]any:
			if more, ok := v.(map[string]any); ok && k == "properties" {
				joined := maps.Clone(have)
				maps.Copy(joined, more)
				v = joined
			}
		case []any:
			if more, ok := v.([]any); ok && k == "required" {
				v = slices.Concat(have, more)
			}
		}
		out[k] = v
	}
}

// firstAlternative returns the alternative of oneOf or anyOf that says most, nil where there is none.
func firstAlternative(schema map[string]any) map[string]any {
	for _, key := range []string{"anyOf", "oneOf"} {
		list, _ := schema[key].([]any)
		var best map[string]any
		for _, a := range list {
			m, ok := a.(map[string]any)
			if !ok || m["type"] == "null" {
				continue
			}
			// A free string takes more than a list of constants or a number.
			if best == nil || typeOf(m) == "string" && enumOf(m) == nil && (typeOf(best) != "string" && typeOf(best) != "object" || enumOf(best) != nil) {
				best = m
			}
		}
		if best == nil {
			continue
		}
		out := maps.Clone(schema)
		delete(out, "anyOf")
		delete(out, "oneOf")
		maps.Copy(out, best)
		return out
	}
	return nil
}

func typeOf(schema map[string]any) string {
	switch t := schema["type"].(type) {
	case string:
		return t
	case []any:
		for _, one := range t {
			if name, ok := one.(string); ok && name != "null" {
				return name
			}
		}
	}
	switch {
	case schema["properties"] != nil:
		return "object"
	case schema["items"] != nil:
		return "array"
	case schema["enum"] != nil, schema["pattern"] != nil, schema["format"] != nil:
		return "string"
	}
	return ""
}

func enumOf(schema map[string]any) []string {
	if c, ok := schema["const"].(string); ok {
		return []string{c}
	}
	return stringsOf(schema["enum"])
}

func stringsOf(v any) (out []string) {
	list, _ := v.([]any)
	for _, e := range list {
		if s, ok := e.(string); ok {
			out = append(out, s)
		}
	}
	return out
}

// TakesAny reports whether the schema says that a caller may add members of its own.
func (s *Schema) TakesAny() bool {
	v := s.root["additionalProperties"]
	_, described := v.(map[string]any)
	return described || v == true
}
