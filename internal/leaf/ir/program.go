// Package ir is the common form of sources in three languages: modules, functions, classes, names and their bindings, calls, and
// branches on a value. Each language converts its syntax to it; call analysis sees no syntax.
//
// It keeps only what questions about reachable calls need. Order, loops and conditions are lost, except for branches on constants,
// which dispatch tools.
package ir

import (
	"reflect"
	"strings"
)

// A Kind is the kind of an expression.
type Kind uint8

// The kinds of expression.
const (
	Other    Kind = iota // of no interest; Args are its parts, Text its operator, if any
	Name                 // Text
	String               // Text, a constant
	Template             // a string with non-constant parts: Args in order
	Literal              // a number, a boolean, nothing; Text as written
	Attr                 // X.Text, also X["text"]
	Index                // X[Args[0]], or an element of X without Args
	Result               // result N of a call X with several
	Call                 // X(Args...)
	New                  // new X(Args...), or a composite of type X
	Object               // Args with names
	List                 // Args
	Either               // one of Args; Text is the operator: "&&", "||", "??", "?"
	Function             // Func
	Type                 // a value of type X, otherwise unknown
)

// Comprehension is the N of a List with any number of copies of its first element, as in [f(x) for x in xs if g(x)]. The second
// element holds the iterated values and, as separate expressions, the conditions.
const Comprehension = 1

// An Expr is an expression. Its kind determines which fields are set.
type Expr struct {
	Kind       Kind
	N          int
	Text       string
	X          *Expr
	Args       []Arg
	Func       *Func
	Scope      *Scope // scope for its names
	Start, End int32  // byte offsets in the scope's file
}

// An Arg is an argument of a call or a member of an object or list.
type Arg struct {
	Name   string // keyword or key
	Value  *Expr
	Spread bool  // *args, ...rest: Value stands for any number
	Key    *Expr // a non-constant key
}

// A Step is the kind of a statement.
type Step uint8

// The kinds of statement.
const (
	Do     Step = iota // X is evaluated
	Return             // the function returns X
	Branch             // X is compared with constants; if X is nil, one of the bodies runs
	Set                // X, evaluated by a Do, is assigned to Target
	Jump               // continue or break
	Yield              // an element of what the function returns; X is a list of it, or of all that it goes through
)

// A Block is the kind of a Branch in the source, beyond its arms.
type Block uint8

// The kinds of block.
const (
	Plain Block = iota
	Loop        // the body runs any number of times
	Try         // the body may end anywhere; the following Catch branches handle that
	Catch       // runs if the preceding Try ended early
)

// A Stmt is a statement; nested blocks are flattened.
type Stmt struct {
	Step   Step
	X      *Expr
	Target *Expr  // of a Set: a Name or an Attr
	Arms   []Arm  // of a Branch
	Rest   []Stmt // of a Branch: if no arm matches
	Cond   *Expr  // of a Branch: the condition as written, if any
	Negate bool   // the arm runs if Cond is false
	Block  Block  // of a Branch
	Throws bool   // of a Return: by an error
}

// An Arm is a case of a Branch.
type Arm struct {
	Values []*Expr
	Body   []Stmt
	// Partly says that other conditions apply too, so that what follows without a matching arm may run although this one matches.
	Partly bool
}

// A Scope binds names: a module, a function or a class.
type Scope struct {
	Up     *Scope
	File   *File
	Func   *Func  // nil for a module and a class body
	Class  *Class // of a class body
	Names  map[string][]*Binding
	Module *Module // of a module's scope
}

// A Binding is one possible meaning of a name.
type Binding struct {
	Import *Import
	Func   *Func
	Class  *Class
	Value  *Expr
	Param  *Param
}

// An Import names a module and what is taken from it.
type Import struct {
	Module string // as written
	Member string // "" for the module itself
	Scope  *Scope
	Start  int32
}

// A Param is a function's parameter.
type Param struct {
	Name  string
	Index int // -1 for the receiver
	Type  *Expr
	Noted *Expr // complete annotation, as in Annotated[list[str], Field(…)]; Python only
	Value *Expr // default value
	Func  *Func
	Rest  bool // collects the remaining arguments
}

// A Func is a function, a method or a function literal.
type Func struct {
	Name       string
	Params     []*Param
	Body       []Stmt
	Result     []*Expr // types, if written
	Decorators []*Expr
	Scope      *Scope // of its parameters and locals
	Class      *Class // of a method
	Start, End int32
	Broken     bool // contains syntax errors
	Abstract   bool // declaration without a body
	Getter     bool // accessed like a field
	Lambda     bool // its body is one returned expression
}

