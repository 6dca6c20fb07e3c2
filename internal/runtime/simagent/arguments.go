package simagent

import (
	"slices"
	"strings"

	"gauntlet/rawjson"
)

// An argumentSource is what the arguments of one call are taken from.
type argumentSource struct {
	agent *simAgent
	near  []token // the order itself
	far   []token // what stands around it
	// given are values as JSON that are settled, by parameter.
	given map[string]string
	// content is what a parameter for content gets; nil for the order itself.
	content func() string
}

// fillArguments fills in a tool's parameters. Not ok means that a value which cannot be made up is missing: a number, a path,
// an address.
func (r *argumentSource) fillArguments(t *tool) (args []argument, ok bool) {
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

// An argument is a name and its value as JSON.
type argument struct{ name, raw string }

// argumentsJSON writes arguments as a JSON object.
func argumentsJSON(args []argument) string {
	b := []byte{'{'}
	for i, a := range args {
		if i > 0 {
			b = append(b, ',')
		}
		b = rawjson.AppendString(b, a.name)
		b = append(b, ':')
		b = append(b, a.raw...)
	}
	return string(append(b, '}'))
}

// unquoteOrEmpty returns the text of a JSON string, "" of any other value.
func unquoteOrEmpty(raw string) string {
	if raw == "" || raw[0] != '"' {
		return ""
	}
	return rawjson.Unquote(raw)
}

// linking are the words between a parameter's name and its value.
var linking = setOf("argument as called equal field id is key name named number parameter property set should the to value with")

// valueByName returns the value that stands with a parameter's name, as JSON: "path: /tmp", "x as subject"; "" for none.
func (p *param) valueByName(tokens []token) string {
	for _, at := range mentions(tokens, p.name) {
		for i := at.end; i < len(tokens) && i < at.end+5; i++ {
			t := tokens[i]
			if t.isValue() || t.kind == word && i > at.end && (isIdentifier(t.text) || assigned(tokens, i)) {
				if raw := p.tokenJSON(t); raw != "" {
					return raw
				}
			}
			if !linking[t.low] && !(t.kind == sign && strings.Contains(":=(", t.text)) {
				break
			}
		}
		if at.start > 1 && tokens[at.start-1].low == "as" && tokens[at.start-2].isValue() {
			if raw := p.tokenJSON(tokens[at.start-2]); raw != "" {
				return raw
			}
		}
	}
	return ""
}

// assigned reports whether the word at i stands alone behind a colon or an equals sign.
func assigned(tokens []token, i int) bool {
	before := tokens[i-1]
	return before.kind == sign && (before.text == ":" || before.text == "=") &&
		(i+1 == len(tokens) || tokens[i+1].kind == sign || tokens[i+1].low == "and")
}

// A place is where something is mentioned among tokens.
type place struct{ start, end int }

// mentions returns where the name of a parameter stands: as it is spelt, or in words.
func mentions(tokens []token, name string) []place {
	low, words := strings.ToLower(name), identifierWords(name)
	var out []place
	for i, t := range tokens {
		switch {
		case t.low == low && (t.kind == word || t.kind == quoted):
			out = append(out, place{i, i + 1})
		case len(words) > 1 && i+len(words) <= len(tokens) && slices.EqualFunc(tokens[i:i+len(words)], words, func(t token, w string) bool { return t.kind == word && t.low == w }):
			out = append(out, place{i, i + len(words)})
		}
	}
	return out
}

// impliedValue returns a value for a parameter that the request does not name, by what it takes; "" for none.
func (r *argumentSource) impliedValue(p *param) string {
	if raw := p.enumValue(r.near); raw != "" {
		return raw
	}
	switch p.typ {
	case "boolean":
		return "false"
	case "array":
		return "[]"
	case "object":
		return "{}"
	}
	switch p.want {
	case wantNumber:
		return p.firstJSON(r.near, func(t token) bool { return t.kind == number })
	case wantMailbox, wantURL, wantPath:
		return r.nearest(p)
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
	case wantQuery:
		if raw := p.firstJSON(r.near, func(t token) bool { return t.kind == quoted }); raw != "" {
			return raw
		}
	}
	return rawjson.Quote(r.summarise())
}

// nearest returns the first value of the sort that the parameter is made for: in the order itself, around it, or where an agent
// obeys, in what it has read.
func (r *argumentSource) nearest(p *param) string {
	fits := func(t token) bool { return p.accepts(t) || p.want == wantPath && t.kind == address }
	for _, tokens := range [][]token{r.near, r.far} {
		if raw := p.firstJSON(tokens, fits); raw != "" {
			return raw
		}
	}
	if !r.agent.obedient {
		return ""
	}
	return p.firstJSON(r.agent.seenTokens(), fits)
}

// firstJSON writes the first token that fits as JSON, "" for none.
func (p *param) firstJSON(tokens []token, fits func(token) bool) string {
	if i := slices.IndexFunc(tokens, fits); i >= 0 {
		return p.tokenJSON(tokens[i])
	}
	return ""
}

// summarise is what a request is about, without the words that say nothing.
func (r *argumentSource) summarise() string {
	var words []string
	size := 0
	for _, t := range r.near {
		if t.kind <= quoted && !(t.kind == word && (empties[t.low] || verbs[t.low] != none || strings.Contains(t.low, "_"))) {
			words = append(words, t.text)
			if size += len(t.text); size > 200 {
				break
			}
		}
	}
	if words == nil {
		return joinTokens(r.near)
	}
	return strings.Join(words, " ")
}

// enumValue returns the value of an enumeration that the request names, else its first.
func (p *param) enumValue(tokens []token) string {
	for _, o := range p.options {
		low := strings.ToLower(strings.Trim(o, `"`))
		if slices.ContainsFunc(tokens, func(t token) bool { return t.low == low }) {
			return o
		}
	}
	if len(p.options) > 0 {
		return p.options[0]
	}
	return ""
}

// tokenJSON writes a token as a value that the parameter's type takes, "" if it takes none such.
func (p *param) tokenJSON(t token) string {
	switch p.typ {
	case "number", "integer":
		if n := parseNumeral(t.text); n != "" && !(p.typ == "integer" && strings.Contains(n, ".")) {
			return n
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
	switch {
	case p.want == wantMailbox && t.kind != mailbox && t.kind != quoted,
		p.want == wantURL && t.kind != address && t.kind != quoted:
		return ""
	}
	return rawjson.Quote(t.text)
}
