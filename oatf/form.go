package oatf

import (
	"slices"
	"strings"

	"gauntlet/rawjson"
)

// A form says what a value must look like for the model to hold it, and reports what does
// not fit. It knows types and closed words; what a document means is for the rules.
type form func(r *report, v rawjson.Value)

// A shape is a mapping with known fields, in the order of the specification.
type shape struct {
	name       string // with its article, for messages
	fields     []field
	extensions bool // x-* may stand beside them (§10.3)
}

// A field is one key of a shape.
type field struct {
	name     string
	form     form
	required bool
	rule     string // of a field that is missing; "" is a type mismatch (SDK §3.1)
	null     bool   // null is a value here; else it stands for absent
}

func (s *shape) field(name string) *field {
	for i := range s.fields {
		if s.fields[i].name == name {
			return &s.fields[i]
		}
	}
	return nil
}

// advice says what to do about a field that the shape does not have.
func (s *shape) advice(name string) string {
	var names []string
	for _, f := range s.fields {
		names = append(names, f.name)
	}
	switch question := meant(name, names); {
	case question != "":
		return question
	case s.extensions:
		return ": a field of your own begins with x-"
	}
	return ": it has " + alternatives(names)
}

// object is the form of a mapping with the shape.
func object(s *shape) form {
	return func(r *report, v rawjson.Value) {
		if v.Kind() != rawjson.Object {
			r.mismatch("", v, "", "want %s, which is a mapping, and not %s", s.name, article(v))
			return
		}
		for m := range v.Members() {
			name := m.Key.Text()
			f := s.field(name)
			switch {
			case f == nil && strings.HasPrefix(name, "x-") && s.extensions:
			case f == nil && strings.HasPrefix(name, "x-"):
				r.atName(m, func() {
					r.mismatch("", m.Value, "", "%s takes no extensions: put %q on the attack, execution, actor, phase, action or indicator", s.name, clip(name))
				})
			case f == nil:
				r.atName(m, func() {
					r.mismatch("", m.Value, "", "unknown field %q in %s%s", clip(name), s.name, s.advice(name))
				})
			case m.Value.Kind() != rawjson.Null || f.null:
				f.form(r, m.Value)
			}
		}
		for _, f := range s.fields {
			if there := v.Get(f.name); f.required && (!there.Exists() || there.Kind() == rawjson.Null && !f.null) {
				r.mismatch(f.rule, v, f.name, "%s needs the field %q", s.name, f.name)
			}
		}
	}
}

// list is the form of a list with at least so many entries.
func list(least int, of form) form {
	return func(r *report, v rawjson.Value) {
		if v.Kind() != rawjson.Array {
			r.mismatch("", v, "", "want a list and not %s", article(v))
			return
		}
		if v.Len() < least {
			r.mismatch("", v, "", "the list is empty: give it an entry, or leave it out")
		}
		for _, e := range v.Elements() {
			of(r, e)
		}
	}
}

func text(r *report, v rawjson.Value) {
	if v.Kind() != rawjson.String {
		r.mismatch("", v, "", "want a string and not %s: put it in quotes", article(v))
	}
}

func integer(r *report, v rawjson.Value) {
	if _, ok := v.Int(); !ok {
		r.mismatch("", v, "", "want an integer and not %s", article(v))
	}
}

func number(r *report, v rawjson.Value) {
	if v.Kind() != rawjson.Number {
		r.mismatch("", v, "", "want a number and not %s", article(v))
	}
}

func boolean(r *report, v rawjson.Value) {
	if v.Kind() != rawjson.Bool {
		r.mismatch("", v, "", "want true or false and not %s", article(v))
	}
}

func mapping(r *report, v rawjson.Value) {
	if v.Kind() != rawjson.Object {
		r.mismatch("", v, "", "want a mapping and not %s", article(v))
	}
}

// anything is passed through.
func anything(*report, rawjson.Value) {}

// word is the form of a string from a closed list.
func word[T ~string](of ...T) form {
	words := make([]string, len(of))
	for i, w := range of {
		words[i] = string(w)
	}
	return func(r *report, v rawjson.Value) {
		switch {
		case v.Kind() != rawjson.String:
			r.mismatch("", v, "", "want %s and not %s", alternatives(words), article(v))
		case !slices.Contains(words, v.Text()):
			r.variant(v, "", words)
		}
	}
}

// article names a value's kind for a message.
func article(v rawjson.Value) string {
	switch v.Kind() {
	case rawjson.Object:
		return "a mapping"
	case rawjson.Array:
		return "a list"
	case rawjson.Null:
		return "nothing"
	case rawjson.Number, rawjson.Bool:
		return v.Kind().String() + " " + clip(v.Raw())
	}
	return "a " + v.Kind().String()
}