// A Class is a class, a struct, an interface.
type Class struct {
	Name    string
	Bases   []*Expr
	Methods map[string]*Func
	Fields  map[string][]*Expr // values and, of kind Type, types
	Noted   []Field            // Python and Go: fields with their types as written, in order
	Scope   *Scope             // of the body; its parent is where it was declared
	Start   int32
}

// A Field is a declared field of a class.
type Field struct {
	Name  string
	Type  *Expr  // Python: the annotation as written; Go: of kind Type, or nil
	Value *Expr  // default value
	Tag   string // Go: the field's tag without quotes
}

// JSONName returns what a field of a struct is called in JSON by its tag, "" where that says nothing.
func (c *Class) JSONName(field string) string {
	for _, f := range c.Noted {
		if f.Name == field && field != "" {
			name, _, _ := strings.Cut(reflect.StructTag(f.Tag).Get("json"), ",")
			return strings.TrimPrefix(name, "-")
		}
	}
	return ""
}

// A Module is what an import names: a file, or a directory of Go files.
type Module struct {
	Path    string // slash-separated, relative to the root; a directory for Go
	Scope   *Scope
	Exports map[string]*Expr // by exported name; "*" lists wholly exported modules
	All     []*Import        // export * from
	Body    []Stmt           // runs when it is loaded
}

// A File is one source file.
type File struct {
	Path   string
	Source []byte
	Broken bool
	lines  []int32
}

// Line returns the line number, from 1, of an offset.
func (f *File) Line(at int32) int {
	if f.lines == nil {
		f.lines = []int32{0}
		for i, b := range f.Source {
			if b == '\n' {
				f.lines = append(f.lines, int32(i)+1)
			}
		}
	}
	lo, hi := 0, len(f.lines)
	for hi-lo > 1 {
		if mid := (lo + hi) / 2; f.lines[mid] <= at {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo + 1
}

// A Program is everything read of one server in one language.
type Program struct {
	Modules []*Module // sorted by path
	Files   []*File
	Funcs   []*Func   // all, in order of files and places
	Classes []*Class  // all
	Calls   []*Expr   // all of kind Call and New
	Objects []*Expr   // all of kind Object
	Imports []*Import // of TypeScript and JavaScript
	// Lookup returns the module that a file's import names, nil if it is not part of the program.
	Lookup func(from *File, module string) *Module
}

// AddFile adds a file and its module, named path in the language.
func (p *Program) AddFile(file *File, path string) *Module {
	m := &Module{Path: path, Scope: NewScope(nil), Exports: map[string]*Expr{}}
	m.Scope.File, m.Scope.Module = file, m
	p.Files = append(p.Files, file)
	p.Modules = append(p.Modules, m)
	return m
}

// NewScope returns a child scope of up.
func NewScope(up *Scope) *Scope {
	s := &Scope{Up: up, Names: map[string][]*Binding{}}
	if up != nil {
		s.File = up.File
	}
	return s
}

// maxBindings bounds the kept values of one name; minified code uses one for everything.
const maxBindings = 16

// Bind adds a meaning of a name.
func (s *Scope) Bind(name string, b *Binding) {
	if name == "" || len(s.Names[name]) >= maxBindings {
		return
	}
	s.Names[name] = append(s.Names[name], b)
}

// SetMember adds a member to the object that a name was given, or to the class that it stands for: a static member written behind it.
func (s *Scope) SetMember(name, member string, value *Expr) {
	bindings, _ := s.Find(name)
	for _, b := range bindings {
		if b.Value != nil && b.Value.Kind == Object {
			b.Value.Args = append(b.Value.Args, Arg{Name: member, Value: value})
			return
		}
		if b.Class != nil {
			b.Class.Fields[member] = append(b.Class.Fields[member], value)
			return
		}
	}
}

// SetElement adds what is assigned to a target as SetMember does, where that is a member of a name: table["x"] = value.
func (s *Scope) SetElement(target, value *Expr) {
	if target.Is(Attr) && target.X.Is(Name) {
		s.SetMember(target.X.Text, target.Text, value)
	}
}

// Find returns a name's bindings and their scope, or nil.
func (s *Scope) Find(name string) ([]*Binding, *Scope) {
	for ; s != nil; s = s.Up {
		if b, ok := s.Names[name]; ok {
			return b, s
		}
	}
	return nil, nil
}

// Owner returns the innermost enclosing function, or nil.
func (s *Scope) Owner() *Func {
	for ; s != nil; s = s.Up {
		if s.Func != nil {
			return s.Func
		}
	}
	return nil
}
