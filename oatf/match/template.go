package match

import (
	"fmt"
	"strings"

	"gauntlet/rawjson"
)

// A Template is a text with references in double braces: {{name}} for what an extractor
// captured, {{actor.name}} for what one of another actor did, {{request.path}} and
// {{response.path}} for a part of the message at hand (§5.6, SDK §5.5). \{{ is {{ itself.
type Template struct {
	parts []part
}

type part struct {
	text string // the text, or the reference's name
	ref  bool
}

// A Scope is what references of a template mean.
type Scope struct {
	// Captures are values of extractors: those of the actor under their names, those of
	// all actors under actor.name. They come before anything else.
	Captures map[string]string
	// Request and Response are the contents of the messages at hand, absent without one.
	Request, Response rawjson.Value
}

// ParseTemplate reads a template. Its only fault is a {{ without }} behind it (V-016).
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

// References returns the names between the braces, in order, as they stand there.
func (t *Template) References() []string {
	var out []string
	for _, p := range t.parts {
		if p.ref {
			out = append(out, p.text)
		}
	}
	return out
}

// Expand puts in what the references mean. What is put in is text and is not read again,
// so that nothing captured from a peer can refer to anything. A reference that means
// nothing becomes "" and is returned among missing, for a warning W-004.
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

// asText writes a value for people and templates: a string itself, anything else as
// compact JSON in the order received, an absent one as "".
func asText(v rawjson.Value) string {
	if v.Kind() == rawjson.String {
		return v.Text()
	}
	return v.Compact()
}

// ExpandValue expands every string inside v (not the names of members) as a template and
// returns the result as JSON (SDK §5.5a). Everything else, white space and digits
// included, stays as it was written. A string that is no template, for its braces do not
// close, stays as well.
func ExpandValue(v rawjson.Value, s Scope) (json string, missing []string) {
	raw, from := v.Raw(), v.Offset()
	var b []byte
	done := 0
	for t := range v.Strings() {
		if t.IsKey || !strings.Contains(t.Value.Text(), "{{") {
			continue
		}
		template, err := ParseTemplate(t.Value.Text())
		if err != nil {
			continue
		}
		text, none := template.Expand(s)
		missing = append(missing, none...)
		at := t.Value.Offset() - from
		b = rawjson.AppendString(append(b, raw[done:at]...), text)
		done = at + len(t.Value.Raw())
	}
	return string(append(b, raw[done:]...)), missing
}
