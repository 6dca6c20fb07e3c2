package survey

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"gauntlet/capability"
	"gauntlet/internal/engine/callgraph"
	"gauntlet/internal/leaf/ir"
	"gauntlet/sink"
)

// writes are what a tool that is declared read-only does not do.
var writes = []capability.Tag{capability.FSWrite, capability.DBWrite}

// readOnlyLies returns tools that their registration declares read-only although their handlers write, by the calls that do.
func readOnlyLies(g *callgraph.Graph, found *sink.Sources) (out []sink.Site) {
	handlers := found.ByTool()
	declared := map[string]bool{}
	for _, d := range found.Definitions {
		declared[d.Tool] = bytes.Contains(d.Annotations, []byte(`"readOnlyHint":true`))
	}
	shared := sharedCalls(found)
	for _, root := range g.Roots() {
		h := handlers[root.Tool]
		if h == nil || root.Via != sink.ByRegistration || !declared[root.Tool] {
			continue
		}
		for _, c := range h.Calls {
			if c.Strength != sink.Strong || len(c.Chain) > sink.Near || shared[c.At] || c.Tag != writes[0] && c.Tag != writes[1] {
				continue
			}
			out = append(out, sink.Site{Kind: sink.ReadOnlyLie, At: c.At, Tool: root.Tool, Name: root.Tool,
				Why: fmt.Sprintf("it is declared read-only at %s:%d, but its handler calls %s, which writes", root.At.File, root.At.Line, c.Name)})
			break
		}
	}
	return out
}

// sharedCalls returns the places that half of the tools reach, or more: the server's own log and cache.
func sharedCalls(found *sink.Sources) map[sink.Place]bool {
	tools := map[sink.Place]int{}
	for i := range found.Handlers {
		for _, c := range found.Handlers[i].Calls {
			tools[c.At]++
		}
	}
	out := map[sink.Place]bool{}
	const few = 4
	for at, n := range tools {
		out[at] = n >= few && 2*n >= len(found.Handlers)
	}
	return out
}

// rootNotices are how sources name the notification that the client's roots changed.
var rootNotices = []string{"RootsListChangedNotificationSchema", "RootsListChangedNotification", "roots/list_changed", "RootsListChangedHandler"}

// rootRequests are how they ask for them.
var rootRequests = []string{"listRoots", "list_roots", "ListRoots", "roots/list\"", "roots/list'", "RequestRoots"}

// readRoots notes servers that listen for changes of the client's roots and never ask which they are.
func (s *surveyor) readRoots() {
	if len(s.filesWith(rootRequests...)) > 0 {
		return
	}
	for _, c := range s.callsIn(rootNotices...) {
		if slices.ContainsFunc(c.Args, func(a ir.Arg) bool {
			return a.Value != nil && a.Value.Kind != ir.Function && slices.Contains(rootNotices, strings.TrimPrefix(a.Value.Text, "notifications/"))
		}) {
			s.report(sink.UnusedRoots, c, "roots", "it asks to be notified when the client's roots change, but never asks which directories they are: nothing keeps it inside them")
			return
		}
	}
}
