package taint

import (
	"cmp"
	"strconv"
	"strings"

	"gauntlet/internal/engine/callgraph"
	"gauntlet/internal/leaf/ir"
	"gauntlet/sink"
)

// A flow is a source of a function that reaches a sink.
type flow struct {
	kind  sink.FlowKind
	at    sink.Place
	name  string // of the sink
	about string // the program that gets an argument
	src   source
	facts fact
	head  string
	front *front
	step  *step
	// guesses are the calls on the way that are tied by the name of a method alone.
	guesses int
	// argv says that the source is the program itself or, where a caller gives a list, the program and its arguments; of an
	// argument, that it is the list of all of them.
	argv bool
}

// A front says what has to stand in front of a value for its flow to count, nil that it counts whatever does. A helper that hands on what it
// is given cannot know; its caller does.
type front struct{ fits func(flow) bool }

func (f flow) fits() bool { return f.front == nil || f.front.fits(f) }

var (
	// Some text of the source: a line that the caller sends whole to what runs lines is what the tool is for.
	textFront = &front{func(f flow) bool { return strings.Trim(f.head, unknownText) != "" }}
	// Nothing: what begins with a text of the source is no option, and no program of the caller's choice.
	emptyFront = &front{func(f flow) bool {
		return f.head == "" || f.kind == sink.ArgumentFlow && f.facts&split != 0 && strings.TrimSpace(f.head) != f.about
	}}
	// The name of a program and more: the line is split into words.
	splitFront = &front{func(f flow) bool {
		word := f.firstWord()
		return f.facts&split != 0 && word != "" && strings.TrimSpace(f.head) != word
	}}
	// Nothing that makes it an option or an address.
	fileFront = &front{func(f flow) bool { return !strings.HasPrefix(f.head, "-") && !strings.Contains(f.head, "://") }}
	// The beginning of a statement, and of a text that can be nothing else.
	statementFront = &front{func(f flow) bool { return statement.MatchString(f.head) && !explained.MatchString(f.head) }}
	fullFront      = &front{func(f flow) bool { return fullStatement.MatchString(f.head) && !explained.MatchString(f.head) }}
	// Nothing, where the verbs of statements were compared, or where it may hold several statements.
	wordsFront   = &front{func(f flow) bool { return f.head == "" && f.facts&wordsAsked != 0 }}
	severalFront = &front{func(f flow) bool { return f.head == "" && f.facts&oneStatement == 0 }}
	scriptFront  = &front{func(f flow) bool { return cmdlets.MatchString(f.head) }}
	// The beginning of a filter of a directory service.
	directoryFront = &front{func(f flow) bool { return filterStart.MatchString(f.head) }}
)

// firstWord returns the program that a line begins with.
func (f flow) firstWord() string {
	word, _, _ := strings.Cut(strings.TrimSpace(f.head), " ")
	return lastPart(strings.Trim(word, unknownText))
}

// maxGuesses keeps a way through names that happen to be alike, as in a bundle of many packages, from counting.
const maxGuesses = 1

// An outcome is what holds of the parameters at some of a function's ends. It starts as "no end yet".
type outcome struct {
	knowledge
	any    bool
	called uint64 // see state
}

func (o *outcome) meet(st *state) {
	switch {
	case st.dead:
	case !o.any:
		o.any, o.knowledge, o.called = true, st.knowledge.clone(), st.called
	default:
		o.called &= st.called
		o.knowledge = joinKnowledge(o.knowledge, st.knowledge)
	}
}

// A summary is what a function does, in terms of its parameters.
type summary struct {
	result  *value
	self    *value // what its receiver holds in the end: for constructors
	flows   []flow
	seen    map[flow]bool
	others  uint64 // the parameters, by their index, that are directories with which it compares others
	off     bool   // it returns because of the configuration alone, unless a variable of the environment is set
	returns bool   // it does so anywhere
	cut     bool   // it has more flows than are kept
	leaves  uint64 // the parameters, by their index, of which something arrives at a call outside of the program
	raises  bool   // it never returns: each of its ends is an error
	answers uint64 // the parameters, by their index, whose calls are what it returns, each time
	// writes are places that write to a member of a parameter, by its index, under a name that another parameter brings.
	writes   map[int]*ir.Expr
	descents []descent
	when     map[string]outcome // when it returns something true ("+") or false ("-"), or an object with such a member ("+valid"); see also always
}

func newSummary() *summary {
	return &summary{result: nothing, self: nothing, seen: map[flow]bool{}, when: map[string]outcome{}, answers: ^uint64(0), writes: map[int]*ir.Expr{}}
}

func (s *summary) addFlow(f flow) {
	k := f // but for what does not tell flows apart
	k.name, k.about, k.head, k.step, k.guesses = strconv.FormatBool(f.fits()), "", "", nil, 0
	if s.seen[k] {
		return
	}
	if len(s.flows) >= maxFlows {
		s.cut = true
		return
	}
	s.seen[k] = true
	s.flows = append(s.flows, f)
}

// summarize reads a function, once for each context.
func (a *analyzer) summarize(fn *ir.Func, ctx callgraph.Context) *summary {
	k := key{fn, ctx}
	if s := a.known[k]; s != nil {
		a.cut = a.cut || s.cut
		return s
	}
	within := a.busy[fn] > 0 && (fn.Scope.Up.Owner() == nil || a.busy[fn] > mostWrapped) // a function of wrap(wrap(f)) does not call itself
	if within || a.depth >= maxDepth || a.left <= 0 {
		a.cut = a.cut || !within
		return newSummary()
	}
	a.known[k] = newSummary()
	a.busy[fn]++
	a.depth++
	r := &reader{a: a, fn: fn, ctx: ctx, st: newState(), sum: newSummary()}
	for _, p := range fn.Params {
		r.st.vars[variable{fn.Scope, p.Name}] = newValue(mark{src: source{param: p.Index}, whole: true})
	}
	r.runBody(fn)
	for _, d := range r.sum.descents { // it enters itself
		if at := r.sum.writes[d.param]; at != nil {
			r.prototypeSink(at, d.keyed)
		}
	}
	r.sum.result = r.result
	receiver := paramOf(fn, -1)
	name := "this"
	if receiver != nil {
		name = receiver.Name
	}
	r.sum.self = cmp.Or(r.st.vars[variable{fn.Scope, name}], nothing)
	r.sum.raises = r.st.dead && !r.sum.returns && !a.cut && receiver == nil // a method that only raises may be there for other classes to replace
	a.depth--
	a.busy[fn]--
	if a.known[k] = r.sum; a.cut {
		delete(a.known, k)
	}
	a.cut = a.cut || r.sum.cut
	return r.sum
}

// runBody reads the body of a function and its last end.
func (r *reader) runBody(fn *ir.Func) {
	r.exec(fn.Body)
	if !r.st.dead {
		r.end()
		r.noteOutcome("-", r.st)
	}
}
