// Package namespace holds the checks that compare servers with each other: SEC-010 to SEC-013. Each check is one file
// and one golden under testdata.
package namespace

import (
	"slices"

	"gauntlet/catalog"
	"gauntlet/internal/engine/check"
	"gauntlet/rawjson"
)

// Checks lists the package's checks, which register adds.
var Checks, register = check.NewLane()

// An offer is a tool of a server.
type offer struct {
	server *catalog.Server
	tool   *catalog.Item
}

// A shared is a tool name and all who offer it, in reading order.
type shared struct {
	name   string
	offers []offer
}

// tools returns every tool name, in order of first occurrence, and counts the tools as examined. Unnamed tools are skipped.
func tools(p *check.Pass) []*shared {
	var out []*shared
	index := map[string]*shared{}
	for _, s := range p.Catalog.Servers {
		list := s.Tools()
		p.Looked(len(list))
		for i := range list {
			name := list[i].Name()
			if name == "" {
				continue
			}
			n := index[name]
			if n == nil {
				n = &shared{name: name}
				index[name] = n
				out = append(out, n)
			}
			n.offers = append(n.offers, offer{s, &list[i]})
		}
	}
	return out
}

// sharedServers returns each server that offers the name once, in reading order.
func (n *shared) sharedServers() []*catalog.Server {
	var out []*catalog.Server
	for _, o := range n.offers { // a server's offers are adjacent
		if len(out) == 0 || out[len(out)-1] != o.server {
			out = append(out, o.server)
		}
	}
	return out
}

// several reports whether more than one server offers the name.
func (n *shared) several() bool { return n.offers[0].server != n.offers[len(n.offers)-1].server }

// offerPlace returns the place of a tool's member, or of the tool if it lacks it.
func (o offer) offerPlace(p *check.Pass, tree *rawjson.Tree, member string) check.Place {
	return p.At(o.server, o.tool, o.tool.Parse(o.server, tree).Get(member))
}

func places(p *check.Pass, tree *rawjson.Tree, offers []offer) []check.Place {
	out := make([]check.Place, 0, len(offers))
	for _, o := range offers {
		out = append(out, o.offerPlace(p, tree, "name"))
	}
	return out
}

// identity identifies a finding across scans: what the servers share, and the servers in any order.
func identity(what string, servers []*catalog.Server) []string {
	var names []string
	for _, s := range servers {
		names = append(names, check.Identity(s))
	}
	slices.Sort(names)
	return append([]string{what}, names...)
}
