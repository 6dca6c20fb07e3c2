package taint

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"gauntlet/sink"
)

// A source is where a value came from: a parameter of the function that is read, or a member of it.
type source struct {
	param int    // its index
	path  string // "" for the parameter itself, ".a.b" for a member
}

// A member of a member of a parameter is told apart so far: what lies deeper is a part of it.
const (
	maxPathLength  = 100
	maxPathMembers = 5
)

// below returns the source that is a member of a source; ok is false where it lies too deep.
func (s source) below(name string) (_ source, ok bool) {
	if len(s.path)+len(name) > maxPathLength || strings.Count(s.path, ".") >= maxPathMembers {
		return s, false
	}
	s.path += "." + name
	return s, true
}

// A fact is something that is known of a value because of what was done to it or asked of it.
type fact uint64

const (
	resolved     fact = 1 << iota // made absolute, without ".."
	real                          // symbolic links resolved
	contained                     // lies in a directory: compared with a separator, or by relative paths
	prefixed                      // begins with a directory's name, compared without a separator
	noDotDot                      // holds no ".."
	noSlash                       // holds no separator, so it is one file name
	denylisted                    // compared with a list of what is refused
	shellQuoted                   // quoted for a shell by a function made for that
	halfQuoted                    // some characters are escaped, not all
	noShellMeta                   // holds no character that a shell acts on, no blank either
	noQuote                       // holds no quotation mark and no backslash, so it cannot leave a SQL literal
	noDash                        // does not begin with "-"
	encoded                       // percent-encoded
	hostOf                        // the host part of an address
	looked                        // what a name server answered for a host
	hostAllowed                   // its host is one of a list, or ends with a fixed one
	hostLiteral                   // its host was compared as text, before it was looked up
	hostResolved                  // the address that its host has was compared
	hosts
	split         // was split into words, so it is any number of them
	validated     // a function of the program refuses some of it, in a way that is not understood
	swallowed     // a refusal is caught, and the work goes on
	relative      // is the way from one directory to a path
	common        // is what several paths have in common
	jsonQuoted    // written as a JSON string
	fenced        // compared with a directory and a separator; whether it was resolved before, the caller knows
	schemeOf      // the scheme of an address
	schemeAllowed // the scheme of the address is one of a list
	dottedOnly    // its address was compared by a function that knows IPv4 as four numbers only
	sqlQuoted     // its quotation marks are doubled, so it cannot leave the literal or name that it stands in
	noLetters     // holds digits, blanks and signs only, so it names nothing
	isText        // is a text, so that no member of it is the caller's
	switchedOff   // what guards it is off unless the server's environment turns it on
	wordsAsked    // it, or its first word, was compared with the verbs of statements
	oneStatement  // it was asked for ";", or is run by what takes one statement only
	inMemory      // bytes or a stream of them, which name no file
	filterQuoted  // quoted for a filter of a directory service
	slashed       // its backslashes are doubled
	patternQuoted // quoted for a regular expression
	slashQuoted   // its quotation marks have a backslash in front, and its backslashes are doubled
	few           // a condition has shown it to be one of a few values, so that nothing of it is the caller's
)

// A step is one place on the way from a parameter, the latest first.
type step struct {
	at   sink.Place
	what string
	from *step
	n    int
}

const maxSteps = 40

func (s *step) add(at sink.Place, what string) *step {
	n := 1
	if s != nil {
		if n = s.n + 1; n > maxSteps || s.at.File == at.File && s.at.Line == at.Line && s.what == what {
			return s
		}
	}
	return &step{at: at, what: what, from: s, n: n}
}

// A mark is a part of a value that came from a source.
type mark struct {
	src   source
	whole bool   // the value is the source itself, so its members are members of the source
	facts fact   // of this value
	head  string // constant text in front of it; unknown text is \x00
	step  *step
}

// A value is what is known of where an expression's value came from. Values are never changed.
type value struct {
	marks  []mark
	fields map[string]*value // members that are known one by one; those of a list by number
	length int               // of a list, -1 for anything else
	fixed  string            // the constant text that it is, as far as that is known
	depth  int               // of members inside each other
	keyed  []mark            // the names of the caller's choosing by which it was got
	size   int               // how many values there are below it, about
}

// maxNesting is how deep members are told apart; below it only the marks are kept.
const maxNesting = 6

var nothing = &value{length: -1}

