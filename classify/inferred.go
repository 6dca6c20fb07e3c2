package classify

import (
	"slices"

	"gauntlet/capability"
)

// Layer 3 is what a language model says about tools that the other layers leave in doubt. Its labels stand beside
// those of the other layers, are always capability.Inferred, and count for nothing that tools add up to.

// Doubts returns the tags that a tool has with low confidence only.
func Doubts(t *capability.Tool) []capability.Tag {
	out := []capability.Tag{}
	for _, tag := range capability.Tags() {
		if t.Has(tag, capability.Low) != nil && t.Has(tag, capability.Medium) == nil {
			out = append(out, tag)
		}
	}
	return out
}

// InDoubt reports whether layer 3 may be asked about a tool: before are the tags that layer 1 alone gave at low. Where the
// source was read, one of them has to be low still. all also takes tools without any label.
func InDoubt(t *capability.Tool, before []capability.Tag, all bool) bool {
	if len(t.Capabilities) == 0 {
		return all
	}
	if t.Mode != capability.WithSource {
		return len(before) > 0
	}
	return slices.ContainsFunc(Doubts(t), func(tag capability.Tag) bool { return slices.Contains(before, tag) })
}

// AddInferred adds the labels that a model gives a tool, except those that another layer gives at
// medium or high. Existing labels do not change.
func AddInferred(t *capability.Tool, tags []capability.Tag, model string) {
	for _, tag := range tags {
		if t.Has(tag, capability.Medium) == nil {
			t.Capabilities = append(t.Capabilities, capability.Label{
				Tag: tag, Confidence: capability.Inferred, Evidence: []string{"llm:" + model}, Signals: []capability.Signal{},
			})
		}
	}
}

// NoteUnasked records that layer 3 should have been asked about a tool, and why there is no answer.
func NoteUnasked(t *capability.Tool, why string) {
	t.Warnings = append(t.Warnings, "llm_unavailable: "+why)
}

// withoutInferred returns the tools with the labels of the other layers alone.
func withoutInferred(tools []capability.Tool) []capability.Tool {
	inferred := func(l capability.Label) bool { return l.Confidence == capability.Inferred }
	if !slices.ContainsFunc(tools, func(t capability.Tool) bool { return slices.ContainsFunc(t.Capabilities, inferred) }) {
		return tools
	}
	out := slices.Clone(tools)
	for i := range out {
		out[i].Capabilities = slices.DeleteFunc(slices.Clone(out[i].Capabilities), inferred)
	}
	return out
}

// inferredTags are the tags that tools have in a model's opinion alone.
func inferredTags(s *capability.Server) []capability.Tag {
	var out []capability.Tag
	for _, tag := range capability.Tags() {
		if slices.ContainsFunc(s.Tools, func(t capability.Tool) bool {
			return slices.ContainsFunc(t.Capabilities, func(l capability.Label) bool { return l.Tag == tag && l.Confidence == capability.Inferred })
		}) && !slices.Contains(s.Capabilities, tag) {
			out = append(out, tag)
		}
	}
	return out
}
