package classify

import (
	"fmt"
	"slices"
	"strings"

	"gauntlet/capability"
	"gauntlet/internal/leaf/excerpt"
)

// buildTool turns the judgement into labels for others to keep.
func (w *toolReader) buildTool(index int) capability.Tool {
	t := newTool(index)
	t.Name = w.name.Text()
	for i := range uint8(tagCount) {
		if c := w.tagConfidence(i); c != "" {
			t.Capabilities = append(t.Capabilities, w.buildLabel(i, c))
		}
	}
	for i := range w.params {
		p := &w.params[i]
		if p.wrapper {
			continue
		}
		t.Roles[parameterPath(w.params, i)] = capability.RoleLabel{Role: p.role.role, Confidence: p.role.roleConfidence(), Evidence: append([]string{}, p.role.evidence[:p.role.evidences]...)}
	}
	if w.schema.over {
		t.Warnings = append(t.Warnings, schemaLimit+schemaUnread)
	} else if why := w.unread(); why != "" {
		t.Warnings = append(t.Warnings, textLimit+why)
	}
	return t
}

// What the warnings of a tool say whose definition was not read whole.
const (
	schemaLimit  = "schema_limit: "
	schemaUnread = "the schema is larger than is read"
	textLimit    = "text_limit: "
	textUnread   = "the description names more actions than are read"
	textTooLong  = "the description is longer than is read"
)

// unread says what a limit kept from being read, "" if nothing.
func (w *toolReader) unread() string {
	switch {
	case w.schema.over:
		return schemaUnread
	case len(w.prose) > longestProse:
		return textTooLong
	case len(w.actions) > maxDeeds:
		return textUnread
	}
	return ""
}

// Unread says what of a tool's definition a limit kept from being read, "" if nothing.
func Unread(t *capability.Tool) string {
	for _, w := range t.Warnings {
		for _, limit := range [...]string{schemaLimit, textLimit} {
			if why, ok := strings.CutPrefix(w, limit); ok {
				return why
			}
		}
	}
	return ""
}

func newTool(index int) capability.Tool {
	return capability.Tool{
		Mode: capability.DefinitionOnly, Index: index,
		Capabilities: []capability.Label{}, Roles: map[string]capability.RoleLabel{}, Warnings: []string{},
	}
}

// maxSignals is how much evidence one label shows; strings of a hostile definition can
// hold any number of phrases.
const maxSignals = 12

func (w *toolReader) buildLabel(tag uint8, c capability.Confidence) capability.Label {
	l := capability.Label{Tag: tagOrder[tag], Confidence: c, Evidence: []string{}, Signals: []capability.Signal{}}
	seen := map[string]bool{}
	signals := w.signals
	if !slices.ContainsFunc(signals, func(s signal) bool { return s.tag == tag && s.weight > 0 }) {
		signals = append(slices.Clone(signals), w.explain(tag)...)
	}
	for i := range signals {
		s := &signals[i]
		if s.tag != tag || len(l.Signals) >= maxSignals {
			continue
		}
		out := capability.Signal{Source: sourceOrder[s.source], Weight: int(s.weight), Text: s.text, Pointer: s.value.Pointer()}
		if s.text == "" {
			raw := w.stringOf(s.value)
			out.Start, out.End = int(s.start), int(s.end)
			if out.End == 0 || out.End > len(raw) {
				out.Start, out.End = 0, len(raw)
			}
			out.Text = excerpt.Head(raw[out.Start:out.End], 120)
		}
		for _, out := range w.splitNameSignal(s, out) {
			if e := w.evidenceLine(s, out.Text); !seen[e] {
				seen[e] = true
				l.Signals = append(l.Signals, out)
				l.Evidence = append(l.Evidence, e)
			}
		}
	}
	return l
}

// splitNameSignal makes of a signal in a name one for each of its words that means something, since the evidence of
// a name is told word by word: name_token:read, name_token:file.
func (w *toolReader) splitNameSignal(s *signal, whole capability.Signal) (out []capability.Signal) {
	if s.kind != "name_token" || !isASCII(whole.Text) {
		return []capability.Signal{whole}
	}
	var buf [64]byte
	for at := 0; at < len(whole.Text) && len(out) < maxSignals; {
		word, start, end := w.nextPart(whole.Text, at, true, buf[:0])
		at = end
		e := lex.findWord(string(word))
		if e == nil || e.set.empty() && len(e.phrases) == 0 || e.set.meets(detWords) && !e.set.meets(actClasses.with(objectClasses)) {
			continue
		}
		part := whole
		part.Start, part.End, part.Text = whole.Start+start, whole.Start+end, whole.Text[start:end]
		out = append(out, part)
	}
	if out == nil {
		return []capability.Signal{whole}
	}
	return out
}

// evidenceLine writes a signal as the line that stands in the list of evidence.
func (w *toolReader) evidenceLine(s *signal, text string) string {
	switch s.kind {
	case "param":
		for i := range w.params {
			if p := &w.params[i]; p.key == s.value {
				return fmt.Sprintf("param:%s:role=%s:confidence=%s", parameterPath(w.params, i), p.role.role, p.role.roleConfidence())
			}
		}
	case "name_token":
		return "name_token:" + strings.ToLower(text)
	}
	return s.kind + ":" + strings.Join(strings.Fields(text), " ")
}
