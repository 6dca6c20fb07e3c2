package oatf

import (
	"slices"
	"strconv"
	"strings"

	"gauntlet/internal/leaf/excerpt"
	"gauntlet/rawjson"
)

// A form says what a value must look like to fit the model, and reports what does not. It knows types and closed lists;
// semantics are left to the rules. [Schema] is generated from the same forms.
type form struct {
	check    func(r *report, v rawjson.Value)
	keywords func(d definitions) string // of the JSON Schema, without braces
	doc      string                     // for editors, if the field has none
}

// checkedBy returns a form whose schema refers to no other.
func checkedBy(check func(*report, rawjson.Value), keywords string) form {
	return form{check: check, keywords: func(definitions) string { return keywords }}
}

// with adds schema keywords for what the rules, not the form, reject.
func (f form) with(keywords string) form {
	return form{f.check, func(d definitions) string { return joinMembers(f.keywords(d), keywords) }, f.doc}
}

func (f form) documented(doc string) form {
	f.doc = doc
	return f
}

// A shape is a mapping with known fields in the specification's order.
type shape struct {
	name       string // with article, for messages
	doc        string // for editors
	fields     []field
	extensions bool   // x-* are allowed (§10.3)
	also       string // JSON Schema members for rules about several fields
}

// A field is a key of a shape.
type field struct {
	name     string
	form     form
	doc      string // for editors; "" if the form says enough
	required bool
	rule     string // broken if the field is missing; "" is a type mismatch (SDK §3.1)
	null     bool   // null is a value, not the same as absent
}

func (s *shape) fieldNamed(name string) *field {
	for i := range s.fields {
		if s.fields[i].name == name {
			return &s.fields[i]
		}
	}
	return nil
}

// advice suggests a correction for an unknown field.
func (s *shape) advice(name string) string {
	var names []string
	for _, f := range s.fields {
		names = append(names, f.name)
	}
	switch question := meant(name, names); {
	case question != "":
		return question
	case s.extensions:
		return ": custom fields begin with x-"
	}
	return ": it has " + alternatives(names)
}

func objectForm(s *shape) form {
	return form{doc: s.doc, keywords: s.keywords, check: func(r *report, v rawjson.Value) {
		if v.Kind() != rawjson.Object {
			r.mismatch("", v, "", "want %s, which is a mapping, and not %s", s.name, articleFor(v))
			return
		}
		for m := range v.Members() {
			name := m.Key.Text()
			f := s.fieldNamed(name)
			switch {
			case f == nil && strings.HasPrefix(name, "x-") && s.extensions:
			case f == nil && strings.HasPrefix(name, "x-"):
				r.atName(m, func() {
					r.mismatch("", m.Value, "", "%s takes no extensions: put %q on the attack, execution, actor, phase, action or indicator", s.name, excerpt.Clip(name, mostQuoted))
				})
			case f == nil:
				r.atName(m, func() {
					r.mismatch("", m.Value, "", "unknown field %q in %s%s", excerpt.Clip(name, mostQuoted), s.name, s.advice(name))
				})
			case m.Value.Kind() != rawjson.Null || f.null:
				f.form.check(r, m.Value)
			}
		}
		for _, f := range s.fields {
			if there := v.Get(f.name); f.required && (!there.Exists() || there.Kind() == rawjson.Null && !f.null) {
				r.mismatch(f.rule, v, f.name, "%s needs the field %q", s.name, f.name)
			}
		}
	}}
}

func listForm(least int, of form) form {
	keywords := func(d definitions) string {
		return joinMembers(`"type":"array"`, `"items":{`+of.schema(d)+`}`, map[bool]string{true: `"minItems":` + strconv.Itoa(least)}[least > 0])
	}
	return form{keywords: keywords, check: func(r *report, v rawjson.Value) {
		if v.Kind() != rawjson.Array {
			r.mismatch("", v, "", "want a list and not %s", articleFor(v))
			return
		}
		if v.Len() < least {
			r.mismatch("", v, "", "the list is empty: add an entry, or omit it")
		}
		for _, e := range v.Elements() {
			of.check(r, e)
		}
	}}
}

// kindForm is a value of one JSON type. want is the type with its article.
func kindForm(kind rawjson.Kind, schema, want, advice string) form {
	return checkedBy(func(r *report, v rawjson.Value) {
		if v.Kind() != kind {
			r.mismatch("", v, "", "want %s and not %s%s", want, articleFor(v), advice)
		}
	}, schema)
}

var (
	textForm    = kindForm(rawjson.String, `"type":"string"`, "a string", ": put it in quotes")
	numberForm  = kindForm(rawjson.Number, `"type":"number"`, "a number", "")
	booleanForm = kindForm(rawjson.Bool, `"type":"boolean"`, "true or false", "")
	mappingForm = kindForm(rawjson.Object, `"type":"object"`, "a mapping", "")
	integerForm = checkedBy(func(r *report, v rawjson.Value) {
		if _, ok := v.Int(); !ok {
			r.mismatch("", v, "", "want an integer and not %s", articleFor(v))
		}
	}, `"type":"integer"`)
	anyForm = checkedBy(func(*report, rawjson.Value) {}, "") // passed through
)

// wordForm is a string from a closed list.
func wordForm[T ~string](of ...T) form {
	words := make([]string, len(of))
	for i, w := range of {
		words[i] = string(w)
	}
	return checkedBy(func(r *report, v rawjson.Value) {
		switch {
		case v.Kind() != rawjson.String:
			r.mismatch("", v, "", "want %s and not %s", alternatives(words), articleFor(v))
		case !slices.Contains(words, v.Text()):
			r.variant(v, words)
		}
	}, `"enum":`+quoteList(words))
}

// articleFor names the kind of a value for a message.
func articleFor(v rawjson.Value) string {
	switch v.Kind() {
	case rawjson.Object:
		return "a mapping"
	case rawjson.Array:
		return "a list"
	case rawjson.Null:
		return "nothing"
	case rawjson.Number, rawjson.Bool:
		return v.Kind().String() + " " + excerpt.Clip(v.Raw(), mostQuoted)
	}
	return "a " + v.Kind().String()
}
