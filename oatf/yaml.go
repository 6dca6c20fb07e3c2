package oatf

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
	"go.yaml.in/yaml/v4/plugin/loaderlimits"
)

// maxTagDirectives is how many lines %TAG a text may have: the YAML library takes quadratic
// time over them, and no document has any use for one.
const maxTagDirectives = 16

// parseYAML reads a text as exactly one YAML document, whose only content is its root.
func parseYAML(text string, limits Limits) (document *yaml.Node, failed *Diagnostic) {
	if at := invalidUTF8(text); at >= 0 {
		line, column := position(text, at)
		return nil, syntaxError(line, column, "the text is not UTF-8")
	}
	if strings.Count(text, "\n%TAG") > maxTagDirectives {
		return nil, syntaxError(0, 0, "the text has more than %d %%TAG lines", maxTagDirectives)
	}
	// The YAML library is a stranger's: a panic of it is a fault of the text, not the end of all.
	defer func() {
		if e := recover(); e != nil {
			document, failed = nil, syntaxError(0, 0, "the text is not YAML that can be read: %v", e)
		}
	}()
	loader, err := yaml.NewLoader(strings.NewReader(text),
		yaml.WithUniqueKeys(false), // reported with their place, all of them
		yaml.WithPlugin(loaderlimits.New(loaderlimits.DepthValue(limits.Depth))))
	if err != nil {
		return nil, yamlError(err)
	}
	var doc, next yaml.Node
	switch err := loader.Load(&doc); {
	case errors.Is(err, io.EOF):
		return nil, syntaxError(1, 1, "the text is empty: want one document")
	case err != nil:
		return nil, yamlError(err)
	}
	switch err := loader.Load(&next); {
	case err == nil:
		return nil, syntaxError(next.Line, next.Column, "a second YAML document begins here: want exactly one")
	case !errors.Is(err, io.EOF):
		return nil, yamlError(err)
	}
	if doc.Kind != yaml.DocumentNode || len(doc.Content) == 0 {
		return nil, syntaxError(1, 1, "the text is empty: want one document")
	}
	return &doc, nil
}

// yamlError turns an error of the YAML library into one of ours.
func yamlError(err error) *Diagnostic {
	var one *yaml.LoadError
	if errors.As(err, &one) {
		message := one.Message
		if one.ContextMsg != "" {
			message = one.ContextMsg + ": " + message
		}
		return syntaxError(one.Mark.Line, one.Mark.Column, "not valid YAML: %s", message)
	}
	return syntaxError(0, 0, "not valid YAML: %v", err)
}

func syntaxError(line, column int, format string, args ...any) *Diagnostic {
	return &Diagnostic{
		Severity: SeverityError, Rule: string(Syntax), Kind: Syntax, Section: "§11.1.1",
		Line: line, Column: max(column, min(line, 1)), Message: fmt.Sprintf(format, args...),
	}
}

// invalidUTF8 returns the offset of the first byte that is not UTF-8, -1 for none.
func invalidUTF8(text string) int {
	if utf8.ValidString(text) {
		return -1
	}
	for i, r := range text {
		if r == utf8.RuneError {
			if _, size := utf8.DecodeRuneInString(text[i:]); size == 1 {
				return i
			}
		}
	}
	return -1
}

// position returns the line and the column, in characters, of a byte.
func position(text string, at int) (line, column int) {
	begin := strings.LastIndexByte(text[:at], '\n') + 1
	return 1 + strings.Count(text[:at], "\n"), 1 + utf8.RuneCountInString(text[begin:at])
}
