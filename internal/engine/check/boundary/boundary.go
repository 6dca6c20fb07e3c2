// Package boundary holds the checks of recorded conversations against a declared boundary: which values crossed from one server
// to another (SEC-060), which capabilities were claimed and used (SEC-061), and whether the declaration is applicable (GNT-301).
//
// Their findings are proven by the trace: a value of one server's result occurred in a call to another, a claim is or
// is not in a set. They say nothing about intent and cannot see text that a model rephrased.
package boundary

import (
	"fmt"
	"strings"

	"gauntlet/internal/engine/check"
	"gauntlet/internal/leaf/excerpt"
	"gauntlet/rawjson"
	"gauntlet/trace"
	"gauntlet/trust"
)

// Checks lists the package's checks, which register adds.
var Checks, register = check.NewLane()

// source is the public page that describes both rules.
const source = "https://mcptest.sh/docs/security/trust-boundary"

func messageTitle(method, name string) string { return strings.TrimSpace(method + " " + name) }

// quoteValue quotes a shortened value for our messages.
func quoteValue(s string) string { return excerpt.Quote(s, 90) }

// namesServerOrTool reports whether a declared name means a server or one of its tools. Both may contain dots, so nothing is split.
func namesServerOrTool(name, server, tool string) bool {
	return name == server || name == server+"."+tool
}

// namesTool reports whether a declared name means a tool, with or without its server's name.
func namesTool(name, server, tool string) bool {
	return tool != "" && (name == tool || name == server+"."+tool)
}

// A parsedMessage caches a parsed message: several findings may be about the same one.
type parsedMessage struct {
	tree    rawjson.Tree
	message *trace.Message
}

// locateValue returns the place of the value that begins at offset, in bytes, of a message of the trace. No two values
// begin at the same offset.
func (o *parsedMessage) locateValue(p *check.Pass, m *trace.Message, item string, offset int) (check.Place, rawjson.Value) {
	if o.message != m {
		o.message = m
		_ = o.tree.Parse(m.Raw, 0) // it was parsed before; otherwise nothing is found
	}
	for v := range o.tree.Root().All() {
		if v.Offset() == offset {
			return p.Message(m, item, v), v
		}
	}
	return p.Message(m, item, rawjson.Value{}), rawjson.Value{}
}

// generalPointer is the path to an argument without list positions, so that an added neighbour does not change it.
func generalPointer(v rawjson.Value) string {
	parts := strings.Split(v.Pointer(), "/")
	for i, part := range parts {
		if part != "" && strings.Trim(part, "0123456789") == "" {
			parts[i] = "*"
		}
	}
	return strings.Join(parts, "/")
}

func quoteDeclared(n trust.Name) string { return fmt.Sprintf("%.80q", n.Text) }
