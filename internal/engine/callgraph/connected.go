package callgraph

import "gauntlet/internal/leaf/ir"

// A method of something unknown may be that of any class of its name. A class of a program that no import connects with the
// caller, such as the bundle of a page that the server hands out, cannot be meant.

// connections says which files imports connect, in either direction.
type connections struct{ up map[*ir.File]*ir.File }

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
	follow := func(from *ir.File, module string) {
		if m := ev.prog.Lookup(from, module); m != nil {
			c.connect(from, m.Scope.File)
		}
	}
	for _, im := range ev.prog.Imports {
		follow(im.Scope.File, im.Module)
	}
	for _, call := range ev.prog.Calls {
		if name := call.Arg(0); ev.conv.Require[call.Calls()] && call.X.Kind == ir.Name && name.Is(ir.String) {
			follow(call.Scope.File, name.Text)
		}
	}
	return c
}
