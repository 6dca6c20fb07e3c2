package discover

import (
	"errors"
	"strings"

	"gauntlet/internal/leaf/lazyregexp"
	"gauntlet/rawjson"
)

// Parsers quote the offending text, which may be a secret: only the part of their message before any quotation is kept.

func jsonMessage(err error) string {
	if syntax, ok := errors.AsType[*rawjson.SyntaxError](err); ok {
		return unquoted(syntax.Msg)
	}
	return "it cannot be parsed"
}

func jsonOffset(err error, otherwise int) int {
	if syntax, ok := errors.AsType[*rawjson.SyntaxError](err); ok {
		return syntax.Offset
	}
	return otherwise
}

var yamlWhere = lazyregexp.New(`\bline \d+(?:, column \d+)?`)

// yamlMessage keeps the position only: the parser's message contains parts of the text.
func yamlMessage(err error) string {
	if where := yamlWhere.FindString(err.Error()); where != "" {
		return "it cannot be parsed at " + where
	}
	if strings.Contains(err.Error(), "more values than are read") {
		return err.Error()
	}
	return "it cannot be parsed"
}

func unquoted(s string) string {
	if i := strings.IndexAny(s, "\"'`"); i >= 0 {
		return strings.TrimRight(s[:i], " :")
	}
	return s
}
