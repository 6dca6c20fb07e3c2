// Package sink holds what the source of a server says about its tools: for each tool the code
// that answers it, the calls with consequences that this code reaches, by what chain of calls,
// and whether all of it could be read. It is the input of the classifier's second layer and
// knows no language; internal/engine/lang/python and its siblings fill it.
package sink

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gauntlet/capability"
)

// A Place is a line of a source file. Path is slash-separated, below the root of the sources.
type Place struct {
	File  string `json:"file"`
	Line  int    `json:"line"` // from 1
	Start int    `json:"start"`
	End   int    `json:"end"` // byte offsets in the file
}

// String returns "src/tools/files.py:23".
func (p Place) String() string { return fmt.Sprintf("%s:%d", p.File, p.Line) }

// IsOtherBuild reports whether a file is the CommonJS build beside another file, as index.cjs is beside index.js: what the one
// holds, the other does.
func IsOtherBuild(file, of string) bool {
	stem, ok := strings.CutSuffix(file, ".cjs")
	return ok && (of == stem+".js" || of == stem+".mjs")
}

// A Strength says how strong the evidence of a call is.
type Strength uint8

// The strengths.
const (
	None   Strength = iota // nothing was found
	Weak                   // it may do the thing: a fixed program is started, the call was tied by its name alone
	Strong                 // it does the thing
)

// String returns the strength's name.
func (s Strength) String() string { return [...]string{"none", "weak", "strong"}[s] }

// A Call is a sink that a handler reaches.
type Call struct {
	Tag      capability.Tag
	Strength Strength
	// Kind is "ast_sink", "spawn_fixed", "env_key" or "secret_file".
	Kind string
	// Name is what is called, as resolved through imports and aliases: "subprocess.run()";
	// for spawn_fixed the program, for env_key the key or "*".
	Name string
	At   Place
	// Chain is the way from the handler to the function that holds the call, the handler
	// first; empty when the handler holds it itself.
	Chain []Step
}

// A Step is one call on the way to a sink.
type Step struct {
	Func string // the function that is called
	At   Place  // where it is called
}

// Evidence returns the call in the form that labels carry: "ast_sink:open()@src/files.py:23",
// followed by the functions on the way, " via load < read_all", the nearest first.
func (c Call) Evidence() string {
	s := c.Kind + ":" + c.Name + "@" + c.At.String()
	if len(c.Chain) == 0 {
		return s
	}
	var via []string
	for _, step := range slices.Backward(c.Chain) {
		via = append(via, step.Func)
	}
	return s + " via " + strings.Join(via, " < ")
}

// A Gap is a place where the chain of calls could not be followed.
type Gap struct {
	Reason Reason
	Detail string // what it is about: a module, a method
	At     Place
}

// A Reason says why a chain could not be followed.
type Reason string

// The reasons.
const (
	OutsidePackage Reason = "outside_package"    // a call into a package whose source is not part of the tree and which no table knows
	UnknownCallee  Reason = "unknown_callee"     // what is called is not known before it runs
	OtherProgram   Reason = "other_program"      // a program is started, and what it does is not in the source
	TooDeep        Reason = "too_deep"           // more calls deep than are followed
	TooMuch        Reason = "too_much"           // the work for one tool is bounded
	SyntaxErrors   Reason = "syntax_errors"      // the function has parts that the parser could not read
	Elsewhere      Reason = "answered_elsewhere" // the handler returns nothing: the answer is made by who called it, from what it left behind
	NoBranch       Reason = "no_branch"          // the tool is dispatched by its name, and no branch for it was found
)

// String returns "outside_package: left-pad (src/a.js:3)".
func (g Gap) String() string { return fmt.Sprintf("%s: %s (%s)", g.Reason, g.Detail, g.At) }

// Via says how a handler was tied to its tool.
type Via string

// The ways.
const (
	ByRegistration Via = "registration" // name and function stand in one call, object, class or decorator
	ByDispatch     Via = "dispatch"     // one function answers all tools and branches on the name
	ByRoute        Via = "route"        // it answers a route of HTTP and no tool
	ByFallback     Via = "fallback"     // one function answers all tools, and no branch for this one was found
)

// A Handler is the code that answers one tool.
type Handler struct {
	Tool     string
	Language string // "python", "typescript", "go"
	Via      Via
	Func     string
	At       Place
	Calls    []Call // at most one for each tag, kind and name; sorted by tag, strength, place
	Gaps     []Gap  // empty when every chain of calls was read to its end
	// Maybe are tags of packages that the handler calls into and whose code was not read.
	Maybe []capability.Tag
	// Flows are the parameters that reach a sink unguarded, sorted by kind and place. FlowsCut says
	// that the work limit for one tool was reached before all paths were followed.
	Flows    []Flow
	FlowsCut bool
	// Arrives says that something of the caller's was followed to a call that leaves the program, guarded or not.
	Arrives bool
}

// Complete reports whether everything that the handler can reach was read, so that a sink
// that was not found is not there.
func (h *Handler) Complete() bool { return len(h.Gaps) == 0 }

// Support returns how strongly the source supports a tag, and the calls that do, the
// strongest and nearest first.
func (h *Handler) Support(tag capability.Tag) (Strength, []Call) {
	var calls []Call
	for _, c := range h.Calls {
		if c.Tag == tag {
			calls = append(calls, c)
		}
	}
	slices.SortStableFunc(calls, func(a, b Call) int {
		return cmp.Or(cmp.Compare(b.Strength, a.Strength), cmp.Compare(len(a.Chain), len(b.Chain)))
	})
	if len(calls) == 0 {
		return None, nil
	}
	return calls[0].Strength, calls
}

// Sources is what was found in one tree of sources.
type Sources struct {
	Files    int // read
	Handlers []Handler
	// Resources are functions that answer resources and have flows, for Flows alone.
	Resources []Handler
	// Definitions are what the source says of each tool that has a handler, by name.
	Definitions []Definition
	// Sites are places that say something about the server and not about one tool, by file and place.
	Sites []Site
	// Listed are the names of tools that the sources declare, with a handler or without, sorted.
	Listed []string
	// ToolClasses is how many classes of the sources are tools by what they declare, with a handler that was tied or without.
	ToolClasses int
	// Unrecognised are calls and decorators that look like registrations of tools, in a form that is not known, by name.
	Unrecognised []Registration
}

// A Registration is where a tool seems to be registered.
type Registration struct {
	Name string
	At   Place
}

// Handler returns the handler of a tool, or nil.
func (s *Sources) Handler(tool string) *Handler {
	for i := range s.Handlers {
		if s.Handlers[i].Tool == tool {
			return &s.Handlers[i]
		}
	}
	return nil
}

// ByTool returns the handlers by the names of their tools, for those who ask for many.
func (s *Sources) ByTool() map[string]*Handler {
	by := make(map[string]*Handler, len(s.Handlers))
	for i := range s.Handlers {
		if h := &s.Handlers[i]; by[h.Tool] == nil {
			by[h.Tool] = h
		}
	}
	return by
}

// Missing returns the declared tools without a handler, sorted.
func (s *Sources) Missing() []string {
	var out []string
	by := s.ByTool()
	for _, name := range s.Listed {
		if by[name] == nil {
			out = append(out, name)
		}
	}
	return out
}

// A File is one source file.
type File struct {
	Path string // slash-separated, below the root of the sources
	Text []byte
}
