// Package schema reads the JSON Schemas of strangers: the schemas inside one, whether values match it, and how two differ. Nothing is
// loaded, and none takes unbounded time.
package schema

import (
	"iter"
	"slices"

	"gauntlet/rawjson"
)

// A Place is a schema inside another one.
type Place struct {
	Schema  rawjson.Value // an object or a boolean
	Keyword string        // under which it stands, "" for the root
	Path    []string      // names of the properties and definitions that lead to it
	// Fixed says that properties alone lead to it, so that Path is where its value stands.
	Fixed bool
}

// Name returns the name of the property or definition that a schema is, or is inside of; "" for none.
func (p *Place) Name() string {
	if len(p.Path) == 0 {
		return ""
	}
	return p.Path[len(p.Path)-1]
}

// maxPlaces is how deep schemas are looked for.
const maxPlaces = 100

// All yields a schema and those inside it, under any keyword, the outer ones first. What only looks like a schema, in a default or an
// enum, is none.
func All(root rawjson.Value) iter.Seq[Place] {
	return func(yield func(Place) bool) { yieldPlaces(Place{Schema: root, Fixed: true}, maxPlaces, yield) }
}

func yieldPlaces(p Place, depth int, yield func(Place) bool) bool {
	kind := p.Schema.Kind()
	if (kind == rawjson.Object || kind == rawjson.Bool) && !yield(p) {
		return false
	}
	for m := range p.Schema.Members() {
		in := Place{Schema: m.Value, Keyword: m.Key.Text(), Path: p.Path}
		switch in.Keyword {
		case "default", "const", "enum", "examples", "example":
			continue
		case "properties", "patternProperties", "$defs", "definitions", "dependentSchemas":
			in.Fixed = p.Fixed && in.Keyword == "properties"
			for named := range m.Value.Members() {
				in.Schema, in.Path = named.Value, append(slices.Clip(p.Path), named.Key.Text())
				if depth > 0 && !yieldPlaces(in, depth-1, yield) {
					return false
				}
			}
			continue
		}
		if depth > 0 && !yieldPlaces(in, depth-1, yield) {
			return false
		}
		for _, in.Schema = range m.Value.Elements() {
			if depth > 0 && !yieldPlaces(in, depth-1, yield) {
				return false
			}
		}
	}
	return true
}
