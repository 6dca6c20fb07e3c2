package callgraph

import "gauntlet/internal/leaf/ir"

// A method of something unknown may be that of any class of its name. A class of a program that no import connects with the
// caller, such as the bundle of a page that the server hands out, cannot be meant.

// connections says which files imports connect, in either direction.
type connections struct{ up map[*ir.File]*ir.File }

// root returns the file that stands for all that are connected with one.
func (c *connections) root(f *ir.File) *ir.File {
	for c.up[f] != nil {
		if next := c.up[c.up[f]]; next != nil {
			c.up[f] = next // half the way for who asks next
		}
		f = c.up[f]
	}
	return f
}

func (c *connections) connect(a, b *ir.File) {
	if a, b = c.root(a), c.root(b); a != b {
		c.up[a] = b
	}
}

// areConnected reports whether imports connect two files.
func (ev *evaluator) areConnected(a, b *ir.File) bool {
	if a == b || ev.conv.Language != "typescript" {
		return true
	}
	if ev.connected == nil {
		ev.connected = ev.findConnections()
	}
	return ev.connected.root(a) == ev.connected.root(b)
}

func (ev *evaluator) findConnections() *connections {
	c := &connections{up: map[*ir.File]*ir.File{}}
	prog := ev.prog
	follow := func(from *ir.File, module string) {
		if m := prog.Lookup(from, module); m != nil {
			c.connect(from, m.Scope.File)
		}
	}
	scope := func(s *ir.Scope) {
		for _, bindings := range s.Names {
			for _, b := range bindings {
				if b.Import != nil && b.Import.Scope != nil {
					follow(b.Import.Scope.File, b.Import.Module)
				}
			}
		}
	}
	for _, m := range prog.Modules {
		scope(m.Scope)
		for _, im := range m.All {
			follow(im.Scope.File, im.Module)
		}
		for _, x := range m.Exports { // export { a } from "./b"
			if x != nil && x.Scope != nil {
				scope(x.Scope)
			}
		}
	}
	for _, fn := range prog.Funcs {
		scope(fn.Scope)
	}
	for _, call := range prog.Calls {
		if name := call.Arg(0); ev.conv.Require[call.Calls()] && call.X.Kind == ir.Name && name.Is(ir.String) {
			follow(call.Scope.File, name.Text)
		}
	}
	return c
}
