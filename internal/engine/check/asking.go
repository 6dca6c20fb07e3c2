package check

import (
	"gauntlet/catalog"
	"gauntlet/finding"
)

// An Asking is what a server of the catalog said at another time.
type Asking struct {
	Of      *catalog.Server  // the server, in the catalog of the scan
	Catalog *catalog.Catalog // what it said then: one document with one server
	As      string           // name that the client used
	Self    bool             // the client used the same name as for the catalog
	// After is the notification about a changed list upon which the server was asked again in the first conversation;
	// "" for a separate conversation.
	After string
	// Before is what the server had said in that conversation, if it is not the one of the catalog's answer; may be nil.
	Before *catalog.Catalog
}

// Server is the server as it was then.
func (a *Asking) Server() *catalog.Server { return a.Catalog.Servers[0] }

// Whole reports whether everything requested was read.
func (a *Asking) Whole() bool { return IsWhole(a.Catalog) }

// IsWhole reports whether a catalog of one document was read completely.
func IsWhole(c *catalog.Catalog) bool { return whole(c.Problems, 0) }

// Whole reports whether the server's document was read completely.
func (p *Pass) Whole(s *catalog.Server) bool { return whole(p.Catalog.Problems, s.Document.Number) }

func whole(problems []finding.Problem, input int) bool {
	for _, p := range problems {
		if p.Input == input && (p.Kind == finding.Unread || p.Kind == finding.Limit || p.Kind == finding.Failed) {
			return false
		}
	}
	return true
}
