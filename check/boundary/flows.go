package boundary

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"gauntlet/check"
	"gauntlet/finding"
	"gauntlet/trace"
	"gauntlet/trust"
)

// A flow is one value of a result that stands in a later call to another server.
type flow struct {
	from, to int // places in talk.calls
	held     held
	value    string // "" for an array or object
	how      how
	offset   int // of the argument in its message, in bytes
	start    int // where in the argument a verbatim text begins, in bytes
	chars    int // of a common part, its length
	known    int // the message in which the client had sent the value before; 0 for none
	given    bool
	through  int    // the call to the sanitizer whose output it is; -1 for none
	clause   string // what of the declared boundary failed
}

// flows are what SEC-060 and its note have to say of one trace.
type flows struct {
	talk    *talk
	crossed []flow // verbatim
	changed []flow // after one transformation
	// left counts flows that are not in the lists, since there are too many.
	leftCrossed, leftChanged int
	// cut counts arguments in which more values stand than are told apart.
	cut   int
	steps int
	limit string // in words
}

// A tag says that the output of a sanitizer comes from the result of a call.
type tag struct {
	origin held
	passed uint64 // the sanitizers on the way
	known  int    // see flow
	given  bool
}

// maxTags bounds what one sanitizer's output is said to come from.
const maxTags = 256

// A tracer walks a trace and finds flows.
type tracer struct {
	trace    *trace.Trace // nil where calls come one by one, see Watch
	boundary trust.Boundary
	limits   trust.Limits
	talk     *talk
	index    *index
	sweep    *sweep
	required uint64
	tags     map[int][]tag          // by the call to a sanitizer
	given    map[int]map[uint64]int // by call: the message in which a sanitizer got its result
	flows    flows
}

// seq returns the number of a message by its place. Without a trace the place is the number.
func (w *tracer) seq(place int) int {
	if w.trace == nil {
		return place
	}
	return w.trace.Messages[place].Seq
}

type flowsKey struct{}

// flowsOf finds the flows of a trace, once for all checks.
func flowsOf(p *check.Pass) *flows {
	return p.Shared(flowsKey{}, func() any {
		k := listen(p.Trace, p.Boundary.Sanitizers)
		k.scanned(p)
		return findFlows(p.Trace, p.Boundary, k)
	}).(*flows)
}

func findFlows(t *trace.Trace, b trust.Boundary, k *talk) *flows {
	w := newTracer(t, b)
	w.talk = k
	w.index, w.sweep = build(t, w.talk, w.limits)
	w.index.know(b.Given)
	w.walk()
	w.flows.talk, w.flows.steps = w.talk, w.index.steps()
	w.flows.limit = fmt.Sprintf("at most %d earlier results for one argument, and %d findings, are reported", w.limits.Producers, w.limits.Findings)
	return &w.flows
}

func newTracer(t *trace.Trace, b trust.Boundary) *tracer {
	return &tracer{
		trace: t, boundary: b, limits: b.Limits.WithDefaults(), required: 1<<min(len(b.Sanitizers), maxSanitizers) - 1,
		tags: map[int][]tag{}, given: map[int]map[uint64]int{},
	}
}

// walk goes through the messages in their order, so that what a call can have from a result
// is what has arrived before it.
func (w *tracer) walk() {
	answers := w.talk.answers
	for i := range w.trace.Messages {
		m := &w.trace.Messages[i]
		if len(answers) > 0 && answers[0] == i {
			answers = answers[1:]
			w.answer(m)
			continue
		}
		at, ok := w.talk.at[m.Seq]
		if !ok {
			continue
		}
		switch c := &w.talk.calls[at]; i {
		case c.request:
			w.call(at, m) // what is no JSON gives its server nothing
		case c.result:
			w.index.arrive(at, c.server)
		}
	}
}

// answer learns from what the client answered to a server: the user knew it.
func (w *tracer) answer(m *trace.Message) {
	if !w.sweep.parse(m.Raw) {
		return
	}
	w.sweep.add(w.sweep.root().Get("result"))
	for i := range w.sweep.entries {
		exact, other, _ := w.index.look(&w.sweep.entries[i])
		w.index.sent(m.Seq, exact, other)
	}
}

// A cover says that an array or object was found as a whole in a result, so that its parts
// say nothing new about that result.
type cover struct {
	end  int
	from map[int]bool
}