// maxMarks is how many marks of one value are kept. moreMembers is the member that stands for the rest of what a parameter holds: what
// arrives from it at a sink was not followed to the end.
const (
	maxMarks    = 24
	moreMembers = ".\x00more"
)

func itoa(n int) string { return strconv.Itoa(n) }

func newValue(marks ...mark) *value { return &value{marks: marks, length: -1} }

// isClean reports whether nothing in a value came from a source.
func (v *value) isClean() bool {
	if len(v.marks) > 0 {
		return false
	}
	for _, f := range v.fields {
		if !f.isClean() {
			return false
		}
	}
	return true
}

// all returns the marks of a value and of its members, in a list that nobody else holds.
func (v *value) all() []mark { return slices.Clone(v.collect(nil, 0)) }

func (v *value) collect(out []mark, depth int) []mark {
	out = addMarks(out, v.marks...)
	if depth > maxNesting || len(v.fields) == 0 {
		return out
	}
	for _, name := range slices.Sorted(maps.Keys(v.fields)) {
		out = v.fields[name].collect(out, depth+1)
	}
	return out
}

// addMarks returns a list with marks that are not there yet. Of two that differ in facts alone, what both have remains.
func addMarks(list []mark, more ...mark) []mark {
	if len(list) == 0 && len(more) <= 1 {
		return more
	}
	out := append(make([]mark, 0, len(list)+len(more)), list...) // others may hold the list
	for _, m := range more {
		if len(out) >= maxMarks && indexOfMark(out, m) < 0 {
			m = mark{src: source{param: m.src.param, path: moreMembers}}
		}
		if i := indexOfMark(out, m); i < 0 {
			out = append(out, m)
		} else if out[i].facts&m.facts != out[i].facts {
			out[i].facts = joinFacts(out[i].facts, m.facts)
		}
	}
	return out
}

// indexOfMark returns where a mark stands that differs in facts and steps alone, -1 for nowhere.
func indexOfMark(list []mark, m mark) int {
	return slices.IndexFunc(list, func(have mark) bool { return have.src == m.src && have.whole == m.whole && have.head == m.head })
}

// warnings are facts that hold as soon as one of two ways has them.
const warnings = denylisted | halfQuoted | swallowed | split | prefixed | validated | dottedOnly | switchedOff

// attempts are facts that hold as well as they can where one of two ways has them: a path that does not exist yet has no
// symbolic links to resolve.
const attempts = real

func joinFacts(a, b fact) fact { return a&b | (a|b)&(warnings|attempts) }

// join returns what is known of a value that is one of two.
func join(a, b *value) *value {
	switch {
	case a == b || b == nil:
		return a
	case a == nil:
		return b
	case a.isEmpty():
		return b
	case b.isEmpty():
		return a
	}
	out := &value{marks: addMarks(addMarks(nil, a.marks...), b.marks...), length: -1}
	if len(a.keyed)+len(b.keyed) > 0 {
		out.keyed = addMarks(a.keyed, b.keyed...)
	}
	if a.length >= 0 && b.length >= 0 {
		out.length = max(a.length, b.length)
	}
	if len(a.fields)+len(b.fields) == 0 {
		return out
	}
	names := map[string]bool{}
	for _, v := range []*value{a, b} {
		for name := range v.fields {
			names[name] = true
		}
	}
	out.fields = make(map[string]*value, len(names))
	for _, name := range slices.Sorted(maps.Keys(names)) {
		out.put(name, join(a.memberOrRest(name), b.memberOrRest(name)))
	}
	return out
}

// memberOrRest returns a member or, of a value that has none of that name, what its source has under it: where one of two ways
// sets params.arguments, the caller's own arrive on the other.
func (v *value) memberOrRest(name string) *value {
	if f := v.fields[name]; f != nil || name == "*" {
		return f
	}
	if m := v.member(name); !m.isEmpty() {
		return m
	}
	return nil
}

func (v *value) isEmpty() bool {
	return len(v.marks) == 0 && len(v.fields) == 0 && v.length < 0 && len(v.keyed) == 0
}

// each returns a value with its marks changed; members are given up.
func (v *value) each(change func(m *mark)) *value {
	marks := v.all()
	for i := range marks {
		change(&marks[i])
	}
	return newValue(addMarks(nil, marks...)...)
}

func (v *value) derived(add fact) *value {
	return v.each(func(m *mark) { m.whole = false; m.facts |= add })
}

