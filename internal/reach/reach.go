// Package reach finds the code that answers each tool of a server and what that code can
// reach: it evaluates names as far as they can be known without running anything, follows
// calls within the program, and looks up calls that leave it in a table of sinks.
//
// It is an abstract interpreter of a small kind. A function is read once for each set of
// arguments that is known and differs (a frame), so that a helper run(cmd) called with "git"
// is told from one called with what the caller says, and a dispatcher is read once a tool
// with the tool's name in its hand. Order and conditions do not count, except for branches on
// constants.
package reach

import (
	"gauntlet/internal/program"
	"gauntlet/sink"
)

// A Convention is what a language and the SDKs written in it do differently. It holds no state.
type Convention struct {
	Language    string
	Table       *Table
	Constructor string          // the name of the method that makes objects
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

// Names returns a set, as conventions hold them.
func Names(names ...string) map[string]bool {
	out := map[string]bool{}
	for _, n := range names {
		out[n] = true
	}
	return out
}

// MaxDepth is the number of calls, one inside the other, that are followed from a handler.
const MaxDepth = 16

const (
	maxWork      = 10_000_000 // evaluations for one program
	maxApart     = 4_000_000  // of these, until frames are counted for all tools together
	maxRead      = 50_000_000 // statements that are looked at, in all frames together
	maxFunctions = 3_000      // frames read for one tool
)

type engine struct {
	prog *program.Program
	conv *Convention
	few  int // arms, and members of tables, that are compared one by one

	known    map[question][]value
	busy     map[question]bool
	inside   map[memberKey]bool
	depth    int
	left     int
	cuts     int
	work     int
	steps    int             // statements looked at
	visited  int             // calls of functions that register what they are given
	packages map[string]bool // that anything imports
	frames   map[frameKey]*frame
	contexts map[*program.Func]int // new frames of each function, for the tool that is read
	merged   bool                  // since then, arguments were forgotten
	numbers  map[any]int
	calls    map[string][]*program.Expr
	methods  map[string][]*program.Class
	made     map[*program.Expr]*program.Expr
	exports  map[exportKey]*program.Expr
	read     map[*frame]*summary
	traces   map[*frame]traced
	imports  map[*program.Import][]value
	chains   map[*program.Arm]chainPlace // by the first arm of a branch
	runs     map[*program.Stmt]*run
	objects  map[*program.Expr]*object
	looped   map[*program.Func]*program.Expr // callbacks by the list whose elements they are called for
	loose    int                             // frames that are not in frames

	elementsRead int // of lists of tools, one by one
}

// Analyse finds the handlers of a program. tools are names that the server lists, where they
// are known; a dispatcher that branches on nothing answers those.
func Analyse(prog *program.Program, conv *Convention, tools []string) *sink.Sources {
	return newEngine(prog, conv).sources(tools)
}

func newEngine(prog *program.Program, conv *Convention) *engine {
	return &engine{
		prog: prog, conv: conv, few: fewArms,
		known: map[question][]value{}, busy: map[question]bool{}, inside: map[memberKey]bool{}, frames: map[frameKey]*frame{},
		contexts: map[*program.Func]int{}, numbers: map[any]int{}, read: map[*frame]*summary{}, traces: map[*frame]traced{}, imports: map[*program.Import][]value{},
		made: map[*program.Expr]*program.Expr{}, exports: map[exportKey]*program.Expr{}, packages: map[string]bool{},
		chains: map[*program.Arm]chainPlace{}, runs: map[*program.Stmt]*run{}, objects: map[*program.Expr]*object{},
	}
}

// step counts a statement, and reports whether it may be looked at.
func (en *engine) step() bool {
	en.steps++
	return en.steps <= maxRead
}

func place(f *program.File, e *program.Expr) sink.Place { return placeAt(f, e.Start, e.End) }

func placeAt(f *program.File, start, end int32) sink.Place {
	return sink.Place{File: f.Path, Line: f.Line(start), Start: int(start), End: int(end)}
}
