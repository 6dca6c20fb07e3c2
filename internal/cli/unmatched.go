package cli

import (
	"fmt"
	"slices"
	"strings"

	"gauntlet/catalog"
	"gauntlet/internal/run/lockstate"
)

// tellUnmatched says which servers stand in the baseline or in the scan alone: what was not
// compared is not unchanged. Where nothing matches at all the report says so.
func (s *scanCommand) tellUnmatched() {
	if s.baseline == nil {
		return
	}
	pairs := catalog.Pairs(s.baseline, &s.gathered.Catalog)
	if len(pairs) == 0 {
		return
	}
	paired, present := map[*catalog.Server]bool{}, map[string]bool{}
	for _, p := range pairs {
		paired[p.Was], paired[p.Is] = true, true
	}
	for _, server := range s.gathered.Catalog.Servers {
		for _, e := range server.Entries {
			present[e] = true
		}
	}
	tell := func(what string, c *catalog.Catalog, but func(*catalog.Server) bool) {
		var names []string
		for _, server := range c.Servers {
			if !paired[server] && !but(server) {
				names = append(names, lockstate.AddressOf(server))
			}
		}
		if names != nil {
			s.note("%s: %s", what, someOf(names))
		}
	}
	tell("in "+s.baselineFile+" and not in this scan", s.baseline, func(server *catalog.Server) bool {
		// A server that several entries come to is compared with one of them.
		return slices.ContainsFunc(server.Entries, func(e string) bool { return present[e] })
	})
	tell("not in "+s.baselineFile+", so not compared", &s.gathered.Catalog, func(*catalog.Server) bool { return false })
}

// someOf lists names, of many the first.
func someOf(names []string) string {
	const most = 10
	if len(names) > most {
		return strings.Join(names[:most], ", ") + fmt.Sprintf(" and %d more", len(names)-most)
	}
	return strings.Join(names, ", ")
}
