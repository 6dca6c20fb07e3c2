package classify

import (
	"slices"
	"strings"

	"gauntlet/rawjson"
)

// Limits on what is read of one definition; a schema beyond them keeps the labels of what
// was read, and the tool gets a warning.
const (
	maxParameters = 1024
	maxNesting    = 15
	maxFollowed   = 32 // references and alternatives, one inside the other, of one parameter
	maxSchemas    = 16384
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

	role  roleScore
	parts []string // the words of its name
	whole string   // these, written together
	doc   string   // what the description of the tool says about it

	use     pathUse // of a path, once it was asked for
	useRead bool

	speaksOf conceptSet // what its description speaks of without a negation, once it was read for its role
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

// A schemaReader collects the parameters of one input schema, level by level: nothing that is nested uses up what the
// parameters of a call itself need.
type schemaReader struct {
	root      rawjson.Value
	out       []parameter
	over      bool // a limit was met
	left      int  // schemas that may still be looked at
	reserved  int  // of these, what the parameters to come may count on
	objects   []schemaObject
	following []int // offsets of the schemas that are being followed for one parameter
	held      []heldObject
	required  map[int]map[string]bool // the names in long lists of required properties, by the offset of the list
}

// A heldObject is a schema with properties that a parameter may have: there are several where it has alternatives.
type heldObject struct {
	parameter int
	schema    rawjson.Value
}

// A schemaObject is a schema whose properties are still to be read.
type schemaObject struct {
	schema rawjson.Value
	inside int // index of the object that holds this one, -1 for the root
	above  int // index of the parameter that has these properties, -1 for the tool itself
	prefix string
	depth  int
}

// reservedSchemas is what each parameter of a call may look at, whatever those before it have used.
const reservedSchemas = maxSchemas / maxParameters

func (r *schemaReader) readParameters(schema rawjson.Value) {
	r.root, r.out, r.over, r.left, r.reserved = schema, r.out[:0], false, maxSchemas, 0
	r.objects = append(r.objects[:0], schemaObject{schema: schema, inside: -1, above: -1})
	clear(r.required)
	for i := 0; i < len(r.objects); i++ {
		r.readProperties(i)
	}
	if len(r.out) > 0 && r.out[0].kind == objectKind && !r.out[0].list && len(r.out) > 1 {
		only := true
		for _, p := range r.out[1:] {
			only = only && p.above >= 0
		}
		r.out[0].wrapper = only
	}
}

// addObject queues a schema, unless it is one of those that it stands in: a cycle says nothing new.
func (r *schemaReader) addObject(o schemaObject) {
	for i := o.inside; i >= 0; i = r.objects[i].inside {
		if r.objects[i].schema.Offset() == o.schema.Offset() {
			return
		}
	}
	if o.depth > maxNesting || len(r.objects) >= maxSchemas {
		r.over = r.over || holdsProperties(o.schema)
		return
	}
	r.objects = append(r.objects, o)
}

// holdsProperties reports whether leaving a schema out leaves parameters out.
func holdsProperties(s rawjson.Value) bool {
	for m := range s.Members() {
		switch memberName(m.Key) {
		case "properties", "$ref", "allOf", "anyOf", "oneOf":
			if m.Value.Kind() == rawjson.String || m.Value.Len() > 0 {
				return true
			}
		}
	}
	return false
}

// readProperties adds what the schema of an object lists, and queues what it is made of and what its properties hold.
func (r *schemaReader) readProperties(at int) {
	o := r.objects[at]
	required := o.schema.Get("required")
	first := len(r.out)
	r.held = r.held[:0]
	properties := o.schema.Get("properties")
	r.reserved = 0
	if o.above < 0 {
		r.reserved = reservedSchemas * min(properties.Len(), maxParameters-min(first, maxParameters))
	}
	for m := range properties.Members() {
		if len(r.out) >= maxParameters {
			r.over = true
			break
		}
		p := parameter{above: o.above, prefix: o.prefix, key: m.Key, name: m.Key.Text(), depth: o.depth}
		if o.depth <= 1 {
			p.must = r.listContains(required, m.Key.Raw())
		}
		r.reserved = max(r.reserved-reservedSchemas, 0)
		r.following = r.following[:0]
		r.readSchema(&p, m.Value, 0)
		r.out = append(r.out, p)
	}
	r.reserved = 0
	r.addParts(at)
	for _, h := range r.held {
		if p := &r.out[h.parameter]; p.kind == objectKind || p.list {
			join := "."
			if p.list {
				join = "[]."
			}
			r.addObject(schemaObject{h.schema, at, h.parameter, join, o.depth + 1})
		}
	}
}

// addParts queues the schemas that an object is made of. Those of the tool itself come before what any parameter holds.
func (r *schemaReader) addParts(at int) {
	o := r.objects[at]
	part := func(s rawjson.Value) {
		if to := r.resolveRef(s); to.Exists() {
			r.addObject(schemaObject{to, at, o.above, o.prefix, o.depth})
		}
	}
	if o.above < 0 && o.schema.Get("$ref").Exists() {
		part(o.schema)
	}
	if o.above >= 0 {
		return // what a parameter is made of was followed for it
	}
	for _, of := range [...]string{"allOf", "anyOf", "oneOf"} {
		for _, s := range o.schema.Get(of).Elements() {
			part(s)
		}
	}
}

// shortList is how many strings are compared one by one.
const shortList = 64

// listContains reports whether a list of strings holds one, both as they are written. A long list is read once.
func (r *schemaReader) listContains(of rawjson.Value, raw string) bool {
	names, known := r.required[of.Offset()]
	if known {
		return names[raw]
	}
	left := shortList
	for _, v := range of.Elements() {
		if v.Raw() == raw {
			return true
		}
		if left--; left < 0 {
			break
		}
	}
	if left >= 0 {
		return false
	}
	names = map[string]bool{}
	for _, v := range of.Elements() {
		names[v.Raw()] = true
	}
	if r.required == nil {
		r.required = map[int]map[string]bool{}
	}
	r.required[of.Offset()] = names
	return names[raw]
}

// readSchema fills in what a schema says, through references, alternatives and lists.
func (r *schemaReader) readSchema(p *parameter, s rawjson.Value, steps int) {
	if slices.Contains(r.following, s.Offset()) {
		return // a cycle says nothing new
	}
	if r.left--; steps > maxFollowed || r.left < r.reserved {
		r.left, r.over = max(r.left, r.reserved), true
		return
	}
	r.following = append(r.following, s.Offset())
	defer func() { r.following = r.following[:len(r.following)-1] }()
	var ref, items rawjson.Value
	holds := false
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
		case "items":
			items = m.Value
		case "properties":
			for range m.Value.Members() {
				holds = true
				break
			}
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
	if holds {
		r.held = append(r.held, heldObject{len(r.out), s})
	}
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
	k, text, flag := anyKind, false, false
	for _, e := range t.Elements() { // ["string", "null"]
		one := schemaKind(e)
		text, flag = text || one == stringKind, flag || one == boolKind
		k = max(k, one)
	}
	switch {
	case flag && k != objectKind: // ["boolean", "string"] takes "true", too
		return boolKind
	case text:
		return stringKind
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