// call judges what a request gives to its server; false if it cannot be read.
func (w *tracer) call(at int, m *trace.Message) bool {
	if !w.sweep.parse(m.Raw) {
		return false
	}
	w.sweep.inputs()
	var covers []cover
	for i := range w.sweep.entries {
		e := &w.sweep.entries[i]
		for len(covers) > 0 && covers[len(covers)-1].end <= i {
			covers = covers[:len(covers)-1]
		}
		exact, other, all := w.index.look(e)
		if !all {
			w.flows.cut++
		}
		a := argument{tracer: w, to: at, entry: e, covers: covers}
		a.judge(exact, other)
		if e.text == "" && len(a.whole) > 0 {
			covers = append(covers, cover{e.end, a.whole})
		}
		w.index.sent(m.Seq, exact, other)
	}
	return true
}

// An argument is one value of a call while it is judged.
type argument struct {
	*tracer
	to     int
	entry  *entry
	covers []cover
	whole  map[int]bool    // the calls whose results hold something of it verbatim
	direct map[int]*flow   // by the call whose result held the value
	passed map[int]*origin // by the call that the output of a sanitizer comes from
	order  []int           // of direct and passed, as found
	left   int
}

// An origin is a result whose value came here through sanitizers.
type origin struct {
	tag     tag
	through int
	unit    int
	at      int
}

func (a *argument) judge(exact, other []hit) {
	to := &a.talk.calls[a.to]
	exact = slices.DeleteFunc(exact, func(h hit) bool { return a.talk.excluded(a.index.units[h.unit].text, to) })
	if len(exact) > 0 && len(a.flows.crossed) >= a.limits.Findings && to.sanitizer == 0 {
		// No more are reported, and a note beside what is left out helps nobody.
		a.flows.leftCrossed += a.count(exact)
		return
	}
	if len(exact) > 0 {
		a.whole, a.direct, a.passed = map[int]bool{}, map[int]*flow{}, map[int]*origin{}
	}
	for _, h := range exact {
		a.gather(h)
	}
	if to.sanitizer != 0 {
		a.tagged(to)
		return
	}
	for _, from := range a.order {
		f := a.settle(from)
		switch {
		case f == nil:
		case len(a.flows.crossed) >= a.limits.Findings:
			a.flows.leftCrossed++
		default:
			a.flows.crossed = append(a.flows.crossed, *f)
		}
	}
	a.flows.leftCrossed += a.left
	a.note(other)
}

// count says how many results at most hold what stands here: of several values that of the most.
func (a *argument) count(exact []hit) int {
	to := &a.talk.calls[a.to]
	most := 0
	for _, h := range exact {
		n := 0
		for _, o := range a.index.units[h.unit].holders {
			if o.server != to.server && !(a.required == 0 && a.allowed(&call{server: o.server}, to)) {
				n += o.n
			}
		}
		most = max(most, n)
	}
	return most
}

// gather sorts the results that hold a verbatim value by what they are to this call.
func (a *argument) gather(h hit) {
	u := &a.index.units[h.unit]
	to := &a.talk.calls[a.to]
	left := 0
	for i := range u.holders {
		o := &u.holders[i]
		for _, first := range o.firsts {
			from := &a.talk.calls[first.call]
			a.whole[first.call] = true
			if a.covered(first.call) {
				continue
			}
			if from.sanitizer != 0 && !from.failed {
				a.through(h, first.call)
				continue
			}
			// A sanitizer takes what its own server returned as well.
			if o.server != to.server || to.sanitizer != 0 {
				a.add(h, u, first)
			}
		}
		if o.server != to.server {
			left += o.n - len(o.firsts)
		}
	}
	if to.sanitizer == 0 {
		a.left = max(a.left, left) // results that hold several values count once
	}
}

func (a *argument) covered(call int) bool {
	for _, c := range a.covers {
		if c.from[call] {
			return true
		}
	}
	return false
}

// add remembers a value of a result; of several the longest.
func (a *argument) add(h hit, u *unit, from held) {
	f, ok := a.direct[from.call]
	if ok && len(f.value) >= len(u.text) {
		return
	}
	if !ok && a.passed[from.call] == nil {
		a.order = append(a.order, from.call)
	}
	a.direct[from.call] = &flow{from: from.call, to: a.to, held: from, value: u.text, offset: a.entry.value.Offset(), start: h.at, known: a.before(u, from), given: u.given, through: -1}
}

// before returns the message in which the client had sent a value before a result had it.
func (a *argument) before(u *unit, from held) int {
	if u.asked != 0 && u.asked < a.seq(a.talk.calls[from.call].result) {
		return u.asked
	}
	return 0
}

