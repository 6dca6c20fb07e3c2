package simagent

import (
	"slices"
	"strings"

	"gauntlet/rawjson"
)

// An argumentSource is what the arguments of one call are taken from.
type argumentSource struct {
	near []token // the order itself
	far  []token // what stands around it
	// seen is what was read before, the latest first; may be nil.
	seen func() []token
	// given are values as JSON that are settled, by parameter.
	given map[string]string
	// content is what a parameter for content gets where the request quotes nothing;
	// secret what one for a secret gets, "" for nothing. Both may be nil.
	content func() string
	secret  func(p *param) string
}

// fillArguments fills in a tool's parameters as a JSON object. Not ok means that a value which
// cannot be made up is missing: a number, a path, an address.
func (r *argumentSource) fillArguments(t *tool) (args []argument, ok bool) {
	used := map[int]bool{}
	for i := range t.params {
		p := &t.params[i]
		raw := r.given[p.name]
		if raw == "" {
			raw = r.explicitValue(p, used)
		}
		if raw == "" && p.required {
			if raw = r.impliedValue(p, used); raw == "" && !p.dispensable() {
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

// dispensable reports whether a call may be made without the parameter: an agent that has
// no secret to give leaves it out, and lets the server say what it thinks of that.
func (p *param) dispensable() bool { return p.want == wantSecret }

// linking are the words between a parameter's name and its value.
var linking = setOf("argument as called equal field id is key name named number parameter property set should the to value with")

// explicitValue returns the value that the request gives a parameter by name, as JSON, or by its
// noun.
func (r *argumentSource) explicitValue(p *param, used map[int]bool) string {
	if raw := r.valueByName(p, used); raw != "" {
		return raw
	}
	if p.want == wantName && p.typ != "boolean" {
		return r.valueBesideNoun(p, used)
	}
	return ""
}

// valueByName returns the value that stands with a parameter's name: "path: /tmp", "x as subject".
func (r *argumentSource) valueByName(p *param, used map[int]bool) string {
	for _, at := range mentions(r.near, p.name) {
		for i := at.end; i < len(r.near) && i < at.end+5; i++ {
			t := r.near[i]
			if t.isValue() || t.kind == word && i > at.end && (isIdentifier(t.text) || assigned(r.near, i)) {
				if raw := p.tokenJSON(t); raw != "" {
					used[i] = true
					return raw
				}
			}
			if !(linking[t.low] || t.kind == sign && strings.Contains(":=(", t.text)) {
				break
			}
		}
		if at.start > 1 && r.near[at.start-1].low == "as" && r.near[at.start-2].isValue() {
			if raw := p.tokenJSON(r.near[at.start-2]); raw != "" {
				used[at.start-2] = true
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

// naming are the words of a parameter's name that say only that it is a name.
var naming = setOf("code id identifier key name number slug")

// valueBesideNoun returns the name that stands with the noun of a parameter: "project phoenix",
// "the main branch", "user-service" for service_name.
func (r *argumentSource) valueBesideNoun(p *param, used map[int]bool) string {
	noun := ""
	for _, w := range identifierWords(p.name) {
		if !naming[w] {
			noun = w
		}
	}
	if noun == "" {
		return ""
	}
	take := func(i int) string {
		used[i] = true
		return p.tokenJSON(r.near[i])
	}
	free := func(i int) bool {
		return i >= 0 && i < len(r.near) && !used[i] && (r.near[i].kind == quoted || r.near[i].kind == word && !empties[r.near[i].low] && verbs[r.near[i].low] == none)
	}
	for i := len(r.near) - 1; i >= 0; i-- {
		t := r.near[i]
		isNoun := t.kind == word && (t.low == noun || len(noun) > 2 && len(t.low) > len(noun) && strings.HasPrefix(t.low, noun) && !isIdentifier(t.text))
		switch {
		case isNoun && free(i+1) && (isIdentifier(r.near[i+1].text) || r.near[i+1].kind == quoted):
			return take(i + 1)
		case t.kind == word && t.low != noun && free(i) && strings.ContainsAny(t.low, "-_") && slices.Contains(identifierWords(t.low), noun):
			return take(i)
		}
	}
	for i := len(r.near) - 1; i >= 0; i-- {
		if t := r.near[i]; t.kind == word && t.low == noun {
			if free(i+1) && (i+2 >= len(r.near) || r.near[i+2].kind != word || empties[r.near[i+2].low] || i == 0 || !free(i-1)) {
				return take(i + 1)
			}
			if free(i-1) && i > 1 {
				return take(i - 1)
			}
		}
	}
	return ""
}

// impliedValue returns a value for a parameter that the request does not name, by what it takes.
func (r *argumentSource) impliedValue(p *param, used map[int]bool) string {
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
		return r.firstFitting(p, used, func(t token) bool { return t.kind == number })
	case wantMailbox:
		return r.firstFitting(p, used, func(t token) bool { return t.kind == mailbox })
	case wantURL:
		return r.firstFitting(p, used, func(t token) bool { return t.kind == address })
	case wantPath:
		return r.firstFitting(p, used, func(t token) bool { return t.kind == path || t.kind == address })
	case wantSecret:
		if r.secret != nil {
			if s := r.secret(p); s != "" {
				return rawjson.Quote(s)
			}
		}
		return ""
	case wantContent:
		if r.content != nil {
			if s := r.content(); s != "" {
				return rawjson.Quote(s)
			}
		}
		return rawjson.Quote(joinTokens(r.near))
	case wantName:
		if raw := r.firstFitting(p, used, func(t token) bool { return t.kind == quoted || t.kind == word && isIdentifier(t.text) }); raw != "" {
			return raw
		}
		if raw := r.firstFitting(p, used, func(t token) bool { return t.kind == word && t.proper }); raw != "" {
			return raw
		}
	case wantQuery:
		if i := slices.IndexFunc(r.near, func(t token) bool { return t.kind == quoted }); i >= 0 && !used[i] {
			return p.tokenJSON(r.near[i])
		}
	}
	return rawjson.Quote(r.summarise())
}

// firstFitting returns the first token that fits, in the order itself and then around it.
func (r *argumentSource) firstFitting(p *param, used map[int]bool, fits func(token) bool) string {
	for i, t := range r.near {
		if !used[i] && fits(t) {
			used[i] = true
			return p.tokenJSON(t)
		}
	}
	if p.want == wantName || p.want == wantNumber {
		return "" // what stands elsewhere names and counts something else
	}
	around := r.far
	if r.seen != nil && !slices.ContainsFunc(around, fits) {
		around = r.seen()
	}
	for _, t := range around {
		if fits(t) {
			return p.tokenJSON(t)
		}
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
