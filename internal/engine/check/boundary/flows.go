package boundary

import (
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/trace"
	"gauntlet/trust"
)

// A flow is a value of a result that occurs in a later call to another server.
type flow struct {
	from, to int // indexes in log.calls
	held     held
	value    string // "" for an array or object
	how      transformation
	offset   int // of the argument in its message, in bytes
	start    int // of a verbatim text in the argument, in bytes
	chars    int // length of a common part
	known    int // message in which the client had sent the value before; 0 for none
	given    bool
	through  int    // index of the call to the sanitizer that produced it; -1 for none
	clause   string // violated part of the declared boundary
	role     string // for a short value: what its parameter takes
}

// flows are the results of SEC-060 and its note for a trace.
type flows struct {
	log     *callLog
	crossed []flow // verbatim
	changed []flow // after one transformation
	// The left counts are flows omitted from the lists because there are too many.
	leftCrossed, leftChanged int
	// cut counts arguments with more values than are distinguished.
	cut   int
	steps int
	limit string // described
}

// A tag says that a sanitizer's output is derived from a call's result.
type tag struct {
	origin held
	passed uint64 // sanitizers that it passed
	known  int    // as in flow
	given  bool
}

// maxTags limits the sources of a sanitizer's output.
const maxTags = 256

// A flowTracer walks a trace and finds flows.
type flowTracer struct {
	trace    *trace.Trace // nil if calls come one by one, see Watch
	boundary trust.Boundary
	limits   trust.Limits
	log      *callLog
	index    *valueIndex
	sweep    *valueSweep
	required uint64
	tags     map[int][]tag          // by the call to a sanitizer
	given    map[int]map[uint64]int // by call: the message in which a sanitizer received its result
	flows    flows
}

// messageNumber returns the number of the message at an index. Without a trace they are equal.
func (w *flowTracer) messageNumber(place int) int {
	if w.trace == nil {
		return place
	}
	return w.trace.Messages[place].Seq
}

type flowsKey struct{}

// flowsOf finds the flows of a trace, once for all checks.
func flowsOf(p *check.Pass) *flows {
	return p.Shared(flowsKey{}, func() any {
		k := readCalls(p.Trace, p.Boundary.Sanitizers)
		k.addScannedTools(p)
		return findFlows(p.Trace, p.Boundary, k)
	}).(*flows)
}

func findFlows(t *trace.Trace, b trust.Boundary, k *callLog) *flows {
	w := newTracer(t, b)
	w.log = k
	w.index, w.sweep = buildIndex(t, w.log, w.limits)
	w.index.markGiven(b.Given)
	w.traceFlows()
	w.flows.log, w.flows.steps = w.log, w.index.countSteps()
	w.flows.limit = fmt.Sprintf("at most %d earlier results for one argument, and %d findings, are reported", w.limits.Producers, w.limits.Findings)
	return &w.flows
}

func newTracer(t *trace.Trace, b trust.Boundary) *flowTracer {
	return &flowTracer{
		trace: t, boundary: b, limits: b.Limits.WithDefaults(), required: 1<<min(len(b.Sanitizers), maxSanitizers) - 1,
		tags: map[int][]tag{}, given: map[int]map[uint64]int{},
	}
}

// traceFlows processes messages in order, so that a call sees only results received before it.
func (w *flowTracer) traceFlows() {
	for i := range w.trace.Messages {
		m := &w.trace.Messages[i]
		at, ok := w.log.at[m.Seq]
		if !ok {
			continue
		}
		switch c := &w.log.calls[at]; i {
		case c.request:
			w.judgeCall(at, m) // a message that is not JSON gives its server nothing
		case c.result:
			w.index.activateResult(at, c.server)
		}
	}
}

// A cover says that an array or object was found in a result, so that its parts add nothing about that result.
type cover struct {
	end  int
	from map[int]bool
}

