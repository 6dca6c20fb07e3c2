// Package sink holds what a server's source says about its tools: for each tool its handler, the consequential calls
// that the handler reaches and by which chain, and whether all of it could be read. It is the input of the classifier's
// second layer and is independent of languages; internal/engine/lang/python and its siblings fill it.
package sink

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gauntlet/capability"
)

// A Place is a line of a source file. Path is slash-separated, relative to the root of the sources.
type Place struct {
	File  string `json:"file"`
	Line  int    `json:"line"` // from 1
	Start int    `json:"start"`
	End   int    `json:"end"` // byte offsets in the file
}

// String returns the place as "src/tools/files.py:23".
func (p Place) String() string { return fmt.Sprintf("%s:%d", p.File, p.Line) }

// IsOtherBuild reports whether file is the CommonJS build of another file, such as index.cjs of index.js: their contents are equivalent.
func IsOtherBuild(file, of string) bool {
	stem, ok := strings.CutSuffix(file, ".cjs")
	return ok && (of == stem+".js" || of == stem+".mjs")
}

// A Strength is the strength of evidence from a call.
type Strength uint8

// The strengths.
const (
	None   Strength = iota // nothing was found
	Weak                   // it may do so: a fixed program is started, or the call was identified by name only
	Strong                 // it does so
)

func (s Strength) String() string { return [...]string{"none", "weak", "strong"}[s] }

// A Call is a sink that a handler reaches.
type Call struct {
	Tag      capability.Tag
	Strength Strength
	// Kind is "ast_sink", "spawn_fixed", "env_key" or "secret_file".
	Kind string
	// Name is the called function, resolved through imports and aliases: "subprocess.run()"; for spawn_fixed the
	// program, for env_key the key or "*".
	Name string
	At   Place
	// Chain is the path from the handler (first) to the function with the call; empty if the handler contains it.
	Chain []Step
}

// A Step is a call on the way to a sink.
type Step struct {
	Func string // called function
	At   Place  // location of the call
}

// Evidence returns the call as labels show it: "ast_sink:open()@src/files.py:23", followed by the functions in between,
// nearest first: " via load < read_all".
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
	Detail string // subject: a module, a method
	At     Place
}

// A Reason says why a chain could not be followed.
type Reason string

// The reasons.
const (
	OutsidePackage Reason = "outside_package"    // a call into a package that is neither in the tree nor in a table
	UnknownCallee  Reason = "unknown_callee"     // the callee is known only at run time
	OtherProgram   Reason = "other_program"      // another program is started, whose code is not in the source
	TooDeep        Reason = "too_deep"           // the chain exceeds the depth limit
	TooMuch        Reason = "too_much"           // the work limit per tool was reached
	SyntaxErrors   Reason = "syntax_errors"      // the function has syntax errors
	Elsewhere      Reason = "answered_elsewhere" // the handler returns nothing: its caller builds the answer from what it left behind
	NoBranch       Reason = "no_branch"          // the tool is dispatched by name, but has no branch
)

// String returns the gap as "outside_package: left-pad (src/a.js:3)".
func (g Gap) String() string { return fmt.Sprintf("%s: %s (%s)", g.Reason, g.Detail, g.At) }

// Via says how a handler was matched with its tool.
type Via string

// The ways.
const (
	ByRegistration Via = "registration" // name and function in one call, object, class or decorator
	ByDispatch     Via = "dispatch"     // one function handles all tools and branches on the name
	ByRoute        Via = "route"        // handles an HTTP route, not a tool
	ByFallback     Via = "fallback"     // one function handles all tools, without a branch for this one
)

// A Handler is the code that answers a tool.
type Handler struct {
	Tool     string
	Language string // "python", "typescript", "go"
	Via      Via
	Func     string
	At       Place
	Calls    []Call // at most one per tag, kind and name; sorted by tag, strength, place
	Gaps     []Gap  // empty if every chain of calls was read completely
	// Maybe are tags of called packages whose code was not read.
	Maybe []capability.Tag
	// Flows are parameters that reach a sink unguarded, sorted by kind and place. FlowsCut says that the work limit per
	// tool was reached before all paths were followed.
	Flows    []Flow
	FlowsCut bool
	// Arrives says that caller input reaches a call that leaves the program, guarded or not.
	Arrives bool
}

// Join adds a second handler of the same tool: which of them the server uses is not known, so what either does counts, and what neither could be read.
func (h *Handler) Join(more Handler) {
	for _, c := range more.Calls {
		if !slices.ContainsFunc(h.Calls, func(d Call) bool { return c.Tag == d.Tag && c.Name == d.Name && c.At == d.At }) {
			h.Calls = append(h.Calls, c)
		}
	}
	h.Gaps = append(h.Gaps, more.Gaps...)
	h.Maybe = append(h.Maybe, more.Maybe...)
	h.Flows = append(h.Flows, more.Flows...)
	h.FlowsCut = h.FlowsCut || more.FlowsCut
}

// Complete reports whether everything reachable was read, so that a missing sink does not exist.
func (h *Handler) Complete() bool { return len(h.Gaps) == 0 }

// Support returns how strongly the source supports a tag, and the supporting calls, strongest and nearest first.
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

// Sources is the result of reading a source tree.
type Sources struct {
	Files    int // read
	Handlers []Handler
	// Resources are functions that answer resources and have flows; only their Flows are used.
	Resources []Handler
	// Definitions are the source's definitions of tools with a handler, by name.
	Definitions []Definition
	// Sites are places that concern the server, not one tool, by file and place.
	Sites []Site
	// Listed are the sorted names of declared tools, with or without a handler.
	Listed []string
	// ToolClasses counts the classes declared to be tools, with or without a matched handler.
	ToolClasses int
	// Unrecognised are calls and decorators that look like registrations of tools in an unknown form, by name.
	Unrecognised []Registration
}

// A Registration is a place where a tool seems to be registered.
type Registration struct {
	Name string // "" if the source does not fix it
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

// ByTool returns the handlers by tool name, for repeated lookups.
func (s *Sources) ByTool() map[string]*Handler {
	by := make(map[string]*Handler, len(s.Handlers))
	for i := range s.Handlers {
		if h := &s.Handlers[i]; by[h.Tool] == nil {
			by[h.Tool] = h
		}
	}
	return by
}

// Missing returns the sorted declared tools without a handler.
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

// A File is a source file.
type File struct {
	Path string // slash-separated, relative to the root of the sources
	Text []byte
}
