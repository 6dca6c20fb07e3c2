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

// schemaName is a form's schema name during compilation. It is not a loadable address.
const schemaName = "form:written"

// noLoader refuses a schema's external references: a stranger's schema could have files and URLs read.
type noLoader struct{}

func (noLoader) Load(url string) (any, error) {
	return nil, fmt.Errorf("%s is not loaded", url)
}

// checkInstance returns the first reason why a JSON text does not match a schema, or nil.
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

// refers reports whether a schema has references. A few suffice to make a stranger's schema take unbounded time.
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

// deepest returns the location and text of the first error. Among alternatives it picks the one that got furthest.
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
