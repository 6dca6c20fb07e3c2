package attack

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"gauntlet/rawjson"
)

// schemaName is what the schema of a form is called while it is compiled. It is no address that anybody could load.
const schemaName = "form:written"

// noLoader refuses whatever a schema refers to outside of itself: it is a stranger's, and would have files and addresses read.
type noLoader struct{}

func (noLoader) Load(url string) (any, error) {
	return nil, fmt.Errorf("%s is not loaded", url)
}

// checkInstance reports why a JSON text is no instance of a schema, nil if it is one. The first reason is told.
func checkInstance(text, schema string) error {
	if refers(ParseJSON(schema)) {
		return errors.New("its schema has references, which are not followed")
	}
	form, err := jsonschema.UnmarshalJSON(strings.NewReader(schema))
	if err != nil {
		return fmt.Errorf("its schema is no JSON: %w", err)
	}
	c := jsonschema.NewCompiler()
	c.UseLoader(noLoader{})
	if err := c.AddResource(schemaName, form); err != nil {
		return fmt.Errorf("its schema cannot be used: %w", err)
	}
	compiled, err := c.Compile(schemaName)
	if err != nil {
		return errors.New("its schema cannot be used: " + firstLine(err.Error()))
	}
	instance, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		return err
	}
	var invalid *jsonschema.ValidationError
	if err := compiled.Validate(instance); errors.As(err, &invalid) {
		return errors.New(deepest(invalid))
	} else if err != nil {
		return err
	}
	return nil
}

// refers reports whether a schema refers to others or to parts of itself. Few references make a schema of a stranger's take time without end.
func refers(schema rawjson.Value) bool {
	for v := range schema.All() {
		if v.Key().Exists() && v.Kind() == rawjson.String && slices.Contains([]string{"$ref", "$dynamicRef", "$recursiveRef"}, v.Key().Text()) {
			return true
		}
	}
	return false
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// deepest says where the first reason stands, and what it is. Of alternatives it takes the one that goes furthest.
func deepest(e *jsonschema.ValidationError) string {
	for len(e.Causes) > 0 {
		next := e.Causes[0]
		for _, c := range e.Causes {
			if len(c.InstanceLocation) > len(next.InstanceLocation) {
				next = c
			}
		}
		e = next
	}
	return fmt.Sprintf("/%s: %s", strings.Join(e.InstanceLocation, "/"), e.ErrorKind.LocalizedString(message.NewPrinter(language.English)))
}
