package classify

import (
	"fmt"
	"slices"

	"gauntlet/capability"
	"gauntlet/sink"
)

// WithSources adds to a server's labels what its source says about the handlers of its tools,
// as sink.Combine joins the two, and adds up the server again. Tools with a handler are of mode B; one without stays as it
// was, with a warning.
//
// A call that a third of the tools or more reach, and that the definitions of less than half of these speak of, is the server's (its log,
// its state): it gives no tool a label and stands in the server's list instead. Where fewer than half of the tools have a
// handler, the server says so.
func WithSources(s *capability.Server, src *sink.Sources) {
	handlers := src.ByTool()
	shared := findShared(s.Tools, handlers)
	common := findCommon(s.Tools, handlers)
	tied := 0
	for i := range s.Tools {
		t := &s.Tools[i]
		h := handlers[t.Name]
		if h == nil {
			t.Warnings = append(t.Warnings, "no_handler: the source has none for this tool")
			continue
		}
		tied++
		addHandler(t, h, shared, common)
	}
	s.SharedCalls = shared.evidence()
	if tied > 0 && 2*tied < len(s.Tools) {
		s.Warnings = append(s.Warnings, fmt.Sprintf("few_handlers: the source has handlers for %d of %d tools; the labels of the others come from their definitions alone", tied, len(s.Tools)))
	}
	aggregate(s)
}

func addHandler(t *capability.Tool, h *sink.Handler, shared sharedCalls, common commonCalls) {
	t.Mode = capability.WithSource
	labels := []capability.Label{}
	incomplete := false
	for _, tag := range capability.Tags() {
		l := capability.Label{Tag: tag, Evidence: []string{}, Signals: []capability.Signal{}}
		if i := slices.IndexFunc(t.Capabilities, func(l capability.Label) bool { return l.Tag == tag }); i >= 0 {
			l = t.Capabilities[i]
		}
		confidence, note := sink.Combine(l.Confidence, tag, shared.without(l.Confidence, h))
		if confidence == "" {
			continue
		}
		if l.Confidence != "" && confidence.AtLeast(l.Confidence) && !common.isOwn(tag, h) {
			confidence = l.Confidence
		}
		if note == sink.WeakSignal {
			t.Warnings = append(t.Warnings, fmt.Sprintf("%s: the definition says %s, and its handler at %s, read whole, does not", note, tag, h.At))
		}
		incomplete = incomplete || note == sink.SourceIncomplete
		l.Confidence = confidence
		addCalls(&l, h)
		labels = append(labels, l)
	}
	t.Capabilities = labels
	if incomplete || len(labels) == 0 && !h.Complete() { // nothing found is not nothing there
		t.Warnings = append(t.Warnings, fmt.Sprintf("%s: %s", sink.SourceIncomplete, describeGaps(h)))
	}
}

// addCalls adds the calls that support a label to its evidence.
func addCalls(l *capability.Label, h *sink.Handler) {
	_, calls := h.Support(l.Tag)
	for _, c := range calls[:min(len(calls), maxSignals)] {
		weight := 1
		if c.Strength == sink.Strong {
			weight = 4
		}
		l.Evidence = append(l.Evidence, c.Evidence())
		l.Signals = append(l.Signals, capability.Signal{
			Source: capability.FromSource, Weight: weight, Text: c.Name,
			Start: c.At.Start, End: c.At.End, File: c.At.File, Line: c.At.Line,
		})
	}
}

// describeGaps names the first places that could not be read, and counts the rest.
func describeGaps(h *sink.Handler) string {
	const enough = 3
	if len(h.Gaps) == 0 {
		return "what the service does that it asks is not in the source"
	}
	var s string
	for i, g := range h.Gaps[:min(len(h.Gaps), enough)] {
		if i > 0 {
			s += ", "
		}
		s += g.String()
	}
	if n := len(h.Gaps) - enough; n > 0 {
		s += fmt.Sprintf(" and %d more", n)
	}
	return s
}
