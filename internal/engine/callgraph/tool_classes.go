package callgraph

import (
	"maps"
	"slices"

	"gauntlet/internal/leaf/ir"
)

// handlerOf returns the method by which a class answers calls, its own or an inherited one, or nil.
func (rg *registrar) handlerOf(c *ir.Class) *ir.Func {
	for _, up := range rg.lineage(c, 0) {
		for _, name := range slices.Sorted(maps.Keys(up.Methods)) {
			if m := up.Methods[name]; rg.conv.Handlers[name] && !m.Abstract {
				return m
			}
		}
	}
	return nil
}

// namers and describings are the methods by which a class says which tool it is, and what that does.
var (
	namers      = []string{"name", "get_name", "getName", "tool_name", "toolName"}
	describings = []string{"get_description", "getDescription", "get_input_schema", "getInputSchema", "get_schema", "getSchema"}
)

// countToolClasses returns how many classes are tools, wherever they are registered: a class names itself and says what it does, by
// fields or methods, and answers calls. A class without a name, from which such classes are derived, is none.
func (rg *registrar) countToolClasses() int {
	n := 0
	for _, c := range rg.prog.Classes {
		if declares(c, namers) && (declares(c, describers) || declares(c, describings)) && rg.handlerOf(c) != nil {
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

// namesReturned returns the names that the methods of a class answer by which it says which tool it is: getName() { return "x" }.
func (rg *registrar) namesReturned(c *ir.Class) (out []string) {
	for _, name := range namers {
		if m := c.Methods[name]; m != nil && !m.Abstract {
			for i := range m.Body {
				if s := &m.Body[i]; s.Step == ir.Return && s.X != nil && !s.Throws {
					if name, ok := rg.Constant(s.X, nil); ok {
						out = append(out, name)
					}
				}
			}
		}
	}
	return out
}
