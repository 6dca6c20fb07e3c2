package attack

import (
	"fmt"
	"slices"
	"strings"

	"gauntlet/oatf/match"
	"gauntlet/rawjson"
)

// maxExpansion bounds what the templates of one message may grow to, in bytes. A document
// may refer to a request a hundred thousand times, and the peer chooses how long that is.
const maxExpansion = 64 << 20

// An expander puts values into the templates of one message.
type expander struct {
	scope   match.Scope
	missing []string // references that meant nothing (W-004)
	grown   int      // bytes that templates became
}

// value returns v as JSON with the strings in it expanded, its digits and white space as
// they stand.
func (x *expander) value(v rawjson.Value) (string, error) {
	if !templated(v) {
		return v.Raw(), nil
	}
	if err := x.room(strings.Count(v.Raw(), "{{")); err != nil {
		return "", err
	}
	json, missing := match.ExpandValue(v, x.scope)
	x.grown += len(json)
	x.miss(missing)
	return json, nil
}

// text expands a string that is none of a value's.
func (x *expander) text(s string) (string, error) {
	t, err := match.ParseTemplate(s)
	if err != nil {
		return s, nil // it is no template: its braces do not close
	}
	if err := x.room(len(t.References())); err != nil {
		return "", err
	}
	out, missing := t.Expand(x.scope)
	x.grown += len(out)
	x.miss(missing)
	return out, nil
}

// room fails where n more templates may make the message longer than it may become.
func (x *expander) room(n int) error {
	if n > (maxExpansion-x.grown)/(1+x.longest()) {
		return fmt.Errorf("its templates may become longer than %d bytes together", maxExpansion)
	}
	return nil
}

func (x *expander) miss(names []string) {
	for _, name := range names {
		if !slices.Contains(x.missing, name) {
			x.missing = append(x.missing, name)
		}
	}
}

// longest is how much one reference can become at most.
func (x *expander) longest() int {
	n := max(len(x.scope.Request.Raw()), len(x.scope.Response.Raw()))
	for _, v := range x.scope.Captures {
		n = max(n, len(v))
	}
	return n
}

// templated reports whether any string in v is a template, or has an escape for braces.
func templated(v rawjson.Value) bool {
	for t := range v.Strings() {
		if !t.IsKey && strings.Contains(t.Value.Text(), "{{") {
			return true
		}
	}
	return false
}

// An object writes the members of a JSON object, values expanded. The first error sticks.
type object struct {
	x   *expander
	b   []byte
	err error
}

func newObject(x *expander) *object { return &object{x: x, b: []byte{'{'}} }

// raw writes a member whose name and value are JSON.
func (o *object) raw(key, value string) {
	if len(o.b) > 1 {
		o.b = append(o.b, ',')
	}
	o.b = append(append(append(o.b, key...), ':'), value...)
}

// value writes a member of a document.
func (o *object) value(key string, v rawjson.Value) {
	text, err := o.x.value(v)
	if err != nil && o.err == nil {
		o.err = err
	}
	o.raw(key, text)
}

// members writes those members of v whose names are not among skip, in their order.
func (o *object) members(v rawjson.Value, skip ...string) {
	for m := range v.Members() {
		if !slices.Contains(skip, m.Key.Text()) {
			o.value(m.Key.Raw(), m.Value)
		}
	}
}

func (o *object) end() (string, error) { return string(append(o.b, '}')), o.err }

// given returns a member of v, absent where it is null: a document may write null for what
// it leaves out.
func given(v rawjson.Value, name string) rawjson.Value {
	if m := v.Get(name); m.Kind() != rawjson.Null {
		return m
	}
	return rawjson.Value{}
}
