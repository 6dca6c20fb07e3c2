package delivery

import (
	"strings"

	"gauntlet/internal/leaf/agui"
	"gauntlet/trace"
)

// A planted file is delivered once a message has its marker: the result of a tool that showed it, or words of the agent, which can
// have them from there only. Clients read some files without a call that anybody sees, so nothing else shows it.

// addRead marks the planted files that a message shows to have been read.
func (w *Watch) addRead(m *trace.Message) {
	if m.Method == agui.RunAgentInput || w.isLeftFile(m) {
		return // the user's words, and a copy that a program may have made
	}
	for i := range w.parts {
		if p := &w.parts[i]; p.marker != "" && strings.Contains(m.Raw, p.marker) {
			w.deliver(p, m)
		}
	}
}

func (w *Watch) isLeftFile(m *trace.Message) bool {
	if m.Method != agui.OwnTool {
		return false
	}
	content, err := m.Content(&w.tree)
	return err == nil && content.Get("tool").Is(agui.LeftFile)
}

// quotes reports whether the agent repeats a marker by itself, which only an agent at work does, in what it says or passes to its own tools.
func (w *Watch) quotes(m *trace.Message) bool {
	content, err := m.Content(&w.tree)
	if err != nil || m.Method != agui.Answer && (m.Method != agui.OwnTool || content.Get("tool").Is(agui.LeftFile)) {
		return false
	}
	said := content.Get("response").Raw() + content.Get("arguments").Raw()
	for i := range w.parts {
		if p := &w.parts[i]; p.marker != "" && strings.Contains(said, p.marker) {
			return true
		}
	}
	return false
}
