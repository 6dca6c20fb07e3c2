package posture

import (
	"slices"
	"strings"

	"gauntlet/internal/leaf/mcp"
	"gauntlet/rawjson"
)

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
