// Package callgraph finds the code that answers each tool of a server and what that code can
// reach: it evaluates names as far as they can be known without running anything, follows
// calls within the program, and looks up calls that leave it in a table of sinks.
//
// It is an abstract interpreter of a small kind. A function is read once for each set of
// arguments that is known and differs (a frame), so that a helper run(cmd) called with "git"
// is told from one called with what the caller says, and a dispatcher is read once a tool
// with the tool's name in its hand. Order and conditions do not count, except for branches on
// constants.
package callgraph

import (
	"slices"
	"strings"

	"gauntlet/internal/leaf/ir"
	"gauntlet/sink"
)

// A Convention is what a language and the SDKs written in it do differently. It holds no state.
type Convention struct {
	Language    string
	Table       *Table
	Constructor string          // the name of the method that makes objects
	Call        string          // that of the method by which an object is called
	Require     map[string]bool // functions that import what their first argument names
	Wrappers    map[string]bool // functions that compilers put around imports
	Literals    bool            // what makes an object calls nothing
	AllExported bool            // every name of a module can be imported
	Join        func(module, name string) string
	Package     func(spec string) string // how an import is written in the table

	Decorators     map[string]bool // that make a tool of a function
	BareDecorators map[string]bool // the same, where the decorator is a name by itself
	Dispatchers    map[string]bool // decorators of, or calls with, a function that answers all tools
	Registers      map[string]bool // functions that take a tool's name and its handler
	Servers        []string        // prefixes of names of objects that have them
	Describes      map[string]bool // types and functions that declare a tool
	Handlers       map[string]bool // members of a tool that hold its handler
}

// Names returns the set of the words of a list.
func Names(list string) map[string]bool {
	out := map[string]bool{}
	for _, n := range strings.Fields(list) {
		out[n] = true
	}
	return out
}

// LastWord returns the last part of the name of something that is called: "listen" of "express().listen()".
func LastWord(name string) string {
	name = strings.TrimSuffix(name, "()")
	return name[strings.LastIndexAny(name, "./")+1:]
}

// PlaceOf returns where an expression is written.
func PlaceOf(e *ir.Expr) sink.Place { return placeAt(e.Scope.File, e.Start, e.End) }

// PlaceOfFunc returns where a function is written.
func PlaceOfFunc(fn *ir.Func) sink.Place { return placeAt(fn.Scope.File, fn.Start, fn.End) }

func placeAt(f *ir.File, start, end int32) sink.Place {
	return sink.Place{File: f.Path, Line: f.Line(start), Start: int(start), End: int(end)}
}

// isServers reports whether a name is that of a package with which servers are made, or of something in it.
func (c *Convention) isServers(name string) bool {
	return slices.ContainsFunc(c.Servers, func(s string) bool { return strings.HasPrefix(name, s) })
}
