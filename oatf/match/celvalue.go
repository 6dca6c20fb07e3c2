package match

import (
	"errors"
	"reflect"
	"strconv"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"

	"gauntlet/rawjson"
)

// An activation resolves the names of an expression. Values are converted to CEL lazily: most expressions use a few
// members of a large message.
type activation struct {
	bindings []Binding
	lists    map[rawjson.Value]ref.Val // converted arrays, for nested loops
}

// ResolveName implements cel.Activation.
func (a *activation) ResolveName(name string) (any, bool) {
	for i := range a.bindings {
		if a.bindings[i].Name == name {
			return a.celValue(a.bindings[i].Value), true
		}
	}
	return nil, false
}

// Parent implements cel.Activation.
func (a *activation) Parent() cel.Activation { return nil }

func (a *activation) celValue(v rawjson.Value) ref.Val {
	switch v.Kind() {
	case rawjson.Bool:
		b, _ := v.Bool()
		return types.Bool(b)
	case rawjson.Number:
		if n, ok := v.Int(); ok {
			return types.Int(n)
		}
		f, _ := strconv.ParseFloat(v.Raw(), 64) // out of range is an infinity
		return types.Double(f)
	case rawjson.String:
		return types.String(v.Text())
	case rawjson.Array:
		return a.celList(v)
	case rawjson.Object:
		return object{v, a}
	}
	return types.NullValue
}

func (a *activation) celList(v rawjson.Value) ref.Val {
	if l, ok := a.lists[v]; ok {
		return l
	}
	elements := make([]ref.Val, 0, v.Len())
	for _, e := range v.Elements() {
		elements = append(elements, a.celValue(e))
	}
	l := types.NewRefValList(types.DefaultTypeAdapter, elements)
	if a.lists == nil {
		a.lists = map[rawjson.Value]ref.Val{}
	}
	a.lists[v] = l
	return l
}

// An object is a JSON object as a CEL map, in the order received.
type object struct {
	v rawjson.Value
	a *activation
}

var _ traits.Mapper = object{}

// Find returns the member with this name. Only strings are names.
func (o object) Find(key ref.Val) (ref.Val, bool) {
	name, ok := key.(types.String)
	if !ok {
		return nil, false
	}
	v := o.v.Get(string(name))
	if !v.Exists() {
		return nil, false
	}
	return o.a.celValue(v), true
}

func (o object) Get(key ref.Val) ref.Val {
	v, ok := o.Find(key)
	if !ok {
		return types.NewErr("no such key: %v", key)
	}
	return v
}

func (o object) Contains(key ref.Val) ref.Val {
	_, ok := o.Find(key)
	return types.Bool(ok)
}

// Size counts a duplicate name once.
func (o object) Size() ref.Val { return types.Int(len(o.memberNames())) }

func (o object) Iterator() traits.Iterator {
	return types.NewStringList(types.DefaultTypeAdapter, o.memberNames()).Iterator()
}

func (o object) memberNames() []string {
	n := o.v.Len()
	out := make([]string, 0, n)
	seen := make(map[string]bool, n)
	for m := range o.v.Members() {
		if name := m.Key.Text(); !seen[name] {
			seen[name] = true
			out = append(out, name)
		}
	}
	return out
}

func (o object) Equal(other ref.Val) ref.Val {
	m, ok := other.(traits.Mapper)
	if !ok {
		return types.False
	}
	if p, ok := other.(object); ok {
		return types.Bool(rawjson.Equal(o.v, p.v))
	}
	names := o.memberNames()
	if m.Size() != types.Int(len(names)) {
		return types.False
	}
	for _, name := range names {
		theirs, found := m.Find(types.String(name))
		if !found || types.Equal(o.Get(types.String(name)), theirs) != types.True {
			return types.False
		}
	}
	return types.True
}

func (o object) Type() ref.Type { return types.MapType }

func (o object) Value() any { return o.v }

// IsZeroValue implements traits.Zeroer.
func (o object) IsZeroValue() bool { return o.v.Len() == 0 }

func (o object) ConvertToType(t ref.Type) ref.Val {
	switch t {
	case types.MapType:
		return o
	case types.TypeType:
		return types.MapType
	}
	return types.NewErr("type conversion error from '%s' to '%s'", types.MapType, t)
}

func (o object) ConvertToNative(t reflect.Type) (any, error) {
	return nil, errors.New("a JSON object is not converted to " + t.String())
}
