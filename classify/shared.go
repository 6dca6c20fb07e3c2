package classify

import (
	"slices"

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

// findShared finds the calls that half of the tools reach while less than half of these say so.
func findShared(tools []capability.Tool, handlers map[string]*sink.Handler) sharedCalls {
	reach, spoken := map[sharedCall]int{}, map[sharedCall]int{}
	one := map[sharedCall]sink.Call{}
	tied := 0
	for i := range tools {
		h := handlers[tools[i].Name]
		if h == nil {
			continue
		}
		tied++
		for j := range h.Calls {
			c := &h.Calls[j]
			k := shareOf(c)
			if _, ok := one[k]; !ok {
				one[k] = *c
			}
			reach[k]++
			if tools[i].Has(c.Tag, capability.Medium) != nil {
				spoken[k]++
			}
		}
	}
	out := sharedCalls{}
	for k, n := range reach {
		if n >= fewestSharing && 2*n >= tied && 2*spoken[k] < n {
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
