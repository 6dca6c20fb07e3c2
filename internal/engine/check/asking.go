package check

import (
	"gauntlet/catalog"
	"gauntlet/finding"
)

// An Asking is what a server of the catalog said when it was asked another time.
type Asking struct {
	Of      *catalog.Server  // the server, in the catalog of the scan
	Catalog *catalog.Catalog // what it said this time: one document with one server
	As      string           // how the client called itself
	Self    bool             // the client called itself as it did for the catalog
	// After is the notification by which the server said in the first conversation that a
	// list had changed, and upon which it was asked again there; "" for a conversation of
	// its own.
	After string
}

// Server is what the server said this time.
func (a *Asking) Server() *catalog.Server { return a.Catalog.Servers[0] }

// Whole reports whether everything that was asked for was read.
func (a *Asking) Whole() bool { return whole(a.Catalog.Problems, 0) }

// Whole reports whether everything of the server's document was read.
func (p *Pass) Whole(s *catalog.Server) bool { return whole(p.Catalog.Problems, s.Document.Number) }

func whole(problems []finding.Problem, input int) bool {
	for _, p := range problems {
		if p.Input == input && (p.Kind == finding.Unread || p.Kind == finding.Limit || p.Kind == finding.Failed) {
			return false
		}
	}
	return true
}
