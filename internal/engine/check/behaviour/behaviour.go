// Package behaviour holds the checks of what a server did in a sandbox: it sent out what only the sandbox knows (GNT-501), copied
// its traffic to somebody else (GNT-502), wrote to where programs start from (GNT-503), or tried to reach other processes (GNT-504).
//
// They read the events of a trace with protocol "sandbox" and report only what was observed.
package behaviour

import (
	"fmt"
	"strings"

	"gauntlet/internal/engine/check"
	"gauntlet/internal/leaf/excerpt"
	"gauntlet/rawjson"
	"gauntlet/trace"
)

// Checks lists the package's checks, which register adds.
var Checks, register = check.NewLane()

// source is the public page about sandboxing.
const source = "https://modelcontextprotocol.io/specification/draft/basic/security_best_practices"

// protocol is the protocol of sandbox events in a trace.
const protocol = "sandbox"

// An observed is a parsed event of a trace.
type observed struct {
	message  *trace.Message
	root     rawjson.Value // until the next event is read
	kind     string
	host     string
	call     string
	path     string
	text     string // what was sent, as far as recorded
	canaries []string
	best     string // the member that best shows what happened
}

// reportEvents reports the events of the trace for which judge has a message, once for each server and identity.
func reportEvents(p *check.Pass, judge func(*observed) (message string, identity []string)) {
	var tree rawjson.Tree
	seen := map[string]bool{}
	for i := range p.Trace.Messages {
		m := &p.Trace.Messages[i]
		if !m.IsProtocol(protocol) || m.Kind != trace.Event || tree.Parse(m.Raw, 0) != nil {
			continue
		}
		p.Looked(1)
		e := readEvent(m, tree.Root())
		message, identity := judge(e)
		identity = append([]string{m.Server}, identity...)
		if key := strings.Join(identity, "\x00"); message != "" && !seen[key] {
			seen[key] = true
			p.Report(check.Relation{At: e.place(p), Message: message, Identity: identity})
		}
	}
}

// maxCanaries limits what is read of one event.
const maxCanaries = 100

func readEvent(m *trace.Message, v rawjson.Value) *observed {
	text := func(name string) string { return strings.Clone(v.Get(name).Text()) }
	e := &observed{message: m, root: v, kind: m.Method, host: strings.ToLower(text("host")), call: text("call"), path: text("path"), text: text("text") + "\n" + text("url")}
	for _, c := range v.Get("canaries").Elements() {
		if len(e.canaries) < maxCanaries {
			e.canaries = append(e.canaries, strings.Clone(c.Text()))
		}
	}
	for _, name := range []string{"url", "path", "host", "text"} {
		if v.Get(name).Text() != "" {
			e.best = name
			break
		}
	}
	return e
}

// outgoing reports whether something was sent to somebody.
func (e *observed) outgoing() bool {
	switch e.kind {
	case "lookup", "connection", "data", "request", "mail":
		return true
	}
	return false
}

func (e *observed) how() string {
	switch e.kind {
	case "lookup":
		return "in a name that it looked up below"
	case "request":
		return "in an HTTP request to"
	case "mail":
		return "by mail through"
	}
	return "over a connection to"
}

// when describes the call during which something happened.
func (e *observed) when() string {
	if e.call == "" {
		return "outside of any tool call"
	}
	return "during a call of " + excerpt.Quote(e.call, 60)
}

// domain returns the last two labels of a name, or an address as it is.
func domain(host string) string {
	labels := strings.Split(strings.TrimSuffix(host, "."), ".")
	if len(labels) <= 2 || strings.Trim(labels[len(labels)-1], "0123456789") == "" || strings.Contains(host, ":") {
		return host
	}
	return strings.Join(labels[len(labels)-2:], ".")
}

func (e *observed) title() string { return strings.ReplaceAll(e.kind, "_", " ") }

func (e *observed) place(p *check.Pass) check.Place {
	return p.Message(e.message, e.title(), e.root.Get(e.best))
}

func quoted(s string) string { return excerpt.Quote(s, 90) }

func (e *observed) server() string {
	if e.message.Server == "" {
		return "the server"
	}
	return fmt.Sprintf("the server %s", quoted(e.message.Server))
}
