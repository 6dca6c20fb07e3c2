package classify

import (
	"strings"

	"gauntlet/rawjson"
)

// Limits on what is read of one definition; a schema beyond them keeps the labels of what
// was read, and the tool gets a warning.
const (
	maxParameters = 256
	maxNesting    = 6
	maxFollowed   = 32 // references and alternatives, one inside the other, of one parameter
	maxSchemas    = 4096
)

// A parameter is one property of an input schema, nested ones included.
type parameter struct {
	above   int    // index of the parameter that holds it, -1 at the top
	prefix  string // how its name joins that of the one above: "" at the top, ".", "[]."
	key     rawjson.Value
	name    string
	schema  rawjson.Value // after references
	desc    rawjson.Value // the nearest description
	kind    kind
	format  string
	closed  bool // takes one of a fixed set of values
	pattern bool // constrained by a pattern
	list    bool
	depth   int
	wrapper bool // the only parameter, an object that holds the real ones

	role roleScore
	doc  string // what the description of the tool says about it
}

// kind is the type of a parameter's value as far as roles depend on it.
type kind uint8

const (
	anyKind kind = iota
	stringKind
	numberKind
	boolKind
	objectKind
)

// pathOf names a parameter by its way through the schema.
func pathOf(ps []parameter, i int) string {
	if ps[i].above < 0 {
		return ps[i].name
	}
	return pathOf(ps, ps[i].above) + ps[i].prefix + ps[i].name
}

// A schemaReader collects the parameters of one input schema.
type schemaReader struct {
	root rawjson.Value
	out  []parameter
	over bool // a limit was met
	left int  // schemas that may still be looked at
}

func (r *schemaReader) read(schema rawjson.Value) {
	r.root, r.out, r.over, r.left = schema, r.out[:0], false, maxSchemas
	r.properties(schema, -1, "", 0)
	if len(r.out) > 0 && r.out[0].kind == objectKind && !r.out[0].list && len(r.out) > 1 {
		only := true
		for _, p := range r.out[1:] {
			only = only && p.above >= 0
		}
		r.out[0].wrapper = only
	}
}

// properties adds what the schema of an object lists, in it or in what it is made of.
func (r *schemaReader) properties(schema rawjson.Value, above int, prefix string, depth int) {
	if r.left--; depth > maxNesting || r.left < 0 {
		r.over = true
		return
	}
	for m := range schema.Get("properties").Members() {
		if len(r.out) >= maxParameters {
			r.over = true
			return
		}
		p := parameter{above: above, prefix: prefix, key: m.Key, name: m.Key.Text(), depth: depth}
		r.describe(&p, m.Value, 0)
		at := len(r.out)
		r.out = append(r.out, p)
		if p.kind == objectKind || p.list {
			join := "."
			if p.list {
				join = "[]."
			}
			r.properties(p.schema, at, join, depth+1)
		}
	}
	for _, all := range schema.Get("allOf").Elements() {
		if s := r.follow(all); s.Exists() {
			r.properties(s, above, prefix, depth+1)
		}
	}
}

// describe fills in what a schema says, through references, alternatives and lists.
func (r *schemaReader) describe(p *parameter, s rawjson.Value, steps int) {
	if r.left--; steps > maxFollowed || r.left < 0 {
		r.over = true
		return
	}
	if d := s.Get("description"); d.Kind() == rawjson.String && !p.desc.Exists() {
		p.desc = d
	}
	if ref := s.Get("$ref"); ref.Exists() {
		if to := r.follow(s); to.Exists() {
			r.describe(p, to, steps+1)
			return
		}
	}
	p.schema = s
	for m := range s.Members() {
		switch m.Key.Raw() {
		case `"format"`:
			p.format = m.Value.Text()
		case `"enum"`, `"const"`:
			p.closed = true
		case `"pattern"`:
			p.pattern = true
		case `"type"`:
			p.kind = max(p.kind, kindOf(m.Value))
			if m.Value.Raw() == `"array"` {
				p.list = true
			}
		case `"contentMediaType"`, `"contentEncoding"`:
			p.format = "content"
		}
	}
	if items := s.Get("items"); items.Kind() == rawjson.Object {
		r.describe(p, items, steps+1)
		return
	}
	for _, name := range [...]string{"anyOf", "oneOf", "allOf"} {
		closed := 0
		alternatives := 0
		for _, e := range s.Get(name).Elements() {
			if e.Get("type").Raw() == `"null"` {
				continue
			}
			alternatives++
			was := p.closed
			p.closed = false
			r.describe(p, e, steps+8)
			if p.closed {
				closed++
			}
			p.closed = was
		}
		if alternatives > 0 && closed == alternatives {
			p.closed = true
		}
	}
}

func kindOf(t rawjson.Value) kind {
	switch t.Raw() {
	case `"string"`:
		return stringKind
	case `"integer"`, `"number"`:
		return numberKind
	case `"boolean"`:
		return boolKind
	case `"object"`:
		return objectKind
	}
	k := anyKind
	for _, e := range t.Elements() { // ["string", "null"]
		if e.Raw() == `"string"` {
			return stringKind
		}
		k = max(k, kindOf(e))
	}
	return k
}

// follow returns what a reference inside the same schema points to; a schema without a
// reference is itself. Anything else is absent.
func (r *schemaReader) follow(s rawjson.Value) rawjson.Value {
	ref := s.Get("$ref")
	if !ref.Exists() {
		return s
	}
	rest, ok := strings.CutPrefix(ref.Text(), "#/")
	if !ok {
		return rawjson.Value{}
	}
	at := r.root
	for token := range strings.SplitSeq(rest, "/") {
		token = strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
		at = at.Get(token)
	}
	return at
}
