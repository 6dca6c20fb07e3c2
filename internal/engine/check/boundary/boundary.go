// Package boundary holds the checks of recorded conversations against a declared boundary:
// which values crossed from one server to another (SEC-060), which capabilities were claimed
// and used (SEC-061), and whether the declaration can be applied as it stands (GNT-301).
//
// What is said here is proven by the trace: that a value of one server's result stood in
// a call to another, that a claim is in a set or not. It is no statement about intent, and
// text that a model rewrote is out of its sight.
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

var lane check.Lane

// register adds a check to the lane.
var register = lane.Register

// Checks returns the lane's checks by id.
func Checks() []*check.Check { return lane.Checks() }

// source is the public page that describes both rules.
const source = "https://mcptest.sh/docs/security/trust-boundary"

// messageTitle says for a reader what a message is.
func messageTitle(method, name string) string { return strings.TrimSpace(method + " " + name) }

// quoteValue quotes a value for a message of ours, shortened.
func quoteValue(s string) string { return excerpt.Quote(s, 90) }

// namesServerOrTool reports whether a declared name stands for a server or for one tool of it. Either
// may hold dots, so nothing is split.
func namesServerOrTool(name, server, tool string) bool {
	return name == server || name == server+"."+tool
}

// namesTool reports whether a declared name stands for a tool: by its own name, or with that of
// its server.
func namesTool(name, server, tool string) bool {
	return tool != "" && (name == tool || name == server+"."+tool)
}

// A parsedMessage is one that findings are about. Several of them may be about one message,
// which is parsed once.
type parsedMessage struct {
	tree    rawjson.Tree
	message *trace.Message
}

// locateValue returns the place of a value in a message of the trace. offset is where in the message
// the value begins, in bytes; no two begin at one place.
func (o *parsedMessage) locateValue(p *check.Pass, m *trace.Message, item string, offset int) (check.Place, rawjson.Value) {
	if o.message != m {
		o.message = m
		_ = o.tree.Parse(m.Raw, 0) // it was read before, so it can be; else nothing is found in it
	}
	for v := range o.tree.Root().All() {
		if v.Offset() == offset {
			return p.Message(m, item, v), v
		}
	}
	return p.Message(m, item, rawjson.Value{}), rawjson.Value{}
}

// generalPointer is the way to an argument with the places in lists left out, so that a neighbour more
// does not move it.
func generalPointer(v rawjson.Value) string {
	parts := strings.Split(v.Pointer(), "/")
	for i, part := range parts {
		if part != "" && strings.Trim(part, "0123456789") == "" {
			parts[i] = "*"
		}
	}
	return strings.Join(parts, "/")
}

// quoteDeclared is the text of a declared name as a message quotes it.
func quoteDeclared(n trust.Name) string { return fmt.Sprintf("%.80q", n.Text) }
