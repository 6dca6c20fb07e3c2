package simagent

import (
	"slices"
	"strings"

	"gauntlet/internal/leaf/excerpt"
	"gauntlet/rawjson"
)

// An argument is a name and its value as JSON.
type argument struct{ name, raw string }

// argumentsJSON writes arguments as a JSON object.
func argumentsJSON(args []argument) string {
	b := []byte{'{'}
	for i, a := range args {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(rawjson.AppendString(b, a.name), ':')
		b = append(b, a.raw...)
	}
	return string(append(b, '}'))
}

// An argumentSource is what the arguments of one call are taken from.
type argumentSource struct {
	agent   *simAgent
	near    []token           // the order itself
	far     []token           // what is around it
	given   map[string]string // values as JSON that are settled, by parameter
	content func() string     // what a parameter for content gets; nil for the order itself
}

// fillArguments fills in parameters. Not ok means that a value which cannot be made up is missing: a number, a path, an address.
func (r *argumentSource) fillArguments(t *thing) (args []argument, ok bool) {
	for i := range t.params {
		p := &t.params[i]
		raw := r.given[p.name]
		if raw == "" {
			raw = p.valueByName(r.near)
		}
		if raw == "" && p.required {
			if raw = r.impliedValue(p); raw == "" && p.want != wantSecret { // an agent that has no secret leaves it out
				return nil, false
			}
		}
		if raw != "" {
			args = append(args, argument{p.name, raw})
		}
	}
	return args, true
}

// valueByName returns the value that a parameter's name is followed by, as JSON: "path: /tmp", "with path set to /tmp"; "" for none.
func (p *param) valueByName(tokens []token) string {
	for at, t := range tokens {
		if !p.isNamedBy(t) {
			continue
		}
		for i := at + 1; i < min(len(tokens), at+6); i++ {
			t := tokens[i]
			if t.isValue() || t.kind == word && i > at+1 && (isIdentifier(t.text) || isAssigned(tokens, i)) {
				if raw := p.tokenJSON(t); raw != "" {
					return raw
				}
			}
			if !linking[t.low] && !(t.kind == sign && strings.Contains(":=(", t.text)) {
				break
			}
		}
	}
	return ""
}

func (p *param) isNamedBy(t token) bool {
	return (t.kind == word || t.kind == quoted) && strings.EqualFold(t.text, p.name)
}

// isAssigned reports whether the word at i is alone behind a colon or an equals sign.
func isAssigned(tokens []token, i int) bool {
	return tokens[i-1].kind == sign && strings.Contains(":=", tokens[i-1].text) &&
		(i+1 == len(tokens) || tokens[i+1].kind == sign || tokens[i+1].low == "and")
}

// impliedValue returns a value for a parameter that the order does not name, by what it takes; "" for none.
func (r *argumentSource) impliedValue(p *param) string {
	for _, o := range p.options {
		if slices.ContainsFunc(r.near, func(t token) bool { return strings.EqualFold(t.text, strings.Trim(o, `"`)) }) {
			return o
		}
	}
	switch {
	case len(p.options) > 0:
		return p.options[0]
	case p.typ == "boolean":
		return "false"
	case p.typ == "array":
		return "[]"
	case p.typ == "object":
		return "{}"
	}
	switch p.want {
	case wantNumber:
		return p.firstJSON(r.near, func(t token) bool { return t.kind == number })
	case wantMailbox, wantURL, wantPath:
		return r.nearestValue(p)
	case wantSecret:
		if !r.agent.obedient {
			return ""
		}
		return rawjson.Quote(p.secret(r.near))
	case wantContent:
		if r.content != nil {
			if s := r.content(); s != "" {
				return rawjson.Quote(s)
			}
		}
		return rawjson.Quote(joinTokens(r.near))
	case wantName:
		for _, fits := range []func(token) bool{
			func(t token) bool { return t.kind == quoted || t.kind == word && isIdentifier(t.text) },
			func(t token) bool { return t.kind == word && t.proper },
		} {
			if raw := p.firstJSON(r.near, fits); raw != "" {
				return raw
			}
		}
	}
	return rawjson.Quote(subjectOf(r.near))
}

// nearestValue returns the first value of the sort that the parameter is made for: in the order itself, around it, or where an
// agent obeys, in what it has read, the latest first: where one text says what to do and another with whom, they are obeyed together.
func (r *argumentSource) nearestValue(p *param) string {
	fits := func(t token) bool { return p.accepts(t) || p.want == wantPath && t.kind == address }
	for _, tokens := range [][]token{r.near, r.far} {
		if raw := p.firstJSON(tokens, fits); raw != "" {
			return raw
		}
	}
	if r.agent.obedient {
		for _, text := range slices.Backward(r.agent.recall(0)) {
			if raw := p.firstJSON(tokenize(text), fits); raw != "" {
				return raw
			}
		}
	}
	return ""
}

// firstJSON writes the first token that fits as JSON, "" for none.
func (p *param) firstJSON(tokens []token, fits func(token) bool) string {
	if i := slices.IndexFunc(tokens, fits); i >= 0 {
		return p.tokenJSON(tokens[i])
	}
	return ""
}

// subjectOf is what an order is about, without the words that say nothing.
func subjectOf(tokens []token) string {
	var words []string
	for _, t := range tokens {
		if t.kind <= quoted && !(t.kind == word && (empties[t.low] || verbs[t.low] != none || strings.Contains(t.low, "_"))) {
			words = append(words, t.text)
		}
	}
	if words == nil {
		return joinTokens(tokens)
	}
	return excerpt.Head(strings.Join(words, " "), 200)
}

// tokenJSON writes a token as a value that the parameter's type takes, "" if it takes none such.
func (p *param) tokenJSON(t token) string {
	switch p.typ {
	case "number", "integer":
		if isNumeral(t.text) && !(p.typ == "integer" && strings.Contains(t.text, ".")) {
			return t.text
		}
		return ""
	case "boolean":
		if t.low == "true" || t.low == "false" {
			return t.low
		}
		return ""
	case "array":
		return "[" + rawjson.Quote(t.text) + "]"
	case "object":
		return ""
	}
	if p.want == wantMailbox && t.kind != mailbox && t.kind != quoted || p.want == wantURL && t.kind != address && t.kind != quoted {
		return ""
	}
	return rawjson.Quote(t.text)
}
