package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"gauntlet/rawjson"
)

// A Schema is a schema that values can be compared with.
type Schema struct{ resolved *jsonschema.Resolved }

// Parse reads a schema of 2020-12 or draft-07. References are followed within its own $defs or definitions alone.
func Parse(schema string) (*Schema, error) {
	var tree rawjson.Tree
	if err := tree.Parse(schema, 0); err != nil {
		return nil, fmt.Errorf("it is no JSON: %w", err)
	}
	if err := checkReferences(tree.Root()); err != nil {
		return nil, err
	}
	var read jsonschema.Schema
	if err := json.Unmarshal([]byte(schema), &read); err != nil {
		return nil, err
	}
	if err := checkTypes(tree.Root()); err != nil {
		return nil, err
	}
	resolved, err := read.Resolve(&jsonschema.ResolveOptions{})
	if err != nil {
		return nil, err
	}
	return &Schema{resolved}, nil
}

// Check returns why a JSON text does not match the schema, nil if it does: the path to the value and the keyword.
func (s *Schema) Check(text string) error {
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		return err
	}
	return innermost(s.resolved.Validate(v))
}

// innermost leaves out the schemas around the one that a value does not match, which the library names one by one.
func innermost(err error) error {
	if err == nil {
		return nil
	}
	text := err.Error()
	at := strings.LastIndex(text, "validating /")
	if at < 0 {
		return errors.New(strings.TrimPrefix(text, "validating root: "))
	}
	return errors.New(strings.TrimPrefix(text[at:], "validating "))
}

// checkTypes refuses types that JSON does not have, which no value would match.
func checkTypes(root rawjson.Value) error {
	for v := range root.All() {
		if in := v.Parent(); v.Kind() == rawjson.String && v.Key().Is("type") && !in.Key().Is("properties") && !slices.Contains(allTypes, v.Text()) && !inData(v) {
			return fmt.Errorf("it has a type %.40q", v.Text())
		}
	}
	return nil
}

// inData reports whether a value stands in an example or the like, where a member called type means something else.
func inData(v rawjson.Value) bool {
	for ; v.Exists(); v = v.Parent() {
		if slices.Contains([]string{"const", "default", "enum", "example", "examples"}, v.Key().Text()) {
			return true
		}
	}
	return false
}

// mostSteps bounds the schemas that references lead to: two in each of thirty definitions are a billion.
const mostSteps = 10_000

// checkReferences refuses a schema whose references lead outside its definitions, into a circle, or too often to others.
func checkReferences(root rawjson.Value) error {
	steps := map[string]int{} // of each definition, -1 while it is counted
	var count func(v rawjson.Value) (int, error)
	count = func(v rawjson.Value) (sum int, err error) {
		for one := range v.All() {
			switch key := one.Key().Text(); {
			case key == "$dynamicRef" || key == "$recursiveRef":
				return 0, errors.New("it has dynamic references, which are not followed")
			case key != "$ref" || one.Kind() != rawjson.String:
				continue
			}
			name := one.Text()
			if _, known := steps[name]; !known {
				steps[name] = -1
				target, err := definition(root, name)
				if err == nil {
					steps[name], err = count(target)
				}
				if err != nil {
					return 0, err
				}
			} else if steps[name] < 0 {
				return 0, errors.New("its references lead into a circle")
			}
			if sum += 1 + steps[name]; sum > mostSteps {
				return 0, errors.New("its references lead to too many schemas")
			}
		}
		return sum, nil
	}
	_, err := count(root)
	return err
}

func definition(root rawjson.Value, reference string) (rawjson.Value, error) {
	for _, folder := range []string{"$defs", "definitions"} {
		if name, ok := strings.CutPrefix(reference, "#/"+folder+"/"); ok && !strings.ContainsAny(name, "/~%") {
			return root.Get(folder).Get(name), nil
		}
	}
	return rawjson.Value{}, fmt.Errorf("its reference %.80q leads outside its definitions", reference)
}
