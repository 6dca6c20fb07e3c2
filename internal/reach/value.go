package reach

import (
	"strconv"
	"strings"

	"gauntlet/internal/program"
)

// A value is what is known of what an expression stands for. Values are compared with ==.
type value struct {
	kind  kind
	text  string // of constant, outside, member
	fn    *program.Func
	class *program.Class
	mod   *program.Module
	expr  *program.Expr // of composite and instance: where it is written
	frame *frame        // in which expr is evaluated, or around which fn closes
	this  *program.Expr // of a bound method: where its receiver is created
	up    *frame        // the frame of this
	param *program.Param
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
	id   int
	fn   *program.Func
	args [][]value
	this []value
	up   *frame // around the function, for closures

	// Of a frame of no function: pin stands for as. bare is the same without the functions above.
	pin  *program.Expr
	as   value
	bare *frame
}

// around returns the frame of fn that encloses f, or nil.
func (f *frame) around(fn *program.Func) *frame {
	for ; f != nil; f = f.up {
		if f.fn == fn && f.pin == nil {
			return f
		}
	}
	return nil
}

// key writes a value so that equal ones, and only they, have equal text. ids number the
// pointers of the program in the order in which they come up.
func (en *engine) key(b *strings.Builder, v value) {
	b.WriteByte('a' + byte(v.kind))
	b.WriteString(strconv.Itoa(len(v.text)))
	b.WriteByte(':')
	b.WriteString(v.text)
	for _, p := range []any{v.fn, v.class, v.mod, v.expr, v.this, v.param} {
		b.WriteString(strconv.Itoa(en.number(p)))
		b.WriteByte(',')
	}
	b.WriteString(strconv.Itoa(v.frame.number()))
	b.WriteByte(',')
	b.WriteString(strconv.Itoa(v.up.number()))
	b.WriteByte(';')
}

func (f *frame) number() int {
	if f == nil {
		return 0
	}
	return f.id
}

func (en *engine) number(p any) int {
	switch q := p.(type) {
	case *program.Func:
		if q == nil {
			return 0
		}
	case *program.Class:
		if q == nil {
			return 0
		}
	case *program.Module:
		if q == nil {
			return 0
		}
	case *program.Expr:
		if q == nil {
			return 0
		}
	case *program.Param:
		if q == nil {
			return 0
		}
	}
	n, ok := en.numbers[p]
	if !ok {
		n = len(en.numbers) + 1
		en.numbers[p] = n
	}
	return n
}

const (
	// Frames of one function for one tool. After that many, lists and objects among its arguments are taken as
	// unknown, since every call has its own; after twice as many, all of them.
	maxContexts = 24
	maxLongText = 400
)

// enter returns the frame of a call of fn.
func (en *engine) enter(fn *program.Func, args [][]value, this []value, up *frame) *frame {
	var b strings.Builder
	for _, vs := range args {
		for _, v := range vs {
			en.key(&b, v)
		}
		b.WriteByte('|')
	}
	b.WriteByte('/')
	for _, v := range this {
		en.key(&b, v)
	}
	k := frameKey{fn, up, b.String()}
	if f := en.frames[k]; f != nil {
		return f
	}
	switch n := en.contexts[fn]; {
	case n >= 2*maxContexts && (len(args) > 0 || len(this) > 0 || up != nil):
		en.merged = true
		return en.enter(fn, nil, nil, nil)
	case n >= maxContexts && !coarse(args):
		en.merged = true
		return en.enter(fn, coarsen(args), this, up)
	}
	en.contexts[fn]++
	f := &frame{id: len(en.frames) + 1, fn: fn, args: args, this: this, up: up}
	en.frames[k] = f
	return f
}

// coarse reports whether arguments are names and constants alone.
func coarse(args [][]value) bool {
	for _, vs := range args {
		for _, v := range vs {
			if v.kind == composite || v.kind == instance {
				return false
			}
		}
	}
	return true
}

func coarsen(args [][]value) [][]value {
	out := make([][]value, len(args))
	for i, vs := range args {
		if coarse([][]value{vs}) {
			out[i] = vs
		}
	}
	return out
}

type frameKey struct {
	fn   *program.Func
	up   *frame
	args string
}

// only returns the one value, or the zero value when there are several or none.
func only(vs []value) value {
	if len(vs) == 1 {
		return vs[0]
	}
	return value{}
}

const (
	maxValues  = 12  // that a variable is taken to have
	maxWritten = 100 // elements of a list as written: people write long lists of names and of tools
)

// add appends values that are not there yet, up to a limit.
func add(vs []value, more ...value) []value { return addUpTo(maxValues, vs, more) }

func addUpTo(limit int, vs, more []value) []value {
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
