package posture

import (
	"maps"

	"gauntlet/catalog"
	"gauntlet/finding"
	"gauntlet/rawjson"
)

// A Collector counts traits of definitions. The zero Collector is ready for use. It is not safe for concurrent use:
// goroutines fill one each and Merge them, in any order and however the definitions were divided.
type Collector struct {
	tools   [toolTraits]int // tools that have the trait
	total   int             // tools read
	strings int             // string parameters of tools
	bounded int             // those with a bound
	items   int             // definitions of any kind, without the servers' own words

	reserved    int    // definitions with a reserved _meta key
	reservedKey string // the smallest of those keys, whatever the order of Add

	servers map[*catalog.Server]serverTrait
	// last saves the lookup while items of one server follow each other.
	last *catalog.Server
}

// toolTrait is a trait of a tool.
type toolTrait uint8

const (
	annotated toolTrait = iota // any of the three hints below
	readOnlyHint
	destructiveHint
	openWorldHint
	outputSchema
	closedSchema // additionalProperties false at the top of the input schema
	versionStamp
	toolTraits // number of traits
)

// serverTrait is a set of traits of a server.
type serverTrait uint8

const (
	identity serverTrait = 1 << iota
	version
	instructions
	capabilities
	listChanged
)

// AddServer counts a server. Only a server without any items needs it: Add counts each item's server, once.
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

// Add counts a definition. v is the parsed item; Add retains only the text of a reserved _meta key. Malformed parts count as missing.
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

// Merge adds other's counts. The two must have counted different definitions.
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
