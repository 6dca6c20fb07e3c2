package declared

import (
	"bytes"
	"slices"
	"strings"
)

// An object is a JSON object with the order of the source.
type object []member

type member struct {
	name  string
	value any // an object, a list, a string, a json.RawMessage
}

// get returns a member, nil for none.
func (o object) get(name string) any {
	for _, m := range o {
		if m.name == name {
			return m.value
		}
	}
	return nil
}

// properties and required are those members of the schema of an object.
func (o object) properties() object {
	out, _ := o.get("properties").(object)
	return out
}

func (o object) required() []string {
	out, _ := o.get("required").([]string)
	return out
}

func (o object) with(name string, value any) object {
	i := slices.IndexFunc(o, func(m member) bool { return m.name == name })
	if i < 0 {
		return append(slices.Clip(o), member{name, value})
	}
	out := slices.Clone(o)
	out[i].value = value
	return out
}

// MarshalJSON writes the members in their order.
func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(encode(m.name))
		b.WriteByte(':')
		b.Write(encode(m.value))
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// A schema is what was read of one: as JSON Schema, nil where nothing is known of it, and what it leaves to choose.
type schema struct {
	json     object
	optional bool // the caller need not give it
	Bound
}

func typed(name string) object { return object{{"type", name}} }

func shaped(properties object, required []string) object {
	out := object{{"type", "object"}, {"properties", properties}}
	if len(required) > 0 {
		out = append(out, member{"required", required})
	}
	return out
}

// noMembers is the schema of an object without members.
func noMembers() schema { return schema{json: shaped(object{}, nil)} }

// addMember adds a member to the schema of an object, in place of one of that name.
func (s *schema) addMember(name string, m schema) {
	required := slices.DeleteFunc(slices.Clone(s.json.required()), func(n string) bool { return n == name })
	if !m.optional {
		required = append(required, name)
	}
	if s.Members == nil {
		s.Members = map[string]*Bound{}
	}
	s.json, s.Members[name] = shaped(s.json.properties().with(name, m.json), required), &m.Bound
}

// addMembers adds the members that the schema of another object has.
func (s *schema) addMembers(more schema) {
	for _, p := range more.json.properties() {
		m := schema{optional: !slices.Contains(more.json.required(), p.name)}
		m.json, _ = p.value.(object)
		if b := more.Members[p.name]; b != nil {
			m.Bound = *b
		}
		s.addMember(p.name, m)
	}
}

// lowerFirst writes the names of members as JSON has them: Go's ReadOnlyHint is readOnlyHint.
func lowerFirst(o object) object {
	out := make(object, len(o))
	for i, m := range o {
		out[i] = member{lowerFirstLetter(m.name), m.value}
	}
	return out
}

func lowerFirstLetter(name string) string {
	if name == "" {
		return ""
	}
	return strings.ToLower(name[:1]) + name[1:]
}

// joined returns the object with the members of another one set.
func (o object) joined(more object) object {
	for _, m := range more {
		o = o.with(m.name, m.value)
	}
	return o
}

func (o object) names() (out []string) {
	for _, m := range o {
		out = append(out, m.name)
	}
	return out
}
