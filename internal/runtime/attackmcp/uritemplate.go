package attackmcp

import (
	"fmt"
	"strings"
)

// A uriTemplate is an RFC 6570 level 1 template: literal texts with names in braces between them. A name with + may contain
// slashes.
type uriTemplate struct {
	texts []string // one more than names
	names []string
}

func parseURITemplate(s string) (*uriTemplate, error) {
	t := &uriTemplate{}
	for {
		text, rest, found := strings.Cut(s, "{")
		t.texts = append(t.texts, text)
		if !found {
			return t, nil
		}
		name, rest, closed := strings.Cut(rest, "}")
		bare := strings.TrimPrefix(name, "+")
		switch {
		case !closed:
			return nil, fmt.Errorf("%.60q: a { has no }", s)
		case bare == "" || strings.ContainsAny(bare, "{#./;?&=,!@|*:+"):
			return nil, fmt.Errorf("{%.60s}: only plain names, and + before one, can be matched", name)
		}
		t.names = append(t.names, name)
		s = rest
	}
}

// delimiters end the value of a plain name.
const delimiters = "/?#"

// matchesURI reports whether the template could expand to uri, with at least one byte per name. It takes linear time: matching the
// shortest value loses nothing among plain names, since the next name may hold whatever a longer value would.
func (t *uriTemplate) matchesURI(uri string) bool {
	rest, ok := strings.CutPrefix(uri, t.texts[0])
	if !ok {
		return false
	}
	for i, name := range t.names {
		text, last := t.texts[i+1], i+1 == len(t.names)
		if rest == "" {
			return false
		}
		var end int
		switch {
		case last && !strings.HasSuffix(rest[1:], text):
			return false
		case last:
			end = len(rest) - len(text)
		case text == "": // two names side by side: the first is one character
			end = 1
		default:
			if end = strings.Index(rest[1:], text); end < 0 {
				return false
			}
			end++
		}
		if name[0] != '+' && strings.ContainsAny(rest[:end], delimiters) {
			return false
		}
		rest = rest[end+len(text):]
	}
	return rest == ""
}
