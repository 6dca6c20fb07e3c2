package posture

import (
	"maps"

	"gauntlet/catalog"
	"gauntlet/finding"
	"gauntlet/rawjson"
)

// A Collector counts what definitions show. The zero Collector is empty and ready. It
// is not safe for concurrent use: goroutines fill one each and Merge them, in any order
// and however the definitions were shared out.
type Collector struct {
	tools   [toolTraits]int // tools that have the trait
	total   int             // tools read
	strings int             // string parameters of tools
	bounded int             // those with a bound
	items   int             // definitions of any kind, the servers' own words aside

	reserved    int    // definitions with a reserved _meta key
	reservedKey string // the least of those keys: the same whatever the order of Add

	servers map[*catalog.Server]serverTrait
	// last saves the look-up while items of one server follow each other.
	last *catalog.Server
}

// toolTrait is something a tool has or has not.
type toolTrait uint8

const (
	annotated toolTrait = iota // any of the three hints below
	readOnlyHint
	destructiveHint
	openWorldHint
	outputSchema
	closedSchema // additionalProperties false at the top of the input schema
	versionStamp
	toolTraits // how many there are
)

// serverTrait is a set of things a server says about itself.
type serverTrait uint8

const (
	identity serverTrait = 1 << iota
	version
	instructions
	capabilities
	listChanged
)

// AddServer counts a server. Only one that lists nothing and says nothing about itself
// needs it: Add counts the server of each item, once however often it sees it.
func (c *Collector) AddServer(s *catalog.Server) {
	if c.last != s {
		c.last = s
		c.note(s, 0)
	}
}

func (c *Collector) note(s *catalog.Server, traits serverTrait) {
	if c.servers == nil {
		c.servers = map[*catalog.Server]serverTrait{}
	}
	c.servers[s] |= traits
}

// Add counts one definition. v is the item as parsed; Add keeps nothing of it but the
// text of a reserved _meta key. Malformed parts count as missing.
func (c *Collector) Add(s *catalog.Server, it *catalog.Item, v rawjson.Value) {
	c.AddServer(s)
	switch it.Kind {
	case finding.Server:
		switch it.Label() {
		case "capabilities":
			c.note(s, capabilityTraits(v))
		default:
			c.note(s, serverTraits(it.Label(), v))
		}
		return
	case finding.Tool:
		c.tool(v)
	default:
		c.meta(v.Get("_meta"))
	}
	c.items++
}

// Merge adds what other counted. Both must have been fed different definitions.
func (c *Collector) Merge(other *Collector) {
	for i, n := range other.tools {
		c.tools[i] += n
	}
	c.total += other.total
	c.strings += other.strings
	c.bounded += other.bounded
	c.items += other.items
	c.reserved += other.reserved
	c.keepLeast(other.reservedKey)
	if c.servers == nil {
		c.servers = maps.Clone(other.servers)
		return
	}
	for s, traits := range other.servers {
		c.servers[s] |= traits
	}
}
