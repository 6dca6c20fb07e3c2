// Package ir is what the sources of three languages have in common: modules, functions,
// classes, names and what they are bound to, calls, and branches on a value. A language reads
// its syntax into it; what follows calls sees no syntax.
//
// It keeps what a question about reachable calls needs and nothing else. Order, loops and
// conditions are gone, apart from branches on constants, which dispatch tools.
package ir

// A Kind says what an expression is.
type Kind uint8

// The kinds of expression.
const (
	Other    Kind = iota // no value of interest; Args are its parts, Text the operator if it is one
	Name                 // Text
	String               // Text, a constant
	Template             // a string with parts that are not constant: Args in order
	Literal              // a number, a boolean, nothing: Text as written
	Attr                 // X.Text, also X["text"]
	Index                // X[Args[0]], or an element of X where there are no Args
	Result               // the result with number N of a call X that has several
	Call                 // X(Args...)
	New                  // new X(Args...), or a composite of type X
	Object               // Args with names
	List                 // Args
	Either               // one of Args; Text is the operator: "&&", "||", "??", "?"
	Function             // Func
	Type                 // a value of type X, of which nothing else is known
)

// Comprehension is the N of a List that holds any number of its first element, as [f(x) for x in xs if g(x)] does. The second element
// holds what is gone through and, each in an expression of its own, the conditions.
const Comprehension = 1

// An Expr is an expression. Which fields are set depends on its kind.
type Expr struct {
	Kind       Kind
	N          int
	Text       string
	X          *Expr
	Args       []Arg
	Func       *Func
	Scope      *Scope // where its names are looked up
	Start, End int32  // bytes in the file of the scope
}

// An Arg is an argument of a call or a member of an object or a list.
type Arg struct {
	Name   string // keyword or key
	Value  *Expr
	Spread bool  // *args, ...rest: Value holds any number of them
	Key    *Expr // a key that is not constant as written
}

// A Step is the kind of a statement.
type Step uint8

// The kinds of statement.
const (
	Do     Step = iota // X is computed
	Return             // X is what the function answers
	Branch             // X is compared with constants; where X is nil, one of the bodies runs
	Set                // X, which a Do computes, becomes the value of Target
	Jump               // the round of the loop ends here, or the loop
)

// A Block says what a Branch was in the source, beyond what its arms say.
type Block uint8

// The kinds of block.
const (
	Plain Block = iota
	Loop        // the body runs any number of times
	Try         // the body may end anywhere; the Catch branches behind it handle that
	Catch       // runs when the Try before it ended early
)

// A Stmt is a statement; blocks are flattened into what holds them.
type Stmt struct {
	Step   Step
	X      *Expr
	Target *Expr  // of a Set: a Name or an Attr
	Arms   []Arm  // of a Branch
	Rest   []Stmt // of a Branch: when no arm fits
	Cond   *Expr  // of a Branch: the condition as written, if it has one
	Negate bool   // the arm is what runs when Cond does not hold
	Block  Block  // of a Branch
	Throws bool   // of a Return: the function is left by an error
}

// An Arm is a case of a Branch.
type Arm struct {
	Values []*Expr
	Body   []Stmt
	// Partly says that something else is asked too, so that what follows when no arm fits may run
	// although this one does.
	Partly bool
}

// A Scope is where names are bound: a module, a function or a class.
type Scope struct {
	Up     *Scope
	File   *File
	Func   *Func  // nil for a module and a class body
	Class  *Class // of a class body
	Names  map[string][]*Binding
	Module *Module // of a module's scope
}

// A Binding is one thing that a name can stand for.
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

// A Param is a parameter of a function.
type Param struct {
	Name  string
	Index int // -1 for the receiver
	Type  *Expr
	Noted *Expr // the type as it is annotated, whole: Annotated[list[str], Field(…)]; of Python alone
	Value *Expr // the default
	Func  *Func
	Rest  bool // takes what is left over
}

// A Func is a function, a method or a function literal.
type Func struct {
	Name       string
	Params     []*Param
	Body       []Stmt
	Result     []*Expr // types, where written
	Decorators []*Expr
	Scope      *Scope // of its parameters and locals
	Class      *Class // of a method
	Start, End int32
	Broken     bool // has syntax errors
	Abstract   bool // a declaration without a body
	Getter     bool // read like a field
	Lambda     bool // its body is one expression, which it returns
}

// A Class is a class, a struct, an interface.
type Class struct {
	Name    string
	Bases   []*Expr
	Methods map[string]*Func
	Fields  map[string][]*Expr // values and, of kind Type, types
	Tags    map[string]string  // of Go: what a field is called in JSON, where it says so
	Noted   []Field            // fields with their types as written, in order; of Python and Go
	Scope   *Scope             // of the body; up from it is where it was declared
	Start   int32
}

// A Field is a field of a class as it is declared.
type Field struct {
	Name  string
	Type  *Expr  // Python: the annotation as written; Go: of kind Type, or nil
	Value *Expr  // the default
	Tag   string // of Go: the tag of the field, without its quotes
}

// A Module is what an import can name: a file, or a directory of Go files.
type Module struct {
	Path    string // slash-separated, below the root; for Go the directory
	Scope   *Scope
	Exports map[string]*Expr // by exported name; "*" lists the modules that are exported whole
	All     []*Import        // export * from
	Body    []Stmt           // what runs when it is loaded
}

// A File is one source file.
type File struct {
	Path   string
	Source []byte
	Broken bool
	lines  []int32
}

// Line returns the number of the line, from 1, of an offset.
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

// A Program is all that was read of one server in one language.
type Program struct {
	Modules []*Module // sorted by path
	Files   []*File
	Funcs   []*Func  // all, in order of files and places
	Classes []*Class // all
	Calls   []*Expr  // all of kind Call and New
	Objects []*Expr  // all of kind Object
	// Lookup finds the module that an import of a file names, or nil when it is not part of the program.
	Lookup func(from *File, module string) *Module
}

// AddFile adds a file and its module, whose name for the language is path.
func (p *Program) AddFile(file *File, path string) *Module {
	m := &Module{Path: path, Scope: NewScope(nil), Exports: map[string]*Expr{}}
	m.Scope.File, m.Scope.Module = file, m
	p.Files = append(p.Files, file)
	p.Modules = append(p.Modules, m)
	return m
}

// NewScope returns a scope below up.
func NewScope(up *Scope) *Scope {
	s := &Scope{Up: up, Names: map[string][]*Binding{}}
	if up != nil {
		s.File = up.File
	}
	return s
}

// maxBindings is how many values of one name are kept; minified code uses one for everything.
const maxBindings = 16

// Bind adds something that a name can stand for.
func (s *Scope) Bind(name string, b *Binding) {
	if name == "" || len(s.Names[name]) >= maxBindings {
		return
	}
	s.Names[name] = append(s.Names[name], b)
}

// Find returns what a name can stand for and the scope that binds it, or nil.
func (s *Scope) Find(name string) ([]*Binding, *Scope) {
	for ; s != nil; s = s.Up {
		if b, ok := s.Names[name]; ok {
			return b, s
		}
	}
	return nil, nil
}

// Owner returns the innermost function around the scope, or nil.
func (s *Scope) Owner() *Func {
	for ; s != nil; s = s.Up {
		if s.Func != nil {
			return s.Func
		}
	}
	return nil
}
