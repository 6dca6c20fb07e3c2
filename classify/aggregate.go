package classify

import (
	"slices"

	"gauntlet/capability"
)

// AtLeast removes the labels of a server's tools that are below floor and aggregates the rest
// again. Roles of parameters stay.
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
	tools := withoutInferred(s.Tools)
	for _, tag := range capability.Tags() {
		if slices.ContainsFunc(tools, func(t capability.Tool) bool { return t.Has(tag, capability.Medium) != nil }) {
			s.Capabilities = append(s.Capabilities, tag)
		}
	}
	for _, r := range capability.Risks() {
		s.Combinations = append(s.Combinations, Combine(tools, r, capability.Medium)...)
	}
	s.Inferred = inferredTags(s)
}

// Combine returns the combinations of one row of the table among tools whose labels are at or above
// floor: at most one for tools that have both halves, and one across tools. A tool with both halves
// also counts as one half of the second.
func Combine(tools []capability.Tool, r capability.Risk, floor capability.Confidence) []capability.Combination {
	both, across := newCombination(r, capability.WithinTool), newCombination(r, capability.AcrossTools)
	var halves [2][]*capability.Tool
	for i := range tools {
		t := &tools[i]
		a, b := halfLabel(t, r, 0, floor), halfLabel(t, r, 1, floor)
		if a != nil && b != nil {
			addMember(&both, t, lowerConfidence(a.Confidence, b.Confidence))
		}
		if r.Condition == capability.CodePaths && !t.Flow.Composes {
			a = nil // writes what it fetches itself, and nothing that another tool brought in
		}
		if a != nil {
			halves[0] = append(halves[0], t)
		}
		if b != nil {
			halves[1] = append(halves[1], t)
		}
	}
	var best [2]capability.Confidence
	in := map[*capability.Tool]int{} // how many halves a member has
	stores := [2]databaseSet{databasesOf(halves[0]), databasesOf(halves[1])}
	for i, of := range halves {
		for _, t := range of {
			if r.Condition == capability.SameStore && !stores[1-i].mayContain(t) {
				continue
			}
			best[i] = higherConfidence(best[i], halfLabel(t, r, i, floor).Confidence)
			if in[t]++; in[t] == 1 {
				addMember(&across, t, "")
			}
		}
	}
	var out []capability.Combination
	if len(both.Tools) > 0 {
		out = append(out, both)
	}
	// A tool with both halves alone is no combination across tools, even if another one works on some other database.
	alone := false
	for _, n := range in {
		alone = alone || n == 1
	}
	if alone && best[0] != "" && best[1] != "" {
		across.Confidence = lowerConfidence(best[0], best[1])
		out = append(out, across)
	}
	return out
}

// halfLabel returns the label that makes a tool one half of a combination, nil if it is not.
func halfLabel(t *capability.Tool, r capability.Risk, which int, floor capability.Confidence) *capability.Label {
	if r.Condition == capability.CodePaths && (which == 0 && !t.Flow.FreePath || which == 1 && !t.Flow.Inward) {
		return nil
	}
	return t.Has(r.Tags[which], floor)
}

func addMember(c *capability.Combination, t *capability.Tool, confidence capability.Confidence) {
	c.Tools, c.Indexes = append(c.Tools, t.Name), append(c.Indexes, t.Index)
	c.Confidence = higherConfidence(c.Confidence, confidence)
}

func newCombination(r capability.Risk, scope string) capability.Combination {
	return capability.Combination{Tags: r.Tags[:], Tools: []string{}, Rationale: r.Rationale, Scope: scope}
}

// databaseSet are the databases that one half of a combination works on.
type databaseSet struct {
	named map[string]bool
	any   bool // some tool names none, and may work on any
}

func databasesOf(tools []*capability.Tool) databaseSet {
	s := databaseSet{named: map[string]bool{}}
	for _, t := range tools {
		s.any = s.any || len(t.Flow.Stores) == 0
		for _, name := range t.Flow.Stores {
			s.named[name] = true
		}
	}
	return s
}

// mayContain reports whether a tool may work on one of these databases: unless all are named and
// it names others.
func (s databaseSet) mayContain(t *capability.Tool) bool {
	return s.any || len(t.Flow.Stores) == 0 && len(s.named) > 0 ||
		slices.ContainsFunc(t.Flow.Stores, func(name string) bool { return s.named[name] })
}

func higherConfidence(a, b capability.Confidence) capability.Confidence {
	if a.AtLeast(b) {
		return a
	}
	return b
}

func lowerConfidence(a, b capability.Confidence) capability.Confidence {
	if a.AtLeast(b) {
		return b
	}
	return a
}
