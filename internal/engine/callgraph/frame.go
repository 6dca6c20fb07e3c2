package callgraph

import (
	"slices"
	"strconv"

	"gauntlet/internal/leaf/ir"
)

// A value is what is known of what an expression stands for. Values are compared with ==.
type value struct {
	kind  kind
	text  string // of constant, outside, member
	fn    *ir.Func
	class *ir.Class
	mod   *ir.Module
	expr  *ir.Expr // of composite and instance: where it is written
	frame *frame   // in which expr is evaluated, or around which fn closes
	this  *ir.Expr // of a bound method: where its receiver is created
	up    *frame   // the frame of this
	param *ir.Param
}

type kind uint8

const (
	constant  kind = iota + 1 // a string
	data                      // a number, a boolean: nothing that can be called
	outside                   // something of another package, by its name
	function                  // fn
	class                     // class itself
	instance                  // an object of class
	composite                 // an object, list or template as written
	module                    // mod
	member                    // a member called text of something unknown
	parameter                 // param, of which nothing is known
)

// A frame is a function together with what is known of its arguments. Frames are interned, so
// equal ones are the same pointer.
type frame struct {
	fn   *ir.Func
	args [][]value
	this []value
	up   *frame // around the function, for closures

	// Of a frame of no function: pin stands for as. bare is the same without the functions above.
	pin  *ir.Expr
	as   value
	bare *frame
}

// enclosing returns the frame of fn that encloses f, or nil.
func (f *frame) enclosing(fn *ir.Func) *frame {
	for ; f != nil; f = f.up {
		if f.fn == fn && f.pin == nil {
			return f
		}
	}
	return nil
}

// appendKey writes values so that equal lists, and only they, have equal text.
func (st *frameStore) appendKey(key []byte, vs []value) []byte {
	for _, v := range vs {
		n, ok := st.numbers[v]
		if !ok {
			n = len(st.numbers)
			st.numbers[v] = n
		}
		key = append(strconv.AppendInt(key, int64(n), 36), ',')
	}
	return append(key, '|')
}

const (
	// Frames of one function for one tool. After that many, lists and objects among its arguments are taken as
	// unknown, since every call has its own; after twice as many, all of them.
	maxContexts = 24
	maxLongText = 400
)

func (st *frameStore) enterFrame(fn *ir.Func, args [][]value, this []value, up *frame) *frame {
	var key []byte
	for _, vs := range args {
		key = st.appendKey(key, vs)
	}
	k := frameKey{fn, up, string(st.appendKey(append(key, '/'), this))}
	if f := st.frames[k]; f != nil {
		return f
	}
	switch n := st.contexts[fn]; {
	case n >= 2*maxContexts && (len(args) > 0 || len(this) > 0 || up != nil):
		return st.enterFrame(fn, nil, nil, nil)
	case n >= maxContexts && !isCoarse(args...):
		return st.enterFrame(fn, coarsen(args), this, up)
	}
	st.contexts[fn]++
	f := &frame{fn: fn, args: args, this: this, up: up}
	st.frames[k] = f
	return f
}

// isCoarse reports whether arguments are names and constants alone.
func isCoarse(args ...[]value) bool {
	return !slices.ContainsFunc(slices.Concat(args...), func(v value) bool { return v.kind == composite || v.kind == instance })
}

func coarsen(args [][]value) [][]value {
	out := slices.Clone(args)
	for i := range out {
		if !isCoarse(out[i]) {
			out[i] = nil
		}
	}
	return out
}

// A frameStore interns frames, and bounds how many there are of one function.
type frameStore struct {
	frames   map[frameKey]*frame
	contexts map[*ir.Func]int // new frames of each function, for the tool that is read
	numbers  map[value]int    // of values, in the order in which they come up
}

type frameKey struct {
	fn   *ir.Func
	up   *frame
	args string
}

// onlyValue returns the one value, or the zero value when there are several or none.
func onlyValue(vs []value) value {
	if len(vs) == 1 {
		return vs[0]
	}
	return value{}
}

const (
	maxValues  = 12  // that a variable is taken to have where several places give it some
	maxWritten = 100 // elements of a list as written: people write long lists of names and of tools
)

// addValues appends values that are not there yet, up to a limit.
func addValues(vs []value, more ...value) []value {
	if len(vs) == 0 {
		return slices.Clip(more) // what one place gives stays whole, as a list of tools; nobody changes what an answer holds: appending to it copies
	}
	return addValuesUpTo(maxValues, vs, more)
}

func addValuesUpTo(limit int, vs, more []value) []value {
	if len(vs) == 0 && len(more) <= 1 {
		return slices.Clip(more)
	}
next:
	for i := range more {
		if len(vs) >= limit {
			break
		}
		for j := range vs {
			if vs[j] == more[i] {
				continue next
			}
		}
		vs = append(vs, more[i])
	}
	return vs
}

// pinFrame returns a frame like f in which an expression stands for one value.
func (st *frameStore) pinFrame(f *frame, e *ir.Expr, v value) *frame {
	out := &frame{up: f, pin: e, as: v}
	if out.bare = out; f != nil {
		out.bare = &frame{up: f.pinnedFrames(), pin: e, as: v}
	}
	return out
}

// pinnedFrames returns what is left of a frame outside of all functions: the pinned variables.
func (f *frame) pinnedFrames() *frame {
	for ; f != nil; f = f.up {
		if f.pin != nil {
			return f.bare
		}
	}
	return nil
}

func (f *frame) pinnedValue(e *ir.Expr) (value, bool) {
	for ; f != nil; f = f.up {
		if f.pin == e {
			return f.as, true
		}
	}
	return value{}, false
}
