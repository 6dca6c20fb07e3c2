package classify

import (
	"fmt"
	"strings"

	"gauntlet/capability"
)

// tool turns the judgement into labels for others to keep.
func (w *worker) tool(index int) capability.Tool {
	t := empty(index)
	t.Name = w.name.Text()
	for i := range uint8(tagCount) {
		if c := w.confidence(i); c != "" {
			t.Capabilities = append(t.Capabilities, w.label(i, c))
		}
	}
	for i := range w.params {
		p := &w.params[i]
		if p.wrapper {
			continue
		}
		t.Roles[pathOf(w.params, i)] = capability.RoleLabel{Role: p.role.role, Confidence: p.role.confidence(), Evidence: append([]string{}, p.role.evidence[:p.role.evidences]...)}
	}
	if w.schema.over {
		t.Warnings = append(t.Warnings, "schema_limit: the schema is larger than is read")
	}
	return t
}

func empty(index int) capability.Tool {
	return capability.Tool{
		Mode: capability.DefinitionOnly, Index: index,
		Capabilities: []capability.Label{}, Roles: map[string]capability.RoleLabel{}, Warnings: []string{},
	}
}

// maxSignals is how much evidence one label shows; strings of a hostile definition can
// hold any number of phrases.
const maxSignals = 12

func (w *worker) label(tag uint8, c capability.Confidence) capability.Label {
	l := capability.Label{Tag: tagOrder[tag], Confidence: c, Evidence: []string{}, Signals: []capability.Signal{}}
	seen := map[string]bool{}
	for i := range w.signals {
		s := &w.signals[i]
		if s.tag != tag || len(l.Signals) >= maxSignals {
			continue
		}
		out := capability.Signal{Source: sourceOrder[s.source], Weight: int(s.weight), Text: s.text, Pointer: s.value.Pointer()}
		if s.text == "" {
			raw := w.text(s.value)
			out.Start, out.End = int(s.start), int(s.end)
			if out.End == 0 || out.End > len(raw) {
				out.Start, out.End = 0, len(raw)
			}
			out.Text = clip(raw[out.Start:out.End])
		}
		e := w.evidence(s, out.Text)
		if seen[e] {
			continue
		}
		seen[e] = true
		l.Signals = append(l.Signals, out)
		l.Evidence = append(l.Evidence, e)
	}
	return l
}

// evidence writes a signal as the line that stands in the list of evidence.
func (w *worker) evidence(s *signal, text string) string {
	switch s.kind {
	case "param":
		for i := range w.params {
			if p := &w.params[i]; p.key == s.value {
				return fmt.Sprintf("param:%s:role=%s:confidence=%s", pathOf(w.params, i), p.role.role, p.role.confidence())
			}
		}
	case "name_token":
		return "name_token:" + text
	}
	return s.kind + ":" + strings.Join(strings.Fields(text), " ")
}

// clip shortens evidence.
func clip(s string) string {
	const most = 120
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "")
}