// through remembers where the output of a sanitizer comes from.
func (a *argument) through(h hit, sanitizer int) {
	for _, t := range a.tags[sanitizer] {
		from := t.origin.call
		o := a.passed[from]
		if o != nil && bits.OnesCount64(o.tag.passed) >= bits.OnesCount64(t.passed) {
			continue
		}
		if o == nil && a.direct[from] == nil {
			a.order = append(a.order, from)
		}
		a.passed[from] = &origin{t, sanitizer, h.unit, h.at}
	}
}

// tagged marks the output of this call, which is one to a sanitizer, with all that went in.
func (a *argument) tagged(to *call) {
	tags := a.tags[a.to]
	add := func(t tag) {
		t.passed |= to.sanitizer
		for i := range tags {
			if tags[i].origin.call == t.origin.call && tags[i].passed == t.passed {
				return
			}
		}
		if len(tags) < maxTags {
			tags = append(tags, t)
		}
		got := a.given[t.origin.call]
		if got == nil {
			got = map[uint64]int{}
			a.given[t.origin.call] = got
		}
		if got[to.sanitizer] == 0 {
			got[to.sanitizer] = a.seq(to.request)
		}
	}
	for _, from := range a.order {
		if f := a.direct[from]; f != nil {
			add(tag{origin: f.held, known: f.known, given: f.given})
		}
		if o := a.passed[from]; o != nil {
			add(o.tag)
		}
	}
	a.tags[a.to] = tags
}

// settle returns the flow from one result to this argument, nil if it is clear.
func (a *argument) settle(from int) *flow {
	src, to := &a.talk.calls[from], &a.talk.calls[a.to]
	if src.server == to.server {
		return nil
	}
	f, o := a.direct[from], a.passed[from]
	clean := o != nil && o.tag.passed == a.required
	if f != nil && clean && !strings.Contains(a.index.units[o.unit].text, f.value) {
		clean = false // the value stands here beside what the sanitizer made of it
	}
	if f == nil {
		f = &flow{from: from, to: a.to, held: o.tag.origin, value: a.index.units[o.unit].text, offset: a.entry.value.Offset(), start: o.at, known: o.tag.known, given: o.tag.given, through: o.through}
	}
	f.clause = a.failed(f, src, to, clean, o)
	if f.clause == "" {
		return nil
	}
	return f
}

// failed says which part of the declared boundary a flow fails, "" for none.
func (a *argument) failed(f *flow, src, to *call, clean bool, o *origin) string {
	if !a.allowed(src, to) {
		return a.undeclared(src, to)
	}
	if a.required == 0 || clean {
		return ""
	}
	for bit, s := range a.boundary.Sanitizers {
		if o != nil && f.through >= 0 && o.tag.passed&(1<<bit) != 0 {
			continue
		}
		if seq := a.gotBy(f.from, bit, f.to); seq > 0 && f.through < 0 {
			return "required_sanitizers: " + s.Text + " got it" + a.message(seq) + ", and what stands here is not its output"
		}
		return "required_sanitizers: it did not pass " + s.Text
	}
	return "required_sanitizers: it did not pass them all"
}

// message names one of the trace by its number.
func (w *tracer) message(seq int) string {
	if w.trace == nil {
		return ""
	}
	return " (message " + itoa(seq) + ")"
}

// gotBy returns the first message in which a sanitizer got the result of a call, before another
// call; 0 if it did not.
func (a *argument) gotBy(from, bit, to int) int {
	first := 0
	for mask, seq := range a.given[from] {
		before := seq < a.seq(a.talk.calls[to].request)
		if mask&(1<<bit) != 0 && before && (first == 0 || seq < first) {
			first = seq
		}
	}
	return first
}

func (a *argument) allowed(src, to *call) bool {
	for _, f := range a.boundary.Flows {
		if matches(f.From.Text, src.server, src.tool) && matches(f.To.Text, to.server, to.tool) {
			return true
		}
	}
	return false
}

func (a *argument) undeclared(src, to *call) string {
	if len(a.boundary.Flows) == 0 {
		return "allowed_flows: no flow is declared"
	}
	return "allowed_flows: none from " + shown(src.server) + " to " + shown(to.server)
}

// severity of a verbatim flow: what the user gave before is worth less, and still a flow.
func (f *flow) severity() finding.Severity {
	if f.known != 0 || f.given {
		return finding.Medium
	}
	return finding.High
}
