package callgraph

import "gauntlet/internal/leaf/ir"

// Tools are often registered in a loop: for (const t of tools) server.tool(t.name, t.handler).
// Read at once, every name would go with every handler, so such a call is read once for each
// element of the list, in a frame that pins the variable of the loop to that element.

const (
	maxElements = maxWritten // of one list that are read one by one
	maxApartAll = 5_000      // of all lists together
)

func (rg *registrar) takeElements(elements []value) []value {
	elements = elements[:min(len(elements), maxElements, max(0, maxApartAll-rg.elementsRead))]
	rg.elementsRead += len(elements)
	return elements
}

// readPerElement reads a call or an object once for each element of the list that the loop around
// it goes through; false if it uses the variable of no loop.
func (rg *registrar) readPerElement(parts []ir.Arg, f *frame, read func(*frame)) bool {
	loop := rg.findLoopVariable(&ir.Expr{Args: parts})
	if loop == nil {
		return false
	}
	if _, done := f.pinnedValue(loop); done {
		return false
	}
	elements := rg.takeElements(rg.evaluate(loop, f))
	for _, v := range elements {
		clear(rg.contexts) // so that an element is read alike however many came before it
		read(rg.pinFrame(f, loop, v))
	}
	return len(elements) > 0
}

// findLoopVariable returns the variable of a loop that an expression is made of: an element of a list, whichever; nil if there is none.
func (rg *registrar) findLoopVariable(e *ir.Expr) (loop *ir.Expr) {
	rg.Finds(e, func(x *ir.Expr) bool {
		if x.Kind != ir.Index || len(x.Args) > 0 {
			return false
		}
		loop = x
		return true
	})
	return loop
}

// callbacks are methods that call what they are given for each element of a list.
var callbacks = Names("forEach map flatMap some every find filter")

// listOfCallback returns the list for each element of which a function literal is called, nil for any other: list.map(fn).
func (rg *registrar) listOfCallback(fn *ir.Func) *ir.Expr {
	if rg.looped == nil {
		rg.looped = map[*ir.Func]*ir.Expr{}
		for _, c := range rg.prog.Calls {
			if f := c.Arg(0); callbacks[c.Calls()] && c.X.Kind == ir.Attr && f.Is(ir.Function) {
				rg.looped[f.Func] = c.X.X
			}
		}
	}
	return rg.looped[fn]
}

// framesPerElement returns a frame of fn for each element of the list that it is called for.
func (rg *registrar) framesPerElement(fn *ir.Func) (out []*frame) {
	list := rg.listOfCallback(fn)
	if list == nil {
		return nil
	}
	for _, v := range rg.takeElements(rg.elementsOf(rg.evaluate(list, nil), "")) {
		out = append(out, &frame{fn: fn, args: [][]value{{v}}})
	}
	return out
}

// ListOf returns the list of which an expression is any element, the variable of a loop or what a callback is given; nil where it is none.
func (g *Graph) ListOf(x *ir.Expr) *ir.Expr {
	if p := x.Binding().Param; p != nil && p.Index == 0 {
		return g.registrar.listOfCallback(p.Func)
	}
	if d := g.Definition(x); d.Kind == ir.Index && len(d.Args) == 0 {
		return d.X
	}
	return nil
}
