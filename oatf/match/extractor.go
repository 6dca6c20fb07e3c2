package match

import (
	"fmt"

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
