package typescript

import (
	"slices"
	"strings"

	"gauntlet/internal/leaf/ir"
	"gauntlet/internal/leaf/syntax"
)

// hidden is the name under which a class body knows its class, also one without a name.
const hidden = "\x00class"

func (l *lowerer) newClass(n syntax.Node) (*ir.Class, *lowerer) {
	c := &ir.Class{Name: l.t.Text(l.t.Field(n, "name")), Methods: map[string]*ir.Func{}, Fields: map[string][]*ir.Expr{}, Start: l.t.Start(n)}
	c.Scope = ir.NewScope(l.scope)
	c.Scope.Class = c
	c.Scope.Bind(hidden, &ir.Binding{Class: c})
	self := &ir.Expr{Kind: ir.Type, Scope: c.Scope, X: &ir.Expr{Kind: ir.Name, Text: hidden, Scope: c.Scope}}
	c.Scope.Bind("this", &ir.Binding{Value: self})
	inner := *l
	inner.scope, inner.class = c.Scope, c
	l.prog.Classes = append(l.prog.Classes, c)
	return c, &inner
}

func (l *lowerer) lowerClass(n syntax.Node) *ir.Class {
	c, inner := l.newClass(n)
	if c.Name != "" {
		l.scope.Bind(c.Name, &ir.Binding{Class: c})
	}
	for h := l.t.First(n); h != syntax.None; h = l.t.Next(h) {
		if l.t.Kind(h) == "class_heritage" {
			l.lowerHeritage(c, h)
		}
	}
	var decorators []*ir.Expr
	for m := l.t.First(l.t.Field(n, "body")); m != syntax.None; m = l.t.Next(m) {
		if l.t.Kind(m) == "decorator" {
			decorators = append(decorators, l.lowerExpr(l.t.First(m)))
			continue
		}
		inner.lowerClassMember(c, m, decorators)
		decorators = nil
	}
	return c
}

func (l *lowerer) lowerHeritage(c *ir.Class, h syntax.Node) {
	for b := l.t.First(h); b != syntax.None; b = l.t.Next(b) {
		switch l.t.Kind(b) {
		case "extends_clause":
			if v := l.t.Field(b, "value"); v != syntax.None {
				c.Bases = append(c.Bases, l.lowerExpr(v))
			}
		case "implements_clause":
		default:
			c.Bases = append(c.Bases, l.lowerExpr(b))
		}
	}
}

func (l *lowerer) lowerClassMember(c *ir.Class, m syntax.Node, decorators []*ir.Expr) {
	switch l.t.Kind(m) {
	case "method_definition", "method_signature", "abstract_method_signature":
		name := l.propertyKey(l.t.Field(m, "name"))
		f := l.lowerFunction(m, c)
		f.Name, f.Decorators = name, decorators
		f.Getter = l.isGetter(m)
		if old := c.Methods[name]; old == nil || old.Abstract {
			c.Methods[name] = f
		}
	case "field_definition", "public_field_definition", "property_signature":
		nameNode := l.t.Field(m, "property")
		if nameNode == syntax.None {
			nameNode = l.t.Field(m, "name")
		}
		name := l.propertyKey(nameNode)
		if t := l.lowerType(l.t.Field(m, "type")); t != nil {
			c.Fields[name] = append(c.Fields[name], t)
		}
		if v := l.lowerExpr(l.t.Field(m, "value")); v != nil {
			if v.Func != nil {
				v.Func.Name = name
				// A field that holds a function is a method in all but form.
				if c.Methods[name] == nil && v.Kind == ir.Function {
					v.Func.Class = c
				}
			}
			c.Fields[name] = append(c.Fields[name], v)
		}
	case "class_static_block":
		l.lowerBlock(l.t.Field(m, "body"))
	}
}

// isGetter reports whether a method is read like a field: its text begins with get.
func (l *lowerer) isGetter(m syntax.Node) bool {
	head := string(l.t.Source[l.t.Start(m):l.t.Start(l.t.Field(m, "name"))])
	return slices.Contains(strings.Fields(head), "get")
}

func (l *lowerer) lowerInterface(n syntax.Node) {
	c, inner := l.newClass(n)
	l.scope.Bind(c.Name, &ir.Binding{Class: c})
	for m := l.t.First(l.t.Field(n, "body")); m != syntax.None; m = l.t.Next(m) {
		inner.lowerClassMember(c, m, nil)
	}
}

func (l *lowerer) lowerEnum(n syntax.Node) {
	o := &ir.Expr{Kind: ir.Object, Scope: l.scope, Start: l.t.Start(n), End: l.t.End(n)}
	for m := l.t.First(l.t.Field(n, "body")); m != syntax.None; m = l.t.Next(m) {
		if l.t.Kind(m) == "enum_assignment" {
			o.Args = append(o.Args, ir.Arg{Name: l.propertyKey(l.t.Field(m, "name")), Value: l.lowerExpr(l.t.Field(m, "value"))})
		}
	}
	l.scope.Bind(l.t.Text(l.t.Field(n, "name")), &ir.Binding{Value: o})
}

// lowerType reads a type: what is named in it, through unions and what wraps a value.
func (l *lowerer) lowerType(n syntax.Node) *ir.Expr {
	x := l.lowerNamedType(n, 0)
	if x == nil {
		return nil
	}
	return &ir.Expr{Kind: ir.Type, X: x, Scope: l.scope, Start: l.t.Start(n), End: l.t.End(n)}
}

func (l *lowerer) lowerNamedType(n syntax.Node, depth int) *ir.Expr {
	if depth > 20 {
		return nil
	}
	x := &ir.Expr{Scope: l.scope, Start: l.t.Start(n), End: l.t.End(n)}
	switch l.t.Kind(n) {
	case "type_annotation", "parenthesized_type", "readonly_type":
		return l.lowerNamedType(l.t.First(n), depth+1)
	case "type_identifier", "identifier":
		x.Kind, x.Text = ir.Name, l.t.Text(n)
		return x
	case "nested_type_identifier":
		x.Kind, x.Text = ir.Attr, l.t.Text(l.t.Field(n, "name"))
		if x.X = l.lowerNamedType(l.t.Field(n, "module"), depth+1); x.X == nil {
			return nil
		}
		return x
	case "generic_type":
		name := l.t.Field(n, "name")
		switch l.t.Text(name) {
		case "Promise", "Readonly", "Partial", "Required", "Awaited", "NonNullable":
			return l.lowerNamedType(l.t.First(l.t.Field(n, "type_arguments")), depth+1)
		}
		return l.lowerNamedType(name, depth+1)
	case "union_type", "intersection_type":
		x.Kind = ir.Either
		for c := l.t.First(n); c != syntax.None; c = l.t.Next(c) {
			if t := l.lowerNamedType(c, depth+1); t != nil {
				x.Args = append(x.Args, ir.Arg{Value: t})
			}
		}
		if len(x.Args) > 0 {
			return x
		}
	}
	return nil
}