// judgeCall judges the input that a request gives its server; false if it is unreadable.
func (w *flowTracer) judgeCall(at int, m *trace.Message) bool {
	if !w.sweep.parseMessage(m.Raw) {
		return false
	}
	w.sweep.addInputs()
	crossed, changed := len(w.flows.crossed), len(w.flows.changed)
	defer func() { w.dropSaid(crossed, changed) }()
	var covers []cover
	for i := range w.sweep.entries {
		e := &w.sweep.entries[i]
		for len(covers) > 0 && covers[len(covers)-1].end <= i {
			covers = covers[:len(covers)-1]
		}
		exact, other, all := w.index.findValues(e)
		if !all {
			w.flows.cut++
		}
		a := argument{flowTracer: w, to: at, entry: e, covers: covers}
		a.judgeArgument(exact, other)
		if e.end > i+1 && len(a.whole) > 0 {
			covers = append(covers, cover{e.end, a.whole})
		}
		w.index.markSent(m.Seq, exact, other)
	}
	return true
}

// dropSaid removes notes, from changed on, about a result and string that a verbatim flow, from crossed on, covers:
// values in the JSON text of a string are found after the string.
func (w *flowTracer) dropSaid(crossed, changed int) {
	notes := slices.DeleteFunc(w.flows.changed[changed:], func(n flow) bool {
		return slices.ContainsFunc(w.flows.crossed[crossed:], func(f flow) bool { return f.from == n.from && f.offset == n.offset })
	})
	w.flows.changed = w.flows.changed[:changed+len(notes)]
}

// An argument is a value of a call while it is judged.
type argument struct {
	*flowTracer
	to     int
	entry  *entry
	covers []cover
	whole  map[int]bool    // calls whose results contain part of it verbatim
	direct map[int]*flow   // by the call whose result contained the value
	passed map[int]*origin // by the call that a sanitizer's output is derived from
	order  []int           // of direct and passed, in order of discovery
	left   int
}

// An origin is a result whose value arrived through sanitizers.
type origin struct {
	tag     tag
	through int
	unit    int
	at      int
}

func (a *argument) judgeArgument(exact, other []hit) {
	to := &a.log.calls[a.to]
	exact = slices.DeleteFunc(exact, func(h hit) bool { return a.log.isExcluded(a.index.units[h.unit].text, to) })
	if len(exact) > 0 {
		a.whole, a.direct, a.passed = map[int]bool{}, map[int]*flow{}, map[int]*origin{}
	}
	for _, h := range exact {
		a.gatherHolders(h)
	}
	if to.sanitizer != 0 {
		a.tagOutput(to)
		return
	}
	for _, from := range a.order {
		f := a.settleFlow(from)
		switch {
		case f == nil:
		case len(a.flows.crossed) >= a.limits.Findings:
			a.flows.leftCrossed++
		default:
			a.flows.crossed = append(a.flows.crossed, *f)
		}
	}
	a.flows.leftCrossed += a.left
	a.noteTransformed(other)
}

// gatherHolders classifies the results that contain a verbatim value by their relation to this call.
func (a *argument) gatherHolders(h hit) {
	u := &a.index.units[h.unit]
	to := &a.log.calls[a.to]
	left := 0
	for i := range u.holders {
		o := &u.holders[i]
		for _, first := range o.firsts {
			from := &a.log.calls[first.call]
			a.whole[first.call] = true
			if a.isCovered(first.call) {
				continue
			}
			if from.sanitizer != 0 && !from.failed {
				a.addSanitized(h, first.call)
				continue
			}
			// A sanitizer also receives what its own server returned.
			if o.server != to.server || to.sanitizer != 0 {
				a.addDirect(h, u, first)
			}
		}
		if o.server != to.server {
			left += o.n - len(o.firsts)
		}
	}
	if to.sanitizer == 0 {
		a.left = max(a.left, left) // results that contain several values count once
	}
}

func (a *argument) isCovered(call int) bool {
	return slices.ContainsFunc(a.covers, func(c cover) bool { return c.from[call] })
}

