package classify

import (
	"slices"

	"gauntlet/capability"
)

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
			both.Tools = append(both.Tools, t.Name)
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
	for i, half := range halves {
		for _, t := range half {
			if r.Condition == capability.SameStore && !slices.ContainsFunc(halves[1-i], func(o *capability.Tool) bool { return sameStore(t, o) }) {
				continue
			}
			across.Tools = append(across.Tools, t.Name)
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

// sameStore reports whether two tools may work on one database: unless each names its own.
func sameStore(a, b *capability.Tool) bool {
	return len(a.Flow.Stores) == 0 || len(b.Flow.Stores) == 0 ||
		slices.ContainsFunc(a.Flow.Stores, func(s string) bool { return slices.Contains(b.Flow.Stores, s) })
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
