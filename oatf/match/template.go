package match

import (
	"fmt"
	"strings"

	"gauntlet/rawjson"
)

// A Template is a text with references in double braces: {{name}} for a capture of the actor's extractors, {{actor.name}} for one
// of another actor, {{request.path}} and {{response.path}} for a part of the current message (§5.6, SDK §5.5). \{{ is a literal {{.
type Template struct {
	parts []part
}

type part struct {
	text string // the text, or the name of the reference
	ref  bool
}

// A Scope gives references their values.
type Scope struct {
	// Captures are extracted values: the actor's own by name, those of all actors as actor.name. They take precedence.
	Captures map[string]string
	// Request and Response are the contents of the current messages, absent if there is none.
	Request, Response rawjson.Value
}

// ParseTemplate parses a template. Its only error is an unclosed {{ (V-016).
func ParseTemplate(s string) (*Template, error) {
	t := &Template{}
	var text strings.Builder
	rest := s
	for {
		i := strings.Index(rest, "{{")
		if i < 0 {
			break
		}
		if i > 0 && rest[i-1] == '\\' {
			text.WriteString(rest[:i-1] + "{{")
			rest = rest[i+2:]
			continue
		}
		name, after, ok := strings.Cut(rest[i+2:], "}}")
		if !ok {
			return nil, fmt.Errorf("{{ at byte %d has no }}", len(s)-len(rest)+i)
		}
		text.WriteString(rest[:i])
		t.addLiteral(&text)
		t.parts = append(t.parts, part{name, true})
		rest = after
	}
	text.WriteString(rest)
	t.addLiteral(&text)
	return t, nil
}

func (t *Template) addLiteral(text *strings.Builder) {
	if text.Len() > 0 {
		t.parts = append(t.parts, part{text.String(), false})
		text.Reset()
	}
}

// References returns the references in order, as written between the braces.
func (t *Template) References() []string {
	var out []string
	for _, p := range t.parts {
		if p.ref {
			out = append(out, p.text)
		}
	}
	return out
}

// Expand replaces references by their values. Values are not expanded again, so that nothing captured from a peer can
// refer to anything. An unknown reference becomes "" and is returned in missing, for warning W-004.
func (t *Template) Expand(s Scope) (text string, missing []string) {
	var b strings.Builder
	for _, p := range t.parts {
		if !p.ref {
			b.WriteString(p.text)
			continue
		}
		value, ok := s.lookUpVariable(p.text)
		if !ok {
			missing = append(missing, p.text)
		}
		b.WriteString(value)
	}
	return b.String(), missing
}

func (s *Scope) lookUpVariable(name string) (string, bool) {
	if value, ok := s.Captures[name]; ok {
		return value, true
	}
	for _, side := range []struct {
		prefix  string
		content rawjson.Value
	}{{"request.", s.Request}, {"response.", s.Response}} {
		rest, ok := strings.CutPrefix(name, side.prefix)
		if !ok {
			continue
		}
		path, err := ParsePath(rest)
		if err != nil || rest == "" {
			return "", false
		}
		v := path.Find(side.content)
		return asText(v), v.Exists()
	}
	return "", false
}

// asText formats a value for people and templates: a string itself, anything else as compact JSON in the order
// received, an absent one as "".
func asText(v rawjson.Value) string {
	if v.Kind() == rawjson.String {
		return v.Text()
	}
	return v.Compact()
}

// ExpandValue expands every string in v, but not member names, as a template and returns the result as JSON (SDK
// §5.5a). Everything else, including white space, digits and strings with unclosed braces, is kept as written.
func ExpandValue(v rawjson.Value, s Scope) (json string, missing []string) {
	json, _ = v.Rewrite(func(text string) (string, bool) {
		if !strings.Contains(text, "{{") {
			return "", false
		}
		template, err := ParseTemplate(text)
		if err != nil {
			return "", false
		}
		text, none := template.Expand(s)
		missing = append(missing, none...)
		return text, true
	})
	return json, missing
}
