package schemafill

import (
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strings"
)

// Companions are values for parameters that are not under test: things that exist where the
// server runs. An empty field means that there is none.
type Companions struct {
	File, Dir string // an existing text file and the project folder, absolute
	URL       string // that answers with a short page
	Host      string
	Database  string // an existing SQLite file
	Word      string // for texts and identifiers
}

// A Filler makes arguments for one tool.
type Filler struct {
	Schema *Schema
	// Role says what kind of value a parameter takes, by its path: "path", "url", …, "" if unknown.
	Role func(path string) string
	With Companions
	// Fixed are values for parameters by path that were learnt from the server's answers.
	Fixed map[string]any
	// Dropped are parameters that the server does not take.
	Dropped map[string]bool
}

// A making is one call of Arguments: the values that are chosen, by path, and how many more may be made.
type making struct {
	chosen map[string]any
	left   int
}

// Arguments returns arguments with every required parameter, what was learnt, and the values of set
// by path.
func (f *Filler) Arguments(set map[string]any) map[string]any {
	m := &making{chosen: map[string]any{}, left: maxValues}
	maps.Copy(m.chosen, f.Fixed)
	maps.Copy(m.chosen, set)
	out, _ := f.object(f.Schema.root, "", m, 0).(map[string]any)
	if out == nil {
		out = map[string]any{}
	}
	return out
}

// Encode writes arguments as JSON, with their names in order.
func Encode(arguments map[string]any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(arguments) != nil {
		return "{}" // only for values that no schema holds
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func (f *Filler) object(schema map[string]any, path string, m *making, depth int) any {
	schema = f.Schema.resolve(schema, depth)
	out := map[string]any{}
	properties, _ := schema["properties"].(map[string]any)
	needed := stringsOf(schema["required"])
	for _, name := range f.simplestFirst(properties, path, m, depth) {
		p, at := properties[name], memberPath(path, name)
		if f.Dropped[at] || !slices.Contains(needed, name) && !m.leadsTo(at) {
			continue
		}
		sub, _ := p.(map[string]any)
		out[name] = f.value(f.Schema.resolve(sub, depth+1), at, name, m, depth+1)
	}
	if path == "" {
		for at, v := range m.chosen { // learnt names that the schema does not have
			if _, known := properties[at]; !known && !strings.ContainsAny(at, ".[") {
				out[at] = v
			}
		}
	}
	return out
}

// simplestFirst orders the properties of an object: those that a chosen value needs, then single values, then objects and
// arrays, which may be so large that they use up the values of a call.
func (f *Filler) simplestFirst(properties map[string]any, path string, m *making, depth int) []string {
	names := slices.Sorted(maps.Keys(properties))
	rank := make(map[string]int, len(names))
	for _, name := range names {
		sub, _ := properties[name].(map[string]any)
		switch kind := typeOf(f.Schema.resolve(sub, depth+1)); {
		case m.leadsTo(memberPath(path, name)):
		case kind == "object", kind == "array":
			rank[name] = 2
		default:
			rank[name] = 1
		}
	}
	slices.SortStableFunc(names, func(a, b string) int { return rank[a] - rank[b] })
	return names
}

func memberPath(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// leadsTo reports whether a value is chosen at path or below it.
func (m *making) leadsTo(path string) bool {
	for at := range m.chosen {
		if rest, ok := strings.CutPrefix(at, path); ok && (rest == "" || rest[0] == '.' || rest[0] == '[') {
			return true
		}
	}
	return false
}

func (f *Filler) value(schema map[string]any, path, name string, m *making, depth int) any {
	if v, ok := m.chosen[path]; ok {
		return v
	}
	if m.left--; depth > maxDepth || m.left < 0 {
		return nil
	}
	kind := typeOf(schema)
	if kind == "array" {
		return f.array(schema, path, name, m, depth)
	}
	if kind == "object" && (schema["properties"] != nil || !hasValue(schema)) {
		return f.object(schema, path, m, depth)
	}
	if v, ok := given(schema); ok {
		return v
	}
	switch kind {
	case "integer", "number":
		return number(schema, kind == "integer")
	case "boolean":
		return false
	case "null":
		return nil
	}
	return f.text(schema, path, name)
}

func hasValue(schema map[string]any) bool { _, ok := given(schema); return ok }

// given is the value that a schema names itself.
func given(schema map[string]any) (any, bool) {
	for _, key := range []string{"const", "default"} {
		if v, ok := schema[key]; ok && v != nil && v != "" {
			return v, true
		}
	}
	for _, key := range []string{"examples", "enum"} {
		if list, ok := schema[key].([]any); ok && len(list) > 0 && list[0] != nil {
			return list[0], true
		}
	}
	if v, ok := schema["example"]; ok && v != nil {
		return v, true
	}
	return nil, false
}

func (f *Filler) array(schema map[string]any, path, name string, m *making, depth int) any {
	items, _ := schema["items"].(map[string]any)
	items = f.Schema.resolve(items, depth)
	least := int(floatOf(schema["minItems"], 0))
	if m.leadsTo(path + "[]") {
		least = max(least, 1)
	}
	if v, ok := given(schema); ok && !m.leadsTo(path+"[]") {
		return v
	}
	if least == 0 {
		least = 1 // an empty list rarely reaches the tool's code
	}
	out := make([]any, 0, min(least, 20))
	for range min(least, 20) {
		out = append(out, f.value(items, path+"[]", name, m, depth+1))
	}
	return out
}

func number(schema map[string]any, whole bool) any {
	low, high := floatOf(schema["minimum"], math.Inf(-1)), floatOf(schema["maximum"], math.Inf(1))
	if v, ok := schema["exclusiveMinimum"].(float64); ok {
		low = v + 1
	}
	if v, ok := schema["exclusiveMaximum"].(float64); ok {
		high = v - 1
	}
	n := min(max(1, low), high)
	if m, ok := schema["multipleOf"].(float64); ok && m > 0 {
		n = math.Ceil(n/m) * m
	}
	if whole && math.Abs(n) < 1<<53 {
		return int64(n)
	}
	return n
}

func floatOf(v any, otherwise float64) float64 {
	if n, ok := v.(float64); ok {
		return n
	}
	return otherwise
}
