package attack

import (
	"fmt"
	"slices"
	"strings"

	"gauntlet/oatf/match"
	"gauntlet/rawjson"
)

// maxExpansion bounds the expanded templates of one message, in bytes. A document may refer to a request a hundred thousand times,
// and the peer chooses its length.
const maxExpansion = 64 << 20

// An Expander expands the templates of one message.
type Expander struct {
	Scope   match.Scope
	Missing []string // unresolved references (W-004)
	grown   int      // bytes expanded so far
}

// ExpandValue returns v as JSON with its strings expanded; numbers and white space are unchanged.
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

// ExpandText expands a single string.
func (x *Expander) ExpandText(s string) (string, error) {
	t, err := match.ParseTemplate(s)
	if err != nil {
		return s, nil // not a template: unbalanced braces
	}
	if err := x.checkRoom(len(t.References())); err != nil {
		return "", err
	}
	out, missing := t.Expand(x.Scope)
	x.grown += len(out)
	x.addMissing(missing)
	return out, nil
}

// checkRoom fails if n more template expansions could exceed the limit.
func (x *Expander) checkRoom(n int) error {
	if n > (maxExpansion-x.grown)/(1+x.longestValue()) {
		return fmt.Errorf("its expanded templates may exceed %d bytes in total", maxExpansion)
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

func (x *Expander) longestValue() int {
	n := max(len(x.Scope.Request.Raw()), len(x.Scope.Response.Raw()))
	for _, v := range x.Scope.Captures {
		n = max(n, len(v))
	}
	return n
}

// HasTemplate reports whether a string in v contains a template or an escaped brace.
func HasTemplate(v rawjson.Value) bool {
	for t := range v.Strings() {
		if !t.IsKey && strings.Contains(t.Value.Text(), "{{") {
			return true
		}
	}
	return false
}

// An ObjectWriter writes the members of a JSON object with values expanded. The first error sticks.
type ObjectWriter struct {
	x   *Expander
	b   []byte
	err error
}

func NewObjectWriter(x *Expander) *ObjectWriter { return &ObjectWriter{x: x, b: []byte{'{'}} }

// AddRaw writes a member from JSON texts.
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

// CopyMembers writes the members of v except skip, in order.
func (o *ObjectWriter) CopyMembers(v rawjson.Value, skip ...string) {
	for m := range v.Members() {
		if !slices.Contains(skip, m.Key.Text()) {
			o.AddExpanded(m.Key.Raw(), m.Value)
		}
	}
}

func (o *ObjectWriter) CloseObject() (string, error) { return string(append(o.b, '}')), o.err }

// Member returns a member of v, absent if it is null: a document may write null for what it omits.
func Member(v rawjson.Value, name string) rawjson.Value {
	if m := v.Get(name); m.Kind() != rawjson.Null {
		return m
	}
	return rawjson.Value{}
}
