package delivery

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"gauntlet/rawjson"
)

// saysSomething reports whether a text has a letter or digit outside terminal sequences: spinner frames, colours and
// white space are what a program prints while waiting for a model.
func saysSomething(s string) bool {
	line := false // the current line has one
	for s != "" {
		if rest, ok := strings.CutPrefix(s, "\x1b["); ok {
			if strings.HasPrefix(rest, "2K") { // the line is erased
				line = false
			}
			if rest = strings.TrimLeft(rest, "0123456789:;<=>? !\"#$%&'()*+,-./"); rest != "" {
				rest = rest[1:]
			}
			s = rest
			continue
		}
		if rest, ok := strings.CutPrefix(s, "\x1b]"); ok { // a title, up to BEL or ESC
			end := strings.IndexAny(rest, "\a\x1b")
			if end < 0 {
				return line
			}
			s = strings.TrimPrefix(rest[end+1:], "\\")
			continue
		}
		r, size := utf8.DecodeRuneInString(s)
		line = line || unicode.IsLetter(r) || unicode.IsNumber(r)
		if line && r == '\n' {
			return true
		}
		s = s[size:]
	}
	return line
}

// SaysSomething reports whether what an agent printed is an answer to its user: words, and not those of a failure.
func SaysSomething(said string) bool { return saysSomething(said) && !reportsFailure(said) }

// reportsFailure reports whether a program says that it failed: in JSON, as a whole or in its last line ({"is_error":true,"result":""}),
// or with nothing but the status of a request that failed ("Error: 429 Too Many Requests: try again later").
func reportsFailure(said string) bool {
	said = strings.TrimSpace(said)
	if len(said) <= mostOfStatus && failedStatus(said) {
		return true
	}
	var tree rawjson.Tree
	if tree.Parse(said, 0) != nil && tree.Parse(said[strings.LastIndexByte(said, '\n')+1:], 0) != nil {
		return false
	}
	for _, name := range []string{"is_error", "isError", "error", "errors"} {
		switch tree.Root().Get(name).Compact() {
		case "", "null", "false", `""`, "[]", "{}":
		default:
			return true
		}
	}
	return false
}

// mostOfStatus is how long the report of a failed request is at most, in bytes; more is an answer that mentions one.
const mostOfStatus = 300

// failures are the statuses with which providers of models refuse, with a part of their names.
var failures = map[string]string{"400": "bad request", "401": "unauthori", "402": "payment", "403": "forbidden", "404": "not found", "408": "timeout", "413": "too large", "429": "too many requests", "500": "internal server error", "502": "bad gateway", "503": "unavailable", "504": "timeout", "529": "overloaded"}

// failedStatus reports whether a text has the number and the name of such a status.
func failedStatus(s string) bool {
	low := strings.ReplaceAll(strings.ToLower(s), "_", " ")
	for number := range strings.FieldsFuncSeq(low, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if name := failures[number]; name != "" && strings.Contains(low, name) {
			return true
		}
	}
	return false
}