// addDirect records a value of a result, the longest if there are several.
func (a *argument) addDirect(h hit, u *returnedValue, from held) {
	f, ok := a.direct[from.call]
	if ok && len(f.value) >= len(u.text) {
		return
	}
	if !ok && a.passed[from.call] == nil {
		a.order = append(a.order, from.call)
	}
	a.direct[from.call] = &flow{from: from.call, to: a.to, held: from, value: u.text, offset: a.entry.offset, start: h.at, known: a.sentBefore(u, from), given: u.given, through: -1, role: a.entry.role}
}

// sentBefore returns the message in which the client sent a value before it occurred in a result.
func (a *argument) sentBefore(u *returnedValue, from held) int {
	if u.asked != 0 && u.asked < a.messageNumber(a.log.calls[from.call].result) {
		return u.asked
	}
	return 0
}

// addSanitized records the sources of a sanitizer's output.
func (a *argument) addSanitized(h hit, sanitizer int) {
	for _, t := range a.tags[a.log.calls[sanitizer].origin] {
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

// tagOutput marks the output of this call to a sanitizer with all its sources.
func (a *argument) tagOutput(to *call) {
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
			got[to.sanitizer] = a.messageNumber(to.request)
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

// settleFlow returns the flow from a result to this argument, nil if it is allowed.
func (a *argument) settleFlow(from int) *flow {
	src, to := &a.log.calls[from], &a.log.calls[a.to]
	if src.server == to.server {
		return nil
	}
	f, o := a.direct[from], a.passed[from]
	clean := o != nil && o.tag.passed == a.required
	if f != nil && clean && !strings.Contains(a.index.units[o.unit].text, f.value) {
		clean = false // the value is here next to its sanitized form
	}
	if f == nil {
		f = &flow{from: from, to: a.to, held: o.tag.origin, value: a.index.units[o.unit].text, offset: a.entry.offset, start: o.at, known: o.tag.known, given: o.tag.given, through: o.through}
	}
	if !strings.HasPrefix(a.entry.text[f.start:], f.value) {
		return nil // equal hashes of other texts
	}
	f.clause = a.failedClause(f, src, to, clean, o)
	if f.clause == "" {
		return nil
	}
	return f
}

// failedClause returns the part of the declared boundary that a flow violates, "" for none.
func (a *argument) failedClause(f *flow, src, to *call, clean bool, o *origin) string {
	if !a.allowsFlow(src, to) {
		if len(a.boundary.Flows) == 0 {
			return "allowed_flows: no flow is declared"
		}
		return "allowed_flows: none from " + quoteValue(src.server) + " to " + quoteValue(to.server)
	}
	if a.required == 0 || clean {
		return ""
	}
	for bit, s := range a.boundary.Sanitizers {
		if o != nil && f.through >= 0 && o.tag.passed&(1<<bit) != 0 {
			continue
		}
		if seq := a.gotBy(f.from, bit, f.to); seq > 0 && f.through < 0 {
			return "required_sanitizers: " + s.Text + " received it" + a.quoteNumber(seq) + ", but what is sent here is not its output"
		}
		return "required_sanitizers: it did not pass " + s.Text
	}
	return "required_sanitizers: it did not pass all of them"
}

func (w *flowTracer) quoteNumber(seq int) string {
	if w.trace == nil {
		return ""
	}
	return " (message " + strconv.Itoa(seq) + ")"
}

// gotBy returns the first message before call to in which a sanitizer received the result of call from; 0 for none.
func (a *argument) gotBy(from, bit, to int) int {
	first := 0
	for mask, seq := range a.given[from] {
		before := seq < a.messageNumber(a.log.calls[to].request)
		if mask&(1<<bit) != 0 && before && (first == 0 || seq < first) {
			first = seq
		}
	}
	return first
}

func (a *argument) allowsFlow(src, to *call) bool {
	return slices.ContainsFunc(a.boundary.Flows, func(f trust.Flow) bool {
		return namesServerOrTool(f.From.Text, src.server, src.tool) && namesServerOrTool(f.To.Text, to.server, to.tool)
	})
}

// flowSeverity rates a verbatim flow, lower if the user gave the value before.
func (f *flow) flowSeverity() finding.Severity {
	if f.known != 0 || f.given {
		return finding.Medium
	}
	return finding.High
}
