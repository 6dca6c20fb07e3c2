package declared

import (
	"encoding/json"
	"slices"
	"strings"

	"gauntlet/internal/engine/callgraph"
	"gauntlet/internal/leaf/ir"
)

// written returns what an expression stands for, as it is written, and where that is read: an object, a list, a call.
func (r *Reader) written(x *ir.Expr, c callgraph.Context) (*ir.Expr, callgraph.Context) {
	switch x.Kind {
	case ir.Object, ir.List, ir.New, ir.String, ir.Literal, ir.Template, ir.Index:
		return x, c
	case ir.Call:
		return r.made(x, c)
	}
	if d, in := r.g.Written(x, c); d != nil {
		return d, in
	}
	if d := r.g.Definition(x); d != x {
		if d.Kind == ir.Call {
			return r.made(d, c)
		}
		return d, c
	}
	return x, c
}

// made looks through calls that hand over what they are given, or what a function of the program returns.
func (r *Reader) made(x *ir.Expr, c callgraph.Context) (*ir.Expr, callgraph.Context) {
	if x.X == nil || r.isSchemaMaker(x) || !r.spend(0) {
		return x, c
	}
	if d, in := r.g.Written(x, c); d.Is(ir.Object, ir.List) {
		return d, in
	}
	for _, callee := range r.g.Callees(x, c) {
		if callee.Func == nil || callee.Made || callee.Guess || len(callee.Func.Body) == 0 {
			continue
		}
		last := callee.Func.Body[len(callee.Func.Body)-1]
		if last.Step == ir.Return && last.X != nil && last.X != x {
			return last.X, callee.Context
		}
	}
	return x, c
}

// plain reads a value that is written as data: JSON Schema, annotations. ok is false where a part of it is not known.
func (r *Reader) plain(x *ir.Expr, c callgraph.Context, depth int) (v any, ok bool) {
	if x == nil || !r.spend(depth) {
		return nil, false
	}
	if v, ok := scalar(x); ok {
		return v, true
	}
	if text, ok := r.g.Constant(x, c); ok {
		return text, true
	}
	switch d, in := r.written(x, c); d.Kind {
	case ir.Object, ir.New:
		return r.plainObject(d, in, depth)
	case ir.List:
		return r.plainList(d, in, depth)
	case ir.Literal:
		return scalar(d)
	case ir.Call:
		if len(d.Args) > 0 && !slices.ContainsFunc(d.Args, func(a ir.Arg) bool { return a.Name == "" }) { // ToolAnnotations(readOnlyHint=True)
			return r.plainObject(d, in, depth)
		}
		// jsonschema.Ptr(true), Object.freeze({ … })
		if len(d.Args) == 1 && !r.isSchemaMaker(d) && d != x || len(d.Args) == 1 && passesOn[d.Calls()] {
			return r.plain(d.Args[0].Value, in, depth+1)
		}
	case ir.Other:
		if d.Text == "&" && len(d.Args) == 1 {
			return r.plain(d.Args[0].Value, in, depth+1)
		}
	}
	return nil, false
}

// passesOn are functions that return what they are given.
var passesOn = map[string]bool{"freeze": true, "Ptr": true, "ToBoolPtr": true, "BoolPtr": true, "ToPtr": true, "of": true, "dict": true, "list": true}

func (r *Reader) plainObject(d *ir.Expr, c callgraph.Context, depth int) (object, bool) {
	out, whole := object{}, true
	for _, a := range d.Args {
		switch {
		case a.Value == nil:
		case a.Spread:
			v, ok := r.plain(a.Value, c, depth+1)
			o, isObject := v.(object)
			whole, out = whole && ok && isObject, out.joined(o)
		default:
			name, named := r.key(a, c)
			v, ok := r.plain(a.Value, c, depth+1)
			if whole = whole && ok && named; named && v != nil {
				out = out.with(name, v)
			}
		}
	}
	return out, whole
}

func (r *Reader) plainList(d *ir.Expr, c callgraph.Context, depth int) ([]any, bool) {
	out, whole := []any{}, true
	for _, a := range d.Args {
		v, ok := r.plain(a.Value, c, depth+1)
		whole = whole && ok
		if more, isList := v.([]any); a.Spread && isList {
			out = append(out, more...)
		} else if v != nil && !a.Spread {
			out = append(out, v)
		}
	}
	return out, whole
}

// scalar is a number, a boolean or null.
func scalar(x *ir.Expr) (any, bool) {
	if x.Kind != ir.Literal {
		return nil, false
	}
	switch text := strings.ReplaceAll(x.Text, "_", ""); text {
	case "true", "True":
		return true, true
	case "false", "False":
		return false, true
	case "null", "None", "nil":
		return json.RawMessage("null"), true
	default:
		if json.Valid([]byte(text)) {
			return json.RawMessage(text), true
		}
	}
	return nil, false
}
