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

// An Expander puts values into the templates of one message.
type Expander struct {
	Scope   match.Scope
	Missing []string // references that meant nothing (W-004)
	grown   int      // bytes that templates became
}

// ExpandValue returns v as JSON with the strings in it expanded, its digits and white space as
// they stand.
func (x *Expander) ExpandValue(v rawjson.Value) (string, error) {
	if !HasTemplate(v) {
		return v.Raw(), nil
	}
	if err := x.checkRoom(strings.Count(v.Raw(), "{{")); err != nil {
		return "", err
	}
	json, missing := match.ExpandValue(v, x.Scope)
	x.grown += len(json)
	x.addMissing(missing)
	return json, nil
}

// ExpandText expands a string that is none of a value's.
func (x *Expander) ExpandText(s string) (string, error) {
	t, err := match.ParseTemplate(s)
	if err != nil {
		return s, nil // it is no template: its braces do not close
	}
	if err := x.checkRoom(len(t.References())); err != nil {
		return "", err
	}
	out, missing := t.Expand(x.Scope)
	x.grown += len(out)
	x.addMissing(missing)
	return out, nil
}

// checkRoom fails where n more templates may make the message longer than it may become.
func (x *Expander) checkRoom(n int) error {
	if n > (maxExpansion-x.grown)/(1+x.longestValue()) {
		return fmt.Errorf("its templates may become longer than %d bytes together", maxExpansion)
	}
	return nil
}

func (x *Expander) addMissing(names []string) {
	for _, name := range names {
		if !slices.Contains(x.Missing, name) {
			x.Missing = append(x.Missing, name)
		}
	}
}

// longestValue is how much one reference can become at most.
func (x *Expander) longestValue() int {
	n := max(len(x.Scope.Request.Raw()), len(x.Scope.Response.Raw()))
	for _, v := range x.Scope.Captures {
		n = max(n, len(v))
	}
	return n
}

// HasTemplate reports whether any string in v is a template, or has an escape for braces.
func HasTemplate(v rawjson.Value) bool {
	for t := range v.Strings() {
		if !t.IsKey && strings.Contains(t.Value.Text(), "{{") {
			return true
		}
	}
	return false
}

// An ObjectWriter writes the members of a JSON object, values expanded. The first error sticks.
type ObjectWriter struct {
	x   *Expander
	b   []byte
	err error
}

func NewObjectWriter(x *Expander) *ObjectWriter { return &ObjectWriter{x: x, b: []byte{'{'}} }

// AddRaw writes a member whose name and value are JSON.
func (o *ObjectWriter) AddRaw(key, value string) {
	if len(o.b) > 1 {
		o.b = append(o.b, ',')
	}
	o.b = append(append(append(o.b, key...), ':'), value...)
}

// AddExpanded writes a member of a document.
func (o *ObjectWriter) AddExpanded(key string, v rawjson.Value) {
	text, err := o.x.ExpandValue(v)
	if err != nil && o.err == nil {
		o.err = err
	}
	o.AddRaw(key, text)
}

// CopyMembers writes those members of v whose names are not among skip, in their order.
func (o *ObjectWriter) CopyMembers(v rawjson.Value, skip ...string) {
	for m := range v.Members() {
		if !slices.Contains(skip, m.Key.Text()) {
			o.AddExpanded(m.Key.Raw(), m.Value)
		}
	}
}

func (o *ObjectWriter) CloseObject() (string, error) { return string(append(o.b, '}')), o.err }

// Member returns a member of v, absent where it is null: a document may write null for what
// it leaves out.
func Member(v rawjson.Value, name string) rawjson.Value {
	if m := v.Get(name); m.Kind() != rawjson.Null {
		return m
	}
	return rawjson.Value{}
}
