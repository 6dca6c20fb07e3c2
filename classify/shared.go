package classify

import (
	"fmt"
	"slices"
	"strings"

	"gauntlet/capability"
	"gauntlet/sink"
)

// fewestSharing is how many tools must reach a call for it to be the server's.
const fewestSharing = 4

// A sharedCall is a tag and the place of a call.
type sharedCall struct {
	tag  capability.Tag
	file string
	at   int
}

func shareOf(c *sink.Call) sharedCall { return sharedCall{c.Tag, c.At.File, c.At.Start} }

// sharedCalls are calls that are the server's and no tool's, with one of each for the evidence.
type sharedCalls map[sharedCall]sink.Call

// eachCall visits the calls of all handlers, and returns how many tools have one.
func eachCall(tools []capability.Tool, handlers map[string]*sink.Handler, visit func(*capability.Tool, *sink.Call)) (tied int) {
	for i := range tools {
		h := handlers[tools[i].Name]
		if h == nil {
			continue
		}
		tied++
		for j := range h.Calls {
			visit(&tools[i], &h.Calls[j])
		}
	}
	return tied
}

// findShared finds the calls that a third of the tools reach while less than half of these say so.
func findShared(tools []capability.Tool, handlers map[string]*sink.Handler) sharedCalls {
	reach, spoken := map[sharedCall]int{}, map[sharedCall]int{}
	one := map[sharedCall]sink.Call{}
	tied := eachCall(tools, handlers, func(t *capability.Tool, c *sink.Call) {
		k := shareOf(c)
		if _, ok := one[k]; !ok {
			one[k] = *c
		}
		reach[k]++
		if t.Has(c.Tag, capability.Medium) != nil {
			spoken[k]++
		}
	})
	out := sharedCalls{}
	for k, n := range reach {
		if n >= fewestSharing && 3*n >= tied && 2*spoken[k] < n {
			out[k] = one[k]
		}
	}
	return out
}

// without returns the handler as it is without the server's own calls, for a tag that the definition says nothing of; what a
// definition says is confirmed by any call.
func (s sharedCalls) without(said capability.Confidence, h *sink.Handler) *sink.Handler {
	if len(s) == 0 || said != "" {
		return h
	}
	own := *h
	own.Calls = slices.DeleteFunc(slices.Clone(h.Calls), func(c sink.Call) bool { _, ok := s[shareOf(&c)]; return ok })
	return &own
}

// commonCalls are calls that a third of the tools reach on the very same way, by tag: what a dispatcher does before it looks which
// tool is meant. They are known for a tag only where most tools have a call of that tag on a way of their own; where one
// function answers all tools, what it does is what the tools do.
type commonCalls map[capability.Tag]map[string]bool

func findCommon(tools []capability.Tool, handlers map[string]*sink.Handler) commonCalls {
	reach := map[capability.Tag]map[string]int{}
	tied := eachCall(tools, handlers, func(_ *capability.Tool, c *sink.Call) {
		if reach[c.Tag] == nil {
			reach[c.Tag] = map[string]int{}
		}
		reach[c.Tag][wayOf(c)]++
	})
	out := commonCalls{}
	for tag, ways := range reach {
		common := map[string]bool{}
		for way, n := range ways {
			if n >= fewestSharing && 3*n >= tied {
				common[way] = true
			}
		}
		if len(common) == 0 {
			continue
		}
		out[tag] = common
		own := 0
		for i := range tools {
			if h := handlers[tools[i].Name]; h != nil && out.isOwn(tag, h) {
				own++
			}
		}
		if 2*own < tied {
			delete(out, tag)
		}
	}
	return out
}

func wayOf(c *sink.Call) string {
	var b strings.Builder
	for _, p := range c.Chain {
		fmt.Fprintf(&b, "%s:%d ", p.At.File, p.At.Start)
	}
	fmt.Fprintf(&b, "%s:%d", c.At.File, c.At.Start)
	return b.String()
}

// isOwn reports whether a handler has a strong call of a tag on a way that is not common.
func (common commonCalls) isOwn(tag capability.Tag, h *sink.Handler) bool {
	if common[tag] == nil {
		return true
	}
	return slices.ContainsFunc(h.Calls, func(c sink.Call) bool {
		return c.Tag == tag && c.Strength == sink.Strong && !common[tag][wayOf(&c)]
	})
}

// evidence lists the calls as labels do, sorted.
func (s sharedCalls) evidence() []string {
	var out []string
	for _, c := range s {
		c.Chain = nil
		out = append(out, string(c.Tag)+" "+c.Evidence())
	}
	slices.Sort(out)
	return out[:min(len(out), maxSignals)]
}
