package classify

import (
	"slices"

	"gauntlet/capability"
)

// AtLeast leaves out the labels of a server's tools below floor, and adds up what is left.
// Roles of parameters stay.
func AtLeast(s *capability.Server, floor capability.Confidence) {
	for i := range s.Tools {
		t := &s.Tools[i]
		t.Capabilities = slices.DeleteFunc(t.Capabilities, func(l capability.Label) bool { return !l.Confidence.AtLeast(floor) })
	}
	aggregate(s)
}

// aggregate adds up what a server's tools can do together.
func aggregate(s *capability.Server) {
	s.Capabilities, s.Combinations = []capability.Tag{}, []capability.Combination{}
	for _, tag := range capability.Tags() {
		if slices.ContainsFunc(s.Tools, func(t capability.Tool) bool { return t.Has(tag, capability.Medium) != nil }) {
			s.Capabilities = append(s.Capabilities, tag)
		}
	}
	for _, r := range capability.Risks() {
		s.Combinations = append(s.Combinations, Combine(s.Tools, r, capability.Medium)...)
	}
}

// Combine returns the combinations of one row of the table among tools whose labels are
// at or above floor: at most one of tools that have both halves, and one of those that
// need each other.
func Combine(tools []capability.Tool, r capability.Risk, floor capability.Confidence) []capability.Combination {
	both := combination(r, capability.WithinTool)
	across := combination(r, capability.AcrossTools)
	var first, second capability.Confidence
	var halves [2][]*capability.Tool
	for i := range tools {
		t := &tools[i]
		a, b := t.Has(r.Tags[0], floor), t.Has(r.Tags[1], floor)
		if r.Condition == capability.CodePaths && !t.Flow.FreePath {
			a = nil
		}
		if a != nil && b != nil {
			both.Tools, both.Indexes = append(both.Tools, t.Name), append(both.Indexes, t.Index)
			both.Confidence = better(both.Confidence, worse(a.Confidence, b.Confidence))
			continue
		}
		if a != nil {
			halves[0] = append(halves[0], t)
		}
		if b != nil {
			halves[1] = append(halves[1], t)
		}
	}
	stores := [2]stores{storesOf(halves[0]), storesOf(halves[1])}
	for i, half := range halves {
		for _, t := range half {
			if r.Condition == capability.SameStore && !stores[1-i].maySee(t) {
				continue
			}
			across.Tools, across.Indexes = append(across.Tools, t.Name), append(across.Indexes, t.Index)
			if i == 0 {
				first = better(first, t.Has(r.Tags[0], floor).Confidence)
			} else {
				second = better(second, t.Has(r.Tags[1], floor).Confidence)
			}
		}
	}
	var out []capability.Combination
	if len(both.Tools) > 0 {
		out = append(out, both)
	}
	if first != "" && second != "" {
		across.Confidence = worse(first, second)
		out = append(out, across)
	}
	return out
}

func combination(r capability.Risk, scope string) capability.Combination {
	return capability.Combination{Tags: r.Tags[:], Tools: []string{}, Rationale: r.Rationale, Scope: scope}
}

// stores are the databases that one half of a combination works on.
type stores struct {
	named map[string]bool
	any   bool // some tool names none, and may work on any
}

func storesOf(tools []*capability.Tool) stores {
	s := stores{named: map[string]bool{}}
	for _, t := range tools {
		s.any = s.any || len(t.Flow.Stores) == 0
		for _, name := range t.Flow.Stores {
			s.named[name] = true
		}
	}
	return s
}

// maySee reports whether a tool may work on one of these databases: unless all are named and
// it names others.
func (s stores) maySee(t *capability.Tool) bool {
	return s.any || len(t.Flow.Stores) == 0 && len(s.named) > 0 ||
		slices.ContainsFunc(t.Flow.Stores, func(name string) bool { return s.named[name] })
}

func better(a, b capability.Confidence) capability.Confidence {
	if a.AtLeast(b) {
		return a
	}
	return b
}

func worse(a, b capability.Confidence) capability.Confidence {
	if a.AtLeast(b) {
		return b
	}
	return a
}
