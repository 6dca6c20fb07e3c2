package posture

import (
	"maps"
	"slices"
	"strings"

	"gauntlet/catalog"
	"gauntlet/finding"
	"gauntlet/internal/leaf/mcp"
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

// tool reads the members in one pass. The last of duplicate members counts, as in [rawjson.Value.Get].
func (c *Collector) tool(v rawjson.Value) {
	var annotations, input, output, meta, stamp rawjson.Value
	for m := range v.Members() {
		switch m.Key.Text() {
		case "annotations":
			annotations = m.Value
		case "inputSchema":
			input = m.Value
		case "outputSchema":
			output = m.Value
		case "_meta":
			meta = m.Value
		case "version":
			stamp = m.Value
		}
	}
	c.total++
	c.hints(annotations)
	c.schema(input)
	c.count(outputSchema, output.Kind() == rawjson.Object)
	metaStamp := c.meta(meta)
	c.count(versionStamp, metaStamp || isStamp(stamp))
}

func (c *Collector) count(t toolTrait, has bool) {
	if has {
		c.tools[t]++
	}
}

// hints counts hints with a boolean value: either value is a statement. The last duplicate counts.
func (c *Collector) hints(annotations rawjson.Value) {
	var has [toolTraits]bool
	for m := range annotations.Members() {
		switch m.Key.Text() {
		case "readOnlyHint":
			_, has[readOnlyHint] = m.Value.Bool()
		case "destructiveHint":
			_, has[destructiveHint] = m.Value.Bool()
		case "openWorldHint":
			_, has[openWorldHint] = m.Value.Bool()
		}
	}
	has[annotated] = has[readOnlyHint] || has[destructiveHint] || has[openWorldHint]
	for t := range has {
		c.count(toolTrait(t), has[t])
	}
}

// schema reads only the top level of an input schema: nested objects and $ref are not followed, which is cheap and
// keeps the figures easy to verify.
func (c *Collector) schema(input rawjson.Value) {
	var closed bool
	var properties rawjson.Value
	for m := range input.Members() {
		switch m.Key.Text() {
		case "additionalProperties":
			open, ok := m.Value.Bool()
			closed = ok && !open
		case "properties":
			properties = m.Value
		}
	}
	c.count(closedSchema, closed)
	for p := range properties.Members() {
		c.parameter(p.Value)
	}
}

// parameter counts a property of an input schema if its type is exactly "string".
func (c *Collector) parameter(schema rawjson.Value) {
	isString, bounded := false, false
	for k := range schema.Members() {
		switch k.Key.Text() {
		case "type":
			isString = k.Value.Text() == "string"
		case "enum", "const", "pattern", "maxLength":
			bounded = true
		}
	}
	if isString {
		c.strings++
		if bounded {
			c.bounded++
		}
	}
}

// serverTraits reads an item of the server about itself: its instructions, its name or its identity (an Implementation
// object, or a snapshot's "server" object, which may wrap one in serverInfo and hold the capabilities).
func serverTraits(label string, v rawjson.Value) serverTrait {
	if v.Kind() == rawjson.String {
		if label != "instructions" || strings.TrimSpace(v.Text()) == "" {
			return 0
		}
		return instructions
	}
	var traits serverTrait
	for _, id := range [...]rawjson.Value{v, v.Get("serverInfo")} {
		if id.Get("name").Text() != "" {
			traits |= identity
		}
		if id.Get("version").Text() != "" {
			traits |= version
		}
	}
	return traits | capabilityTraits(v.Get("capabilities"))
}

func capabilityTraits(caps rawjson.Value) (traits serverTrait) {
	if caps.Kind() == rawjson.Object {
		traits |= capabilities
	}
	for c := range caps.Members() {
		if on, _ := c.Value.Get("listChanged").Bool(); on {
			traits |= listChanged
		}
	}
	return traits
}

// meta reads a _meta object and reports whether it has a version stamp: a key "version", with or without prefix.
func (c *Collector) meta(meta rawjson.Value) (stamped bool) {
	squat := false
	for m := range meta.Members() {
		key := m.Key.Text()
		prefix, _, prefixed := strings.Cut(key, "/")
		stamped = stamped || metaStamp(key, m.Value)
		if prefixed && reserved(prefix) && !slices.Contains(specified, key) {
			squat = true
			c.keepLeast(key)
		}
	}
	if squat {
		c.reserved++
	}
	return stamped
}

func (c *Collector) keepLeast(key string) {
	if key != "" && (c.reservedKey == "" || key < c.reservedKey) {
		c.reservedKey = key
	}
}

// Stamped reports whether a tool has a version stamp: a member version, or a key version in its _meta, with or without prefix.
func Stamped(tool rawjson.Value) bool {
	if isStamp(tool.Get("version")) {
		return true
	}
	for m := range tool.Get("_meta").Members() {
		if metaStamp(m.Key.Text(), m.Value) {
			return true
		}
	}
	return false
}

func metaStamp(key string, v rawjson.Value) bool {
	if _, name, prefixed := strings.Cut(key, "/"); prefixed {
		key = name
	}
	return key == "version" && isStamp(v)
}

// isStamp accepts "1.2.0" and 3, not "" and null.
func isStamp(v rawjson.Value) bool { return v.Text() != "" || v.Kind() == rawjson.Number }

// reserved reports whether MCP reserves a _meta prefix: its second label is modelcontextprotocol or mcp. com.mcp.tools
// is reserved, com.example.mcp is not.
func reserved(prefix string) bool {
	_, rest, _ := strings.Cut(prefix, ".")
	second, _, _ := strings.Cut(rest, ".")
	return second == "modelcontextprotocol" || second == "mcp"
}

// specified are the reserved keys that the specification defines. Most make no sense in a definition, but they misuse nothing.
var specified = mcp.MetaKeys()
