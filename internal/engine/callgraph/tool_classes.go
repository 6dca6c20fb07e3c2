package callgraph

import (
	"maps"
	"slices"

	"gauntlet/internal/leaf/ir"
)

// handlerOf returns the method by which a class answers calls, its own or an inherited one, or nil.
func (rg *registrar) handlerOf(c *ir.Class) *ir.Func {
	for _, up := range rg.Lineage(c, 0) {
		for _, name := range slices.Sorted(maps.Keys(up.Methods)) {
			if m := up.Methods[name]; rg.conv.Handlers[name] && !m.Abstract {
				return m
			}
		}
	}
	return nil
}

// namers are the fields and methods by which a class says which tool it is.
var namers = []string{"name", "get_name", "getName", "tool_name", "toolName"}

// countToolClasses returns how many classes are tools, wherever they are registered: a class names itself and says what it does, by
// fields or methods, and answers calls. A class without a name, from which such classes are derived, is none.
func (rg *registrar) countToolClasses() int {
	n := 0
	for _, c := range rg.prog.Classes {
		if declares(c, namers) && declares(c, describers) && rg.handlerOf(c) != nil {
			n++
		}
	}
	return n
}

// declares reports whether a class has a field or a method with a body that is called as one of names.
func declares(c *ir.Class, names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		m := c.Methods[name]
		return len(c.Fields[name]) > 0 || m != nil && !m.Abstract
	})
}

// namesOf returns the names of the tool that a class is, by a field, by what a method answers, or by what it passes to the constructor of a base that
// is a tool's: name = "x", getName() { return "x" }, super().__init__("x").
func (rg *registrar) namesOf(c *ir.Class) (out []string) {
	for _, name := range namers {
		for _, e := range c.Fields[name] {
			out = append(out, rg.constants(e, nil)...)
		}
	}
	if len(out) > 0 {
		return out
	}
	if out = rg.nameFromSuperCall(c); len(out) > 0 {
		return out
	}
	for _, name := range namers {
		if m := c.Methods[name]; m != nil && !m.Abstract {
			for i := range m.Body {
				if s := &m.Body[i]; s.Step == ir.Return && !s.Throws {
					out = append(out, rg.constants(s.X, nil)...)
				}
			}
		}
	}
	return out
}
