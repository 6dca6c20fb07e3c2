package delivery

import (
	"maps"
	"slices"
	"strings"

	"gauntlet/internal/leaf/mcp"
	"gauntlet/trace"
)

// An offer is the protocol revision that a client asked for, and the one that it was answered with. It is empty once the client has
// gone on.
type offer struct{ asked, answered string }

// addOffer follows the handshake of each server actor.
func (w *Watch) addOffer(m *trace.Message) {
	if !m.IsProtocol("mcp") || m.Role == trace.AsClient {
		return
	}
	if m.Method != mcp.Initialize {
		if m.Direction == trace.ToServer {
			delete(w.offers, m.Actor)
		}
		return
	}
	content, err := m.Content(&w.tree)
	if err != nil {
		return
	}
	o, version := w.offers[m.Actor], strings.Clone(content.Get("protocolVersion").Text())
	switch m.Kind {
	case trace.Request:
		o = offer{asked: version}
	case trace.Response:
		o.answered = version
	}
	if w.offers == nil {
		w.offers = map[string]offer{}
	}
	w.offers[m.Actor] = o
}

// declined says which clients left when they were answered with another revision than theirs; "" for none.
func (w *Watch) declined() (text string) {
	for _, actor := range slices.Sorted(maps.Keys(w.offers)) {
		if o := w.offers[actor]; o.asked != "" && o.answered != "" && o.asked != o.answered {
			text += "; the client asked " + actor + " for revision " + o.asked + ", was answered " + o.answered +
				" and said no more: --negotiate agrees on its revision where the document names none"
		}
	}
	return text
}
