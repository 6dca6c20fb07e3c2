package survey

import (
	"slices"
	"strings"

	"gauntlet/internal/leaf/ir"
	"gauntlet/sink"
)

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
		if slices.ContainsFunc(c.Args, isRootNotice) {
			s.report(sink.UnusedRoots, c, "roots", "it asks to be notified when the client's roots change, but never asks which directories they are: nothing keeps it inside them")
			return
		}
	}
}

func isRootNotice(a ir.Arg) bool {
	return a.Value != nil && a.Value.Kind != ir.Function && slices.Contains(rootNotices, strings.TrimPrefix(a.Value.Text, "notifications/"))
}
