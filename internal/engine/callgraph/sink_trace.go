package callgraph

import (
	"cmp"
	"slices"
	"strings"

	"gauntlet/capability"
	"gauntlet/internal/leaf/ir"
	"gauntlet/sink"
)

// MaxDepth is the number of calls, one inside the other, that are followed from a handler.
const MaxDepth = 16

const maxFunctions = 3_000 // frames read for one tool

// A sinkReader reads what functions do themselves, and follows their calls from a handler outwards.
type sinkReader struct {
	*evaluator
	read   map[*frame]*summary
	traces map[*frame]traced
}

// A visit is a frame on the way from a handler.
type visit struct {
	f     *frame
	from  *visit
	at    sink.Place
	depth int
	guess bool
}

// A traced is what was found from some frames: calls, gaps and tags of a handler, and what is asked of its tool's name.
type traced struct {
	sink.Handler
	asked
}

// traceHandler reads everything that can be reached from some frames, the nearest first. What starts from
// one frame is read once, however many tools it answers.
func (sr *sinkReader) traceHandler(h *sink.Handler, from ...*frame) (named bool) {
	t, ok := sr.traces[from[0]]
	if !ok || len(from) > 1 {
		t = sr.traceFrames(from)
	}
	if len(from) == 1 {
		sr.traces[from[0]] = t
	}
	h.Calls, h.Gaps, h.Maybe = slices.Clone(t.Calls), slices.Clone(t.Gaps), slices.Clone(t.Maybe)
	return t.named
}

func (sr *sinkReader) traceFrames(from []*frame) (out traced) {
	seen := map[*frame]bool{}
	var queue []*visit
	for _, f := range from {
		if !seen[f] {
			seen[f] = true
			queue = append(queue, &visit{f: f})
		}
	}
	c := collector{h: &out.Handler, calls: map[callKey]bool{}, gaps: map[sink.Gap]bool{}}
	for len(queue) > 0 {
		v := queue[0]
		queue = queue[1:]
		sr.work++
		s := sr.summarize(v.f)
		out.named = out.named || s.named
		out.labels, out.tables = append(out.labels, s.labels...), append(out.tables, s.tables...)
		c.addSummary(s, v)
		for _, e := range s.edges {
			switch {
			case seen[e.to], v.countOnPath(e.to.fn) > 1:
				continue // read already; a recursion with other arguments reads the same code again
			case v.depth >= MaxDepth:
				c.addGap(sink.Gap{Reason: sink.TooDeep, Detail: e.to.fn.Name, At: e.at})
				continue
			case len(seen) > maxFunctions || sr.work > maxWork:
				c.addGap(sink.Gap{Reason: sink.TooMuch, Detail: e.to.fn.Name, At: e.at})
				continue
			}
			seen[e.to] = true
			queue = append(queue, &visit{f: e.to, from: v, at: e.at, depth: v.depth + 1, guess: v.guess || e.guess})
		}
	}
	c.sortCalls()
	return out
}

// countOnPath counts how often a function is on the way.
func (v *visit) countOnPath(fn *ir.Func) int {
	n := 0
	for ; v != nil; v = v.from {
		if v.f.fn == fn {
			n++
		}
	}
	return n
}

type callKey struct {
	tag        capability.Tag
	kind, name string
	strength   sink.Strength
}

// collector keeps the first, and so the nearest, of equal calls and gaps.
type collector struct {
	h        *sink.Handler
	calls    map[callKey]bool
	free     []int
	gaps     map[sink.Gap]bool // without their places
	readOnly bool
}

func (c *collector) addSummary(s *summary, v *visit) {
	c.readOnly = c.readOnly || s.readOnly
	for _, f := range s.calls {
		c.addCall(f, v)
	}
	if v.from == nil {
		for _, f := range s.answered {
			c.addCall(f, v)
		}
	}
	for _, g := range s.gaps {
		c.addGap(g)
	}
	for _, tag := range s.maybe {
		if !slices.Contains(c.h.Maybe, tag) {
			c.h.Maybe = append(c.h.Maybe, tag)
		}
	}
}

func (c *collector) addCall(f found, v *visit) {
	if v.guess {
		f.Strength = sink.Weak
	}
	k := callKey{f.Tag, f.Kind, f.Name, f.Strength}
	if c.calls[k] {
		return
	}
	c.calls[k] = true
	for at := v; at.from != nil; at = at.from {
		f.Chain = append(f.Chain, sink.Step{Func: qualifiedName(at.f), At: at.at})
	}
	slices.Reverse(f.Chain)
	if f.free && f.Tag == capability.DBWrite {
		c.free = append(c.free, len(c.h.Calls))
	}
	c.h.Calls = append(c.h.Calls, f.Call)
}

func qualifiedName(f *frame) string {
	name := cmp.Or(f.fn.Name, "(function)")
	if f.fn.Class != nil {
		return f.fn.Class.Name + "." + name
	}
	return name
}

func (c *collector) addGap(g sink.Gap) {
	const enough = 40
	k := sink.Gap{Reason: g.Reason, Detail: g.Detail}
	if !c.gaps[k] && len(c.h.Gaps) < enough {
		c.gaps[k] = true
		c.h.Gaps = append(c.h.Gaps, g)
	}
}

// sortCalls applies what holds for the handler as a whole, and sorts.
func (c *collector) sortCalls() {
	if c.readOnly {
		for _, i := range c.free {
			c.h.Calls[i].Strength = sink.Weak // the database refuses to write, unless the caller ends the transaction
		}
	}
	tags := capability.Tags()
	slices.SortStableFunc(c.h.Calls, func(a, b sink.Call) int {
		return cmp.Or(
			cmp.Compare(slices.Index(tags, a.Tag), slices.Index(tags, b.Tag)),
			cmp.Compare(b.Strength, a.Strength),
			cmp.Compare(len(a.Chain), len(b.Chain)),
			strings.Compare(a.At.File, b.At.File),
			cmp.Compare(a.At.Start, b.At.Start),
			strings.Compare(a.Name, b.Name),
		)
	})
}
