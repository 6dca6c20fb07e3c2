package simagent

import (
	"cmp"
	"slices"
	"strings"

	"gauntlet/rawjson"
)

// An argument is a name and its value as JSON.
type argument struct{ name, raw string }

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

func setArguments(args, values []argument) []argument {
	args = slices.Clone(args)
	for _, v := range values {
		if i := slices.IndexFunc(args, func(a argument) bool { return a.name == v.name }); i >= 0 {
			args[i] = v
		} else {
			args = append(args, v)
		}
	}
	return args
}

// A source is what the arguments of one call are taken from.
type source struct {
	agent   *simAgent
	near    string        // the order itself
	far     string        // what is around it
	given   []argument    // values that are settled
	content func() string // what a parameter for content gets
}

// fill fills in parameters. Not ok means that a value which cannot be made up is missing: a number, a path, an address.
func (r *source) fill(t *thing) (args []argument, ok bool) {
	for _, p := range t.params {
		raw := p.valueBeside(r.near)
		if i := slices.IndexFunc(r.given, func(a argument) bool { return a.name == p.name }); i >= 0 {
			raw = r.given[i].raw
		}
		if raw == "" && p.required {
			if raw = r.implied(p); raw == "" && p.takes.fills != withSecret { // an agent that has no secret leaves it out
				return nil, false
			}
		}
		if raw != "" {
			args = append(args, argument{p.name, raw})
		}
	}
	return args, true
}

// valueBeside returns the value that a parameter's name is followed by, as JSON: "path: /tmp", "with path set to /tmp"; "" for none.
func (p *param) valueBeside(text string) string {
	for _, m := range p.given(text) {
		values := valuesIn(text[m[4]:m[5]])
		if len(values) == 0 {
			continue
		}
		link, v := strings.TrimSpace(text[m[2]:m[3]]), values[0]
		assigned := strings.HasSuffix(link, ":") || strings.HasSuffix(link, "=")
		if v.sort != word || link != "" && v.isName() || assigned && m[6] >= 0 {
			if raw := p.asJSON(v); raw != "" {
				return raw
			}
		}
	}
	return ""
}

// implied returns a value for a parameter that the order does not name, by what it takes; "" for none.
func (r *source) implied(p *param) string {
	near := valuesIn(r.near)
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
	switch p.takes.fills {
	case withNearest:
		return r.nearest(p)
	case withSecret:
		if !r.agent.obedient {
			return ""
		}
		return rawjson.Quote(p.secret(r.near))
	case withContent:
		return rawjson.Quote(cmp.Or(r.content(), r.near))
	case withName:
		if raw := p.first(near, func(v value) bool { return v.sort == quotedOne || v.isName() || v.proper }); raw != "" {
			return raw
		}
	}
	return rawjson.Quote(subjectOf(r.near))
}

// nearest returns the first value of the sort that the parameter is made for: in the order itself, around it, or where an agent obeys,
// in what it has read, the latest first: where one text says what to do and another with whom, they are obeyed together. A number is in
// the order or nowhere.
func (r *source) nearest(p *param) string {
	fits := func(v value) bool { return v.sort == p.takes.sort || p.takes.sort == path && v.sort == address }
	texts := []string{r.near}
	if p.takes.sort != number {
		texts = append(texts, r.far)
		if r.agent.obedient {
			read := r.agent.recall(0)
			slices.Reverse(read)
			texts = append(texts, read...)
		}
	}
	for _, text := range texts {
		if raw := p.first(valuesIn(text), fits); raw != "" {
			return raw
		}
	}
	return ""
}

// first writes the first value that fits as JSON, "" for none.
func (p *param) first(values []value, fits func(value) bool) string {
	if i := slices.IndexFunc(values, fits); i >= 0 {
		return p.asJSON(values[i])
	}
	return ""
}

// asJSON writes a value as the parameter's type takes it, "" if it takes none such.
func (p *param) asJSON(v value) string {
	switch low := strings.ToLower(v.text); {
	case p.typ == "object", p.takes.sort == number && !isNumeral(v.text), p.typ == "integer" && strings.Contains(v.text, "."),
		p.typ == "boolean" && low != "true" && low != "false",
		(p.takes.sort == mailbox || p.takes.sort == address) && v.sort != p.takes.sort && v.sort != quotedOne:
		return ""
	case p.takes.sort == number, p.typ == "boolean":
		return low
	case p.typ == "array":
		return "[" + rawjson.Quote(v.text) + "]"
	}
	return rawjson.Quote(v.text)
}

// secret is what the agent gives where a secret is asked for: the one that an order names, else that of the parameter.
func (p *param) secret(order string) string {
	return cmp.Or(secretFor(lowWords(order)), secretFor(wordsIn(p.name)), secretFor([]string{"secret"}))
}
