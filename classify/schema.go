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
	must    bool // a call without it is refused
	depth   int
	wrapper bool // the only parameter, an object that holds the real ones

	sample string // a value that it has by default, or for example

	role  roleScore
	parts []string // the words of its name
	whole string   // these, written together
	doc   string   // what the description of the tool says about it

	use     pathUse // of a path, once it was asked for
	useRead bool

	speaksOf conceptSet // what its description speaks of without a negation, once it was read
	heard    bool
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

// parameterPath names a parameter by its way through the schema.
func parameterPath(ps []parameter, i int) string {
	if ps[i].above < 0 {
		return ps[i].name
	}
	return parameterPath(ps, ps[i].above) + ps[i].prefix + ps[i].name
}

// A schemaReader collects the parameters of one input schema.
type schemaReader struct {
	root rawjson.Value
	out  []parameter
	over bool // a limit was met
	left int  // schemas that may still be looked at
}

func (r *schemaReader) readParameters(schema rawjson.Value) {
	r.root, r.out, r.over, r.left = schema, r.out[:0], false, maxSchemas
	r.readProperties(schema, -1, "", 0)
	if len(r.out) > 0 && r.out[0].kind == objectKind && !r.out[0].list && len(r.out) > 1 {
		only := true
		for _, p := range r.out[1:] {
			only = only && p.above >= 0
		}
		r.out[0].wrapper = only
	}
}

// readProperties adds what the schema of an object lists, in it or in what it is made of.
func (r *schemaReader) readProperties(schema rawjson.Value, above int, prefix string, depth int) {
	if r.left--; depth > maxNesting || r.left < 0 {
		r.over = true
		return
	}
	required := schema.Get("required")
	for m := range schema.Get("properties").Members() {
		if len(r.out) >= maxParameters {
			r.over = true
			return
		}
		p := parameter{above: above, prefix: prefix, key: m.Key, name: m.Key.Text(), depth: depth}
		if depth <= 1 {
			p.must = listContains(required, m.Key.Raw())
		}
		r.readSchema(&p, m.Value, 0)
		at := len(r.out)
		r.out = append(r.out, p)
		if p.kind == objectKind || p.list {
			join := "."
			if p.list {
				join = "[]."
			}
			r.readProperties(p.schema, at, join, depth+1)
		}
	}
	for _, all := range schema.Get("allOf").Elements() {
		if s := r.resolveRef(all); s.Exists() {
			r.readProperties(s, above, prefix, depth+1)
		}
	}
}

// listContains reports whether a short list of strings holds one, both as they are written.
func listContains(of rawjson.Value, raw string) bool {
	left := 64
	for _, v := range of.Elements() {
		if left--; left < 0 {
			break
		}
		if v.Raw() == raw {
			return true
		}
	}
	return false
}

// readSchema fills in what a schema says, through references, alternatives and lists.
func (r *schemaReader) readSchema(p *parameter, s rawjson.Value, steps int) {
	if r.left--; steps > maxFollowed || r.left < 0 {
		r.over = true
		return
	}
	var ref, items rawjson.Value
	var alternatives [3]rawjson.Value // in the order in which they are read
	was := *p
	for m := range s.Members() {
		switch memberName(m.Key) {
		case "description":
			if m.Value.Kind() == rawjson.String && !p.desc.Exists() {
				p.desc = m.Value
			}
		case "$ref":
			ref = m.Value
		case "format":
			p.format = m.Value.Text()
		case "enum", "const":
			p.closed = true
		case "pattern":
			p.pattern = true
		case "type":
			p.kind = max(p.kind, schemaKind(m.Value))
			if m.Value.Raw() == `"array"` {
				p.list = true
			}
		case "contentMediaType", "contentEncoding":
			p.format = "content"
		case "default":
			if m.Value.Kind() == rawjson.String {
				p.sample = truncate(m.Value.Text(), maxSample+1)
			}
		case "examples":
			for _, first := range m.Value.Elements() {
				if p.sample == "" && first.Kind() == rawjson.String {
					p.sample = truncate(first.Text(), maxSample+1)
				}
				break
			}
		case "items":
			items = m.Value
		case "anyOf":
			alternatives[0] = m.Value
		case "oneOf":
			alternatives[1] = m.Value
		case "allOf":
			alternatives[2] = m.Value
		}
	}
	if ref.Exists() {
		if to := r.resolveRef(s); to.Exists() { // what stands beside a reference is its description alone
			was.desc = p.desc
			*p = was
			r.readSchema(p, to, steps+1)
			return
		}
	}
	p.schema = s
	if items.Kind() == rawjson.Object {
		r.readSchema(p, items, steps+1)
		return
	}
	for _, of := range alternatives {
		r.readAlternatives(p, of, steps)
	}
}

// readAlternatives reads schemas of which a value meets one, or all. It is closed where each is.
func (r *schemaReader) readAlternatives(p *parameter, of rawjson.Value, steps int) {
	closed, total := 0, 0
	for _, e := range of.Elements() {
		if e.Get("type").Is("null") {
			continue
		}
		total++
		was := p.closed
		p.closed = false
		r.readSchema(p, e, steps+8)
		if p.closed {
			closed++
		}
		p.closed = was
	}
	if total > 0 && closed == total {
		p.closed = true
	}
}

// memberName returns the name of a member, decoded where it has escapes: "in\u0070utSchema" is one, too.
func memberName(key rawjson.Value) string {
	raw := key.Raw()
	if strings.IndexByte(raw, '\\') >= 0 {
		return key.Text()
	}
	return raw[1 : len(raw)-1]
}

func schemaKind(t rawjson.Value) kind {
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
		k = max(k, schemaKind(e))
	}
	return k
}

// resolveRef returns what a reference inside the same schema points to; a schema without a
// reference is itself. Anything else is absent.
func (r *schemaReader) resolveRef(s rawjson.Value) rawjson.Value {
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
