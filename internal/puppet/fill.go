package puppet

import (
	"slices"
	"strings"

	"gauntlet/rawjson"
)

// A request is what the arguments of one call are taken from.
type request struct {
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

// arguments fills in a tool's parameters as a JSON object. Not ok means that a value which
// cannot be made up is missing: a number, a path, an address.
func (r *request) arguments(t *tool) (args []argument, ok bool) {
	used := map[int]bool{}
	for i := range t.params {
		p := &t.params[i]
		raw := r.given[p.name]
		if raw == "" {
			raw = r.explicit(p, used)
		}
		if raw == "" && p.required {
			if raw = r.implied(p, used); raw == "" && !p.dispensable() {
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

// object writes arguments as a JSON object.
func object(args []argument) string {
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

// unquoted returns the text of a JSON string, "" of any other value.
func unquoted(raw string) string {
	if raw == "" || raw[0] != '"' {
		return ""
	}
	return rawjson.Unquote(raw)
}

// quote writes a text as JSON.
func quote(s string) string { return string(rawjson.AppendString(nil, s)) }

// dispensable reports whether a call may be made without the parameter: an agent that has
// no secret to give leaves it out, and lets the server say what it thinks of that.
func (p *param) dispensable() bool { return p.want == wantSecret }

// linking are the words between a parameter's name and its value.
var linking = setOf("argument as called equal field id is key name named number parameter property set should the to value with")

// explicit returns the value that the request gives a parameter by name, as JSON, or by its
// noun.
func (r *request) explicit(p *param, used map[int]bool) string {
	if raw := r.told(p, used); raw != "" {
		return raw
	}
	if p.want == wantName && p.typ != "boolean" {
		return r.beside(p, used)
	}
	return ""
}

// told returns the value that stands with a parameter's name: "path: /tmp", "x as subject".
func (r *request) told(p *param, used map[int]bool) string {
	for _, at := range mentions(r.near, p.name) {
		for i := at.end; i < len(r.near) && i < at.end+5; i++ {
			t := r.near[i]
			if t.value() || t.sort == word && i > at.end && (identifier(t.text) || assigned(r.near, i)) {
				if raw := p.json(t); raw != "" {
					used[i] = true
					return raw
				}
			}
			if !(linking[t.low] || t.sort == sign && strings.Contains(":=(", t.text)) {
				break
			}
		}
		if at.start > 1 && r.near[at.start-1].low == "as" && r.near[at.start-2].value() {
			if raw := p.json(r.near[at.start-2]); raw != "" {
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
	return before.sort == sign && (before.text == ":" || before.text == "=") &&
		(i+1 == len(tokens) || tokens[i+1].sort == sign || tokens[i+1].low == "and")
}

// A place is where something is mentioned among tokens.
type place struct{ start, end int }

// mentions returns where the name of a parameter stands: as it is spelt, or in words.
func mentions(tokens []token, name string) []place {
	low, words := strings.ToLower(name), parts(name)
	var out []place
	for i, t := range tokens {
		switch {
		case t.low == low && (t.sort == word || t.sort == quoted):
			out = append(out, place{i, i + 1})
		case len(words) > 1 && i+len(words) <= len(tokens) && slices.EqualFunc(tokens[i:i+len(words)], words, func(t token, w string) bool { return t.sort == word && t.low == w }):
			out = append(out, place{i, i + len(words)})
		}
	}
	return out
}

// naming are the words of a parameter's name that say only that it is a name.
var naming = setOf("code id identifier key name number slug")

// beside returns the name that stands with the noun of a parameter: "project phoenix",
// "the main branch", "user-service" for service_name.
func (r *request) beside(p *param, used map[int]bool) string {
	noun := ""
	for _, w := range parts(p.name) {
		if !naming[w] {
			noun = w
		}
	}
	if noun == "" {
		return ""
	}
	take := func(i int) string {
		used[i] = true
		return p.json(r.near[i])
	}
	free := func(i int) bool {
		return i >= 0 && i < len(r.near) && !used[i] && (r.near[i].sort == quoted || r.near[i].sort == word && !empties[r.near[i].low] && verbs[r.near[i].low] == none)
	}
	for i := len(r.near) - 1; i >= 0; i-- {
		t := r.near[i]
		isNoun := t.sort == word && (t.low == noun || len(noun) > 2 && len(t.low) > len(noun) && strings.HasPrefix(t.low, noun) && !identifier(t.text))
		switch {
		case isNoun && free(i+1) && (identifier(r.near[i+1].text) || r.near[i+1].sort == quoted):
			return take(i + 1)
		case t.sort == word && t.low != noun && free(i) && strings.ContainsAny(t.low, "-_") && slices.Contains(parts(t.low), noun):
			return take(i)
		}
	}
	for i := len(r.near) - 1; i >= 0; i-- {
		if t := r.near[i]; t.sort == word && t.low == noun {
			if free(i+1) && (i+2 >= len(r.near) || r.near[i+2].sort != word || empties[r.near[i+2].low] || i == 0 || !free(i-1)) {
				return take(i + 1)
			}
			if free(i-1) && i > 1 {
				return take(i - 1)
			}
		}
	}
	return ""
}

// implied returns a value for a parameter that the request does not name, by what it takes.
func (r *request) implied(p *param, used map[int]bool) string {
	if raw := p.option(r.near); raw != "" {
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
		return r.firstOf(p, used, func(t token) bool { return t.sort == number })
	case wantMailbox:
		return r.firstOf(p, used, func(t token) bool { return t.sort == mailbox })
	case wantURL:
		return r.firstOf(p, used, func(t token) bool { return t.sort == address })
	case wantPath:
		return r.firstOf(p, used, func(t token) bool { return t.sort == path || t.sort == address })
	case wantSecret:
		if r.secret != nil {
			if s := r.secret(p); s != "" {
				return quote(s)
			}
		}
		return ""
	case wantContent:
		if r.content != nil {
			if s := r.content(); s != "" {
				return quote(s)
			}
		}
		return quote(plain(r.near))
	case wantName:
		if raw := r.firstOf(p, used, func(t token) bool { return t.sort == quoted || t.sort == word && identifier(t.text) }); raw != "" {
			return raw
		}
		if raw := r.firstOf(p, used, func(t token) bool { return t.sort == word && t.proper }); raw != "" {
			return raw
		}
	case wantQuery:
		if i := slices.IndexFunc(r.near, func(t token) bool { return t.sort == quoted }); i >= 0 && !used[i] {
			return p.json(r.near[i])
		}
	}
	return quote(r.gist())
}

// firstOf returns the first token that fits, in the order itself and then around it.
func (r *request) firstOf(p *param, used map[int]bool, fits func(token) bool) string {
	for i, t := range r.near {
		if !used[i] && fits(t) {
			used[i] = true
			return p.json(t)
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
			return p.json(t)
		}
	}
	return ""
}

// gist is what a request is about, without the words that say nothing.
func (r *request) gist() string {
	var words []string
	size := 0
	for _, t := range r.near {
		if t.sort <= quoted && !(t.sort == word && (empties[t.low] || verbs[t.low] != none || strings.Contains(t.low, "_"))) {
			words = append(words, t.text)
			if size += len(t.text); size > 200 {
				break
			}
		}
	}
	if words == nil {
		return plain(r.near)
	}
	return strings.Join(words, " ")
}

// option returns the value of an enumeration that the request names, else its first.
func (p *param) option(tokens []token) string {
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

// json writes a token as a value that the parameter's type takes, "" if it takes none such.
func (p *param) json(t token) string {
	switch p.typ {
	case "number", "integer":
		if n := numeral(t.text); n != "" && !(p.typ == "integer" && strings.Contains(n, ".")) {
			return n
		}
		return ""
	case "boolean":
		if t.low == "true" || t.low == "false" {
			return t.low
		}
		return ""
	case "array":
		return "[" + quote(t.text) + "]"
	case "object":
		return ""
	}
	switch {
	case p.want == wantMailbox && t.sort != mailbox && t.sort != quoted,
		p.want == wantURL && t.sort != address && t.sort != quoted:
		return ""
	}
	return quote(t.text)
}
