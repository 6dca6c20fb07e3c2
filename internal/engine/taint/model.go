package taint

import (
	"maps"
	"slices"
	"strings"

	"gauntlet/internal/engine/callgraph"
	"gauntlet/internal/leaf/ir"
)

// What Python's SDKs refuse before a handler runs, and pydantic before a model is made, bounds values like the schemas of zod: numbers,
// words of a list, texts that match a pattern, what a validator lets through.

// boundedTypes are types that hold no text of the caller's choosing.
var boundedTypes = names("int float bool Literal datetime date UUID Decimal PositiveInt NonNegativeInt IPvAnyAddress IPv4Address IPv6Address")

// around are types that hold what their first argument says.
var around = names("Optional Annotated Union list List Sequence set tuple Tuple Mapped")

const maxAnnotation = 8

// annotated returns what an annotation as it is written says of a value.
func (a *analyzer) annotated(x *ir.Expr, depth int) (b bound) {
	if x == nil || depth > maxAnnotation {
		return b
	}
	switch {
	case x.Kind == ir.Name || x.Kind == ir.Attr:
		b.gone = boundedTypes[x.Text]
		for _, v := range a.g.Values(x, callgraph.Context{}) {
			b.gone = b.gone || v.Class != nil && slices.ContainsFunc(v.Class.Bases, func(e *ir.Expr) bool { return strings.HasSuffix(e.Text, "Enum") })
		}
	case x.Kind == ir.Index && x.X != nil && x.X.Text == "Literal":
		b.gone = true
	case x.Kind == ir.Index && x.X != nil && around[x.X.Text] && len(x.Args) > 0:
		args := x.Args
		if in := args[0].Value; len(args) == 1 && in != nil && in.Kind == ir.Other && in.Text == "" && len(in.Args) > 0 { // what stands between the brackets
			args = in.Args
		}
		if x.X.Text == "Union" {
			return a.anyOf(args, depth)
		}
		b = a.annotated(args[0].Value, depth+1)
		for _, more := range args[1:] {
			b.facts |= a.annotated(more.Value, depth+1).facts
		}
	case x.Kind == ir.Other && x.Text == "" || x.Kind == ir.Either: // int | None
		return a.anyOf(x.Args, depth)
	case x.Kind == ir.Call: // Field(pattern=…), constr(pattern=…)
		for _, arg := range x.Args {
			if arg.Name == "pattern" || arg.Name == "regex" {
				if text, ok := a.g.Constant(arg.Value, callgraph.Context{}); ok {
					b.facts |= a.patternFacts(text, false).match
				}
			}
		}
	}
	return b
}

// anyOf is one of several types, of which None says nothing.
func (a *analyzer) anyOf(types []ir.Arg, depth int) (b bound) {
	for _, t := range types {
		if t.Value == nil || isNothing(t.Value) {
			continue
		}
		if !a.annotated(t.Value, depth+1).gone {
			return bound{}
		}
		b.gone = true
	}
	return b
}

// modelled is a value that a model of pydantic has accepted.
func (a *analyzer) modelled(v *value, class *ir.Class) *value {
	if !slices.ContainsFunc(class.Bases, func(b *ir.Expr) bool { return strings.HasSuffix(b.Text, "Model") }) {
		return v
	}
	for _, f := range class.Noted {
		if f.Name == "" {
			continue
		}
		b := a.annotated(f.Type, 0)
		if f.Value != nil && f.Value.Kind == ir.Call {
			b.facts |= a.annotated(f.Value, 0).facts
		}
		v = v.limited(f.Name, b)
	}
	for _, name := range slices.Sorted(maps.Keys(class.Methods)) {
		m := class.Methods[name]
		for _, field := range validatedFields(m) {
			ends := a.summarize(m, callgraph.Context{}).returned()
			v = v.limited(field, bound{gone: ends.gone[source{}], facts: ends.facts[source{}] & refusals})
		}
	}
	return v
}

// limited returns a value whose member a model has bounded.
func (v *value) limited(name string, b bound) *value {
	switch {
	case b.gone:
		return v.with(name, nothing)
	case b.facts != 0:
		return v.with(name, v.member(name).adding(b.facts))
	}
	return v
}

// validatedFields returns the fields that a method of a model validates: @field_validator("host").
func validatedFields(m *ir.Func) (fields []string) {
	for _, d := range m.Decorators {
		if d.Kind != ir.Call || d.X == nil || d.X.Text != "field_validator" && d.X.Text != "validator" {
			continue
		}
		for _, arg := range d.Args {
			if arg.Name == "" && arg.Value != nil && arg.Value.Kind == ir.String {
				fields = append(fields, arg.Value.Text)
			}
		}
	}
	return fields
}
