package survey

import (
	"bytes"

	"gauntlet/internal/leaf/ir"
	"gauntlet/sink"
)

// rootNotices are how sources name the notification that the client's roots changed.
var rootNotices = []string{"RootsListChangedNotificationSchema", "RootsListChangedNotification", "roots/list_changed", "RootsListChangedHandler"}

// rootRequests are how they ask for them.
var rootRequests = []string{"listRoots", "list_roots", "ListRoots", "roots/list\"", "roots/list'", "RequestRoots"}

// readRoots notes servers that listen for changes of the client's roots and never ask which they are.
func (s *surveyor) readRoots() {
	for _, f := range s.g.Program().Files {
		for _, w := range rootRequests {
			if bytes.Contains(f.Source, []byte(w)) {
				return
			}
		}
	}
	fits := s.filesWith(rootNotices...)
	for _, c := range s.g.Program().Calls {
		if !fits[c.Scope.File] {
			continue
		}
		for _, a := range c.Args {
			if isRootNotice(a.Value) {
				s.report(sink.UnusedRoots, c, "roots", "it asks to be notified when the client's roots change, but never asks which directories they are: nothing keeps it inside them")
				return
			}
		}
	}
}

func isRootNotice(e *ir.Expr) bool {
	if e == nil || e.Kind == ir.Function {
		return false
	}
	for _, w := range rootNotices {
		if e.Text == w || e.Text == "notifications/"+w {
			return true
		}
	}
	return false
}
