package match

import (
	"fmt"
	"regexp"
	"regexp/syntax"

	"gauntlet/internal/leaf/excerpt"
	"gauntlet/rawjson"
)

// An Extractor takes a text from a message (§5.5, SDK §5.6).
type Extractor struct {
	query  *JSONPath
	regexp program
}

// ParseExtractor parses a selector in json_path or regex. The caller decides between requests and responses.
func ParseExtractor(language, selector string) (*Extractor, error) {
	var x Extractor
	var err error
	switch language {
	case "json_path":
		x.query, err = ParseJSONPath(selector)
	case "regex":
		x.regexp, err = parseProgram(selector)
	default:
		err = fmt.Errorf("unknown extractor type %q", excerpt.Clip(language, mostQuoted))
	}
	if err != nil {
		return nil, err
	}
	return &x, nil
}

// Extract returns what the selector finds in a message's content. ok is false if it finds nothing, which is not the same as "".
//
// json_path returns the first node in document order: a string itself, anything else as compact JSON in the order received. regex
// returns the first group of the first match in the content, read the same way; without a group it finds nothing. The error is
// [ErrTooMuch] for a JSONPath query that would visit too much, or an [*EvalError] if the content is too long for the regular expression.
func (x *Extractor) Extract(content rawjson.Value) (text string, ok bool, err error) {
	if x.query != nil {
		v, err := x.query.First(content)
		return asText(v), v.Exists(), err
	}
	if !content.Exists() || x.regexp.NumSubexp() == 0 {
		return "", false, nil
	}
	s := asText(content)
	if err := x.regexp.checkText(s); err != nil {
		return "", false, err
	}
	at := x.regexp.FindStringSubmatchIndex(s)
	if at == nil || at[2] < 0 { // the group did not participate
		return "", false, nil
	}
	return s[at[2]:at[3]], true, nil
}

// Limits of a regular expression: the length of its text and of its compiled program.
const (
	maxRegexpText    = 10_000
	maxRegexpProgram = 20_000
)

// maxRegexpWork bounds a search by instructions times bytes, which the worst-case time grows with; that is a few
// seconds, and nearly every expression needs a hundredth. A typical one of fifty instructions may search 10 MB.
const maxRegexpWork = 500_000_000

// A program is a compiled regular expression and its size.
type program struct {
	*regexp.Regexp
	size int // in instructions
}

// ParseRegexp compiles an RE2 expression, as §5.7 requires: no lookaround, backreferences or possessive quantifiers,
// and linear time. It matches anywhere in a text unless anchored.
func ParseRegexp(s string) (*regexp.Regexp, error) {
	p, err := parseProgram(s)
	return p.Regexp, err
}

func parseProgram(s string) (program, error) {
	if len(s) > maxRegexpText {
		return program{}, fmt.Errorf("a regular expression of more than %d bytes", maxRegexpText)
	}
	tree, err := syntax.Parse(s, syntax.Perl)
	if err != nil {
		return program{}, err
	}
	compiled, err := syntax.Compile(tree.Simplify())
	if err != nil {
		return program{}, err
	}
	if n := len(compiled.Inst); n > maxRegexpProgram {
		return program{}, fmt.Errorf("a regular expression whose repetitions make %d steps of it; at most %d", n, maxRegexpProgram)
	}
	re, err := regexp.Compile(s)
	return program{re, len(compiled.Inst)}, err
}

// checkText rejects a text that could take too long to search.
func (p program) checkText(text string) error {
	if len(text) <= maxRegexpWork/max(p.size, 1) {
		return nil
	}
	return &EvalError{RegexTimeout, fmt.Errorf("%d bytes are too long to search for a regular expression of %d steps", len(text), p.size)}
}
