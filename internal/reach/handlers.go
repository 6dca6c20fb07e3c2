package reach

import (
	"cmp"
	"slices"
	"strings"

	"gauntlet/capability"
	"gauntlet/internal/program"
	"gauntlet/sink"
)

// A tie is a function that answers a tool, as it was found.
type tie struct {
	tool string
	via  sink.Via
	fn   value
	at   sink.Place
	// given are the arguments that a dispatcher gets: the name of the tool.
	given [][]value
	alone bool // it is the only tool of the dispatcher, which has nothing to branch on
}

func (en *engine) sources(tools []string) *sink.Sources {
	out := &sink.Sources{Files: len(en.prog.Files)}
	listed := map[string]bool{}
	for _, name := range tools {
		listed[name] = true
	}
	ties := en.ties(listed)
	seen := map[string]int{}
	for _, t := range ties {
		h := en.handler(t)
		if i, ok := seen[t.tool]; ok {
			merge(&out.Handlers[i], h)
			continue
		}
		seen[t.tool] = len(out.Handlers)
		out.Handlers = append(out.Handlers, h)
		listed[t.tool] = true
	}
	slices.SortFunc(out.Handlers, func(a, b sink.Handler) int { return strings.Compare(a.Tool, b.Tool) })
	for name := range listed {
		out.Listed = append(out.Listed, name)
	}
	slices.Sort(out.Listed)
	return out
}

// merge joins a second registration of the same name: which of them the server uses is not
// known, so what either does counts, and what neither could be read.
func merge(h *sink.Handler, more sink.Handler) {
	type key struct {
		tag  capability.Tag
		name string
		at   sink.Place
	}
	have := map[key]bool{}
	for _, c := range h.Calls {
		have[key{c.Tag, c.Name, c.At}] = true
	}
	for _, c := range more.Calls {
		if !have[key{c.Tag, c.Name, c.At}] {
			h.Calls = append(h.Calls, c)
		}
	}
	h.Gaps = append(h.Gaps, more.Gaps...)
}

// handler reads what one tie leads to.
func (en *engine) handler(t tie) sink.Handler {
	late := en.work > maxApart
	if !late {
		clear(en.contexts) // so that a tool is read alike however many came before it
	}
	en.merged = false
	h := sink.Handler{Tool: t.tool, Language: en.conv.Language, Via: t.via, Func: t.fn.fn.Name, At: t.at}
	f := en.enter(t.fn.fn, t.given, receiver(t.fn), t.fn.frame)
	from := []*frame{f}
	for _, d := range t.fn.fn.Decorators { // what wraps the handler runs with it
		if d.Kind == program.Call {
			d = d.X
		}
		for _, v := range en.values(d, nil) {
			if v.kind == function {
				from = append(from, en.enter(v.fn, nil, nil, nil))
			}
		}
	}
	named := en.trace(&h, from...)
	if fn := t.fn.fn; en.conv.Language != "python" && answersElsewhere(fn) { // Python's parameters are the tool's own
		h.Gaps = append(h.Gaps, sink.Gap{Reason: sink.Elsewhere, Detail: fn.Name, At: placeAt(fn.Scope.File, fn.Start, fn.End)})
	}
	if t.via == sink.ByDispatch && !t.alone && (!named || late && en.merged) {
		h.Via = sink.ByFallback
		for i := range h.Calls { // of all tools together; which of them does it is not known
			h.Calls[i].Strength = sink.Weak
		}
		h.Gaps = append(h.Gaps, sink.Gap{Reason: sink.NoBranch, Detail: t.tool, At: t.at})
	}
	return h
}

// answersElsewhere reports whether a handler returns nothing and was given more than its
// arguments: what it leaves there, who called it may act on.
func answersElsewhere(fn *program.Func) bool {
	given := 0
	for _, p := range fn.Params {
		if p.Index >= 0 {
			given++
		}
	}
	return given > 1 && !fn.Lambda && !returns(fn.Body)
}

func returns(body []program.Stmt) bool {
	for i := range body {
		s := &body[i]
		if s.Step == program.Return && s.X != nil || returns(s.Rest) {
			return true
		}
		for _, arm := range s.Arms {
			if returns(arm.Body) {
				return true
			}
		}
	}
	return false
}

// ties finds all handlers: those registered with their tool first, then those of tools that
// are only dispatched.
func (en *engine) ties(listed map[string]bool) []tie {
	var out []tie
	type pair struct {
		tool string
		fn   *program.Func
	}
	seen := map[pair]int{}
	once := func(ts []tie) { // hostile sources register the same again and again; the first place counts
		for _, t := range ts {
			k := pair{t.tool, t.fn.fn}
			i, ok := seen[k]
			switch {
			case !ok:
				seen[k] = len(out)
				out = append(out, t)
			case compareTies(t, out[i]) < 0:
				out[i] = t
			}
		}
	}
	for _, fn := range en.prog.Funcs {
		once(en.decorated(fn))
	}
	for _, c := range en.prog.Calls {
		once(en.registered(c))
	}
	for _, o := range en.prog.Objects {
		once(en.object(o))
	}
	for _, c := range en.prog.Classes {
		once(en.classTool(c))
	}
	have := map[string]bool{}
	for _, t := range out {
		have[t.tool] = true
	}
	declared := map[string]bool{}
	for name := range listed {
		declared[name] = true
	}
	for _, name := range en.declared() {
		declared[name] = true
		listed[name] = true
	}
	out = append(out, en.dispatched(declared, have)...)
	slices.SortStableFunc(out, compareTies)
	return slices.CompactFunc(out, func(a, b tie) bool { return a.tool == b.tool && a.fn.fn == b.fn.fn })
}

func compareTies(a, b tie) int {
	return cmp.Or(strings.Compare(a.tool, b.tool), strings.Compare(a.at.File, b.at.File), cmp.Compare(a.at.Start, b.at.Start))
}