// scalars are members that hold no text of what they are members of.
var scalars = map[string]bool{"length": true, "size": true, "count": true, "byteLength": true, "success": true, "constructor": true}

// optionNames are those of them that a tool's parameters are called, too: args.size.
var optionNames = map[string]bool{"size": true, "count": true}

// hostMembers are members of a parsed address that are its host, or hold it.
var hostMembers = map[string]bool{"hostname": true, "origin": true, "host": true, "netloc": true, "Host": true, "Hostname": true}

// addressMembers are those that nothing but a parsed address has.
var addressMembers = map[string]bool{"hostname": true, "netloc": true, "Hostname": true}

// schemeMembers are members of a parsed address that are its scheme.
var schemeMembers = map[string]bool{"protocol": true, "scheme": true, "Scheme": true}

func (v *value) member(name string) *value {
	if f := v.fields[name]; f != nil {
		return join(f, v.fields["*"])
	}
	if scalars[name] && !(optionNames[name] && v.length < 0) {
		return nothing
	}
	out := &value{length: -1}
	for _, m := range v.marks {
		if scalars[name] && (!m.whole || m.src.path != "" && !strings.HasSuffix(m.src.path, "rguments")) {
			continue
		}
		if m.whole {
			m.src, m.whole = m.src.below(name)
			if addressMembers[name] {
				m.facts |= hostOf // of a parsed address that a helper is given
			}
		} else if hostMembers[name] {
			m.facts |= hostOf
		} else if schemeMembers[name] {
			m.facts |= schemeOf
		} else if name == "suffix" { // of pathlib: that it is a certain one says nothing of where the path lies
			m.facts &^= resolved | real
		}
		out.marks = addMarks(out.marks, m)
	}
	return join(out, v.fields["*"])
}

func (v *value) elements() *value {
	out := &value{length: -1}
	for _, m := range v.marks {
		if m.whole {
			m.src, m.whole = m.src.below("*")
		}
		out.marks = addMarks(out.marks, m)
	}
	for _, name := range slices.Sorted(maps.Keys(v.fields)) {
		out = join(out, v.fields[name])
	}
	return out
}

// with returns a value in which a member is another one.
func (v *value) with(name string, member *value) *value {
	out := *v
	out.fields = maps.Clone(v.fields)
	if out.fields == nil {
		out.fields = map[string]*value{}
	}
	out.put(name, member)
	return &out
}

// put adds a member to a value that is being made.
func (v *value) put(name string, member *value) {
	if member.depth >= maxNesting || v.size+member.size > maxSize {
		member = newValue(member.all()...)
	}
	if have := v.fields[name]; have == nil && len(v.fields) >= maxFields {
		name, member = "*", join(v.fields["*"], member) // any of the rest
	}
	v.fields[name] = member
	v.depth = max(v.depth, member.depth+1)
	v.size += member.size + 1
}

// maxSize is how many members of members are told apart in one value.
const maxSize = 300

// maxFields is how many members of one value are told apart.
const maxFields = 60

func (v *value) push(element *value) *value {
	n := max(v.length, 0)
	out := v.with(strconv.Itoa(n), element)
	out.length = n + 1
	return out
}

// extend returns a list with the elements of another one; of one of unknown length, with any of them.
func (v *value) extend(list *value) *value {
	for _, e := range list.known() {
		v = v.push(e)
	}
	if list.length < 0 {
		v = v.push(list.elements())
	}
	return v
}

// at returns the value at a path below it: ".a.b".
func (v *value) at(path string) *value {
	for path != "" && !v.isEmpty() {
		var name string
		name, path, _ = strings.Cut(path[1:], ".")
		if path != "" {
			path = "." + path
		}
		if name == "*" {
			v = v.elements()
		} else {
			v = v.member(name)
		}
	}
	return v
}

// marked returns a value with its own marks changed.
func (v *value) marked(change func(m *mark)) *value {
	out := *v
	out.marks = slices.Clone(v.marks)
	for i := range out.marks {
		change(&out.marks[i])
	}
	return &out
}

// dropping returns a value without some facts.
func (v *value) dropping(f fact) *value { return v.marked(func(m *mark) { m.facts &^= f }) }

// adding returns a value with facts added that leave it what it is.
func (v *value) adding(f fact) *value { return v.marked(func(m *mark) { m.facts |= f }) }
