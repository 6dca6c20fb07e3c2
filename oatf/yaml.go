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

// maxTagDirectives limits the %TAG lines of a text: the YAML library needs quadratic time for them, and no document needs any.
const maxTagDirectives = 16

// parseYAML reads a text as exactly one YAML document whose only content is its root.
func parseYAML(text string, limits Limits) (document *yaml.Node, failed *Diagnostic) {
	if at := invalidUTF8(text); at >= 0 {
		line, column := position(text, at)
		return nil, syntaxError(line, column, "the text is not UTF-8")
	}
	if strings.Count(text, "\n%TAG") > maxTagDirectives {
		return nil, syntaxError(0, 0, "the text has more than %d %%TAG lines", maxTagDirectives)
	}
	// A panic in the third-party YAML library becomes an error about the text.
	defer func() {
		if e := recover(); e != nil {
			document, failed = nil, syntaxError(0, 0, "the text cannot be read as YAML: %v", e)
		}
	}()
	loader, err := yaml.NewLoader(strings.NewReader(text),
		yaml.WithUniqueKeys(false), // reported by us, all of them with positions
		yaml.WithPlugin(loaderlimits.New(loaderlimits.DepthValue(limits.Depth))))
	if err != nil {
		return nil, yamlError(err, text)
	}
	var doc, next yaml.Node
	switch err := loader.Load(&doc); {
	case errors.Is(err, io.EOF):
		return nil, syntaxError(1, 1, "the text is empty: want one document")
	case err != nil:
		return nil, yamlError(err, text)
	}
	switch err := loader.Load(&next); {
	case err == nil:
		return nil, syntaxError(next.Line, next.Column, "a second YAML document begins here: want exactly one")
	case !errors.Is(err, io.EOF):
		return nil, yamlError(err, text)
	}
	if doc.Kind != yaml.DocumentNode || len(doc.Content) == 0 {
		return nil, syntaxError(1, 1, "the text is empty: want one document")
	}
	return &doc, nil
}

func yamlError(err error, text string) *Diagnostic {
	if one, ok := errors.AsType[*yaml.LoadError](err); ok {
		if mark := one.ContextMark; one.ContextMsg == "while scanning a quoted scalar" && one.Message == "found unexpected end of stream" {
			return syntaxError(mark.Line, mark.Column, "not valid YAML: the quotation mark is never closed")
		}
		message := one.Message
		if one.ContextMsg != "" {
			message = one.ContextMsg + ": " + message
		}
		return syntaxError(one.Mark.Line, one.Mark.Column, "not valid YAML: %s%s", message, yamlAdvice(text, one))
	}
	return syntaxError(0, 0, "not valid YAML: %v", err)
}

// yamlAdvice explains the most common mistakes of authors: a tab, and a text that needs quotes for its first character
// or for a colon in it.
func yamlAdvice(text string, e *yaml.LoadError) string {
	switch c := byteAt(text, e.Mark.Line, e.Mark.Column); {
	case c == '\t':
		return "; YAML is indented with spaces, not with tabs"
	case c == '@' || c == '`' || c == '%':
		return fmt.Sprintf("; a text that begins with %c needs quotes", c)
	case e.Message == "found invalid Unicode character escape code":
		return "; write a character that takes two \\u escapes in JSON as itself"
	case e.Message == "mapping values are not allowed in this context":
		return "; a text with a colon and a space in it needs quotes, and a key stands below the key before it"
	}
	return ""
}

// byteAt returns the first byte of the character at a position, 0 if there is none.
func byteAt(text string, line, column int) byte {
	lines := Lines(text)
	if line < 1 || line > len(lines) {
		return 0
	}
	rest := lines[line-1]
	for n := 1; n < column && rest != ""; n++ {
		_, size := utf8.DecodeRuneInString(rest)
		rest = rest[size:]
	}
	if rest == "" {
		return 0
	}
	return rest[0]
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

// position returns the line and column, in characters, of a byte.
func position(text string, at int) (line, column int) {
	begin := strings.LastIndexByte(text[:at], '\n') + 1
	return 1 + strings.Count(text[:at], "\n"), 1 + utf8.RuneCountInString(text[begin:at])
}
