package match

import (
	"fmt"

	"gauntlet/internal/leaf/excerpt"
	"gauntlet/rawjson"
)

// An Extractor takes a text out of a message (§5.5, SDK §5.6).
type Extractor struct {
	query  *JSONPath
	regexp program
}

// ParseExtractor reads a selector in one of the languages json_path and regex. Whether the
// extractor is for requests or responses is the caller's to heed.
func ParseExtractor(language, selector string) (*Extractor, error) {
	var x Extractor
	var err error
	switch language {
	case "json_path":
		x.query, err = ParseJSONPath(selector)
	case "regex":
		x.regexp, err = parseProgram(selector)
	default:
		err = fmt.Errorf("there is no extractor of type %q", excerpt.Clip(language, mostQuoted))
	}
	if err != nil {
		return nil, err
	}
	return &x, nil
}

// Extract returns what the selector finds in the content of a message. ok is false if it
// finds nothing, which is not the same as finding "".
//
// json_path takes the first node in document order: a string itself, anything else as
// compact JSON in the order received. regex takes the first group of the first match in
// the content, read the same way; without a group it finds nothing. The error is that a
// JSONPath query would visit too much ([ErrTooMuch]), or that the content is too long for
// the regular expression (an [*EvalError]).
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
	if at == nil || at[2] < 0 { // the group took no part in the match
		return "", false, nil
	}
	return s[at[2]:at[3]], true, nil
}
