// Package posture builds the coverage map: for each fact that a defender wants to know about a server, its MCP-DPT
// defence layer and whether the definitions show it.
//
// The map says what was examined. It never affects the gate, and no line says that something is safe:
//
//   - seen, not_seen: judged by at least one definition. Seen means "at least once"; the
//     detail has the figures ("12 of 41 tools").
//   - requires_active_probe: only a conversation with the live server could tell. A signal
//     of the first sort becomes this if the input lacks what it judges by, since an empty
//     list is no evidence that something is missing.
//   - not_observable: no client can ever tell. These lines exist so that their absence is
//     not mistaken for a clean result.
package posture

import (
	"gauntlet/catalog"
	"gauntlet/rawjson"
	"gauntlet/result"
)

// Map builds the map of a catalog, reading each definition once. A scan that walks the definitions anyway uses a Collector instead.
func Map(c *catalog.Catalog) []result.Signal {
	var (
		collector Collector
		tree      rawjson.Tree
	)
	for _, s := range c.Servers {
		collector.AddServer(s)
		for it := range s.Items() {
			collector.Add(s, it, it.Parse(s, &tree))
		}
	}
	return collector.Signals()
}

// Signals returns the map of what was added so far: every signal, by layer, always in the same order. A detail contains
// at most one piece of server text, the name of a _meta key, shortened and quoted in ASCII.
func (c *Collector) Signals() []result.Signal {
	out := make([]result.Signal, 0, len(signals))
	for i := range signals {
		s := &signals[i]
		state, detail := s.state, s.detail
		if s.judge != nil {
			state, detail = s.judge(c)
		}
		out = append(out, result.Signal{ID: s.id, Layer: string(s.layer), Name: s.name, State: state, Detail: detail})
	}
	return out
}

// A layer is one of the six defence layers of MCP-DPT (arXiv 2604.07551). The short codes and the assignment of signals are ours.
type layer string

const (
	model     layer = "L1 model"
	host      layer = "L2 host/application"
	client    layer = "L3 client/SDK"
	server    layer = "L4 server/tool"
	transport layer = "L5 transport"
	registry  layer = "L6 registry"
)

// A signal is a line of the map. Either judge is set, or state and detail.
type signal struct {
	id     string
	layer  layer
	name   string
	judge  verdict
	state  result.State
	detail string
}

func judged(l layer, id, name string, judge verdict) signal {
	return signal{id: id, layer: l, name: name, judge: judge}
}

func probe(l layer, id, name, detail string) signal {
	return signal{id: id, layer: l, name: name, state: result.NeedsProbe, detail: detail}
}

func invisible(l layer, id, name, detail string) signal {
	return signal{id: id, layer: l, name: name, state: result.Invisible, detail: detail}
}
