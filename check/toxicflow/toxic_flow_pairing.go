package toxicflow

import (
	"fmt"
	"slices"
	"strings"

	"gauntlet/catalog"
	"gauntlet/check"
	"gauntlet/finding"
)

var _ = register(check.Check{
	ID: "SEC-035", Name: "toxic-flow-pairing", Severity: finding.High, Maturity: check.Experimental,
	Axis: "toxic-flow", Needs: check.Definitions, Source: check.SourceSEC,
	Doc: `An agent that reads what strangers write (SEC-034) also has a tool by which that text can do harm once it is
taken for an order:

- **a way out**: a tool that takes data to a place which strangers can read or choose (runs commands, sends
  messages to whom its caller names, publishes, posts to any address), while some tool reads what the user would
  not publish (files, secrets, a database, the contents of an account);
- **destruction**: a tool that deletes or runs any command or statement. Where all such tools act on this machine
  alone, the finding is medium instead of high.

Tools are paired within one server and across all servers that one agent would see together. There is at most
one finding of each sort for a server that lets strangers' text in; it names the path from tool to tool.

What stays quiet: a server that only fetches pages, since it holds nothing to take; one that works in a closed
workspace; a way out without a way in; labels below medium confidence. A finding is no bug of a server: it
says that this set of tools, given to one agent without a person who confirms, can be turned against its user.`,
	Advice: "Split the tools over agents that do not share a context, or have a person confirm every call of the tool at the end of the path.",
	Run:    toxicFlowPairing,
})

func exfil(t *tool) bool { return t.flow.Exfil != "" }
func destructive(t *tool) bool {
	return t.flow.Destructive != ""
}
func private(t *tool) bool { return t.flow.Private != "" }

func toxicFlowPairing(p *check.Pass) {
	all := servers(p)
	looked(p, all)
	by := map[*catalog.Server]*judged{}
	for _, s := range all {
		by[s.Server] = s
	}
	seen := map[string]bool{}
	for _, group := range p.Groups() {
		var members []*judged
		for _, s := range group {
			if by[s] != nil {
				members = append(members, by[s])
			}
		}
		pairs(p, members, seen)
	}
}

// An end is what a path can lead to: the first such tool and how many there are.
type end struct {
	tool *tool
	of   int
}

// ends holds where paths can lead among some servers.
type ends struct {
	exfil, remote, destroy, private end
}

func endsOf(members ...*judged) (e ends) {
	for _, s := range members {
		for i := range s.tools {
			t := &s.tools[i]
			e.exfil.add(t, exfil(t))
			e.remote.add(t, destructive(t) && !t.flow.LocalOnly)
			e.destroy.add(t, destructive(t))
			e.private.add(t, private(t))
		}
	}
	return e
}

func (e *end) add(t *tool, is bool) {
	if !is {
		return
	}
	if e.of++; e.tool == nil {
		e.tool = t
	}
}

// or returns e, or far if there is no such tool.
func (e end) or(far end) end {
	if e.tool == nil {
		return far
	}
	return e
}

// pairs reports what can become of what strangers write through each server of a group. A
// server's own tools go before those of others.
func pairs(p *check.Pass, group []*judged, seen map[string]bool) {
	far := endsOf(group...)
	for _, s := range group {
		sources := s.where(untrusted)
		if len(sources) == 0 {
			continue
		}
		near := endsOf(s)
		if sink, held := near.exfil.or(far.exfil), near.private.or(far.private); sink.tool != nil && held.tool != nil {
			report(p, flow{"exfiltrate", sources, sink, sink.tool.flow.Exfil, held.tool}, finding.High, seen)
		}
		if sink := near.remote.or(far.remote); sink.tool != nil {
			report(p, flow{"destroy", sources, sink, sink.tool.flow.Destructive, nil}, finding.High, seen)
		} else if sink := near.destroy.or(far.destroy); sink.tool != nil {
			report(p, flow{"destroy", sources, sink, sink.tool.flow.Destructive + ", on this machine alone", nil}, finding.Medium, seen)
		}
	}
}

// A flow is a path that an injection can take.
type flow struct {
	verb    string
	sources []*tool
	sink    end
	why     string
	held    *tool // what it could take; nil where nothing is taken
}

func report(p *check.Pass, f flow, severity finding.Severity, seen map[string]bool) {
	source, sink := f.sources[0], f.sink.tool
	msg := fmt.Sprintf("%s -> %s: %s %s, and %s %s", f.name(source), f.name(sink), source.name(), it(source.flow.Untrusted), sink.name(), it(f.why))
	related := []check.Place{sink.at(p)}
	identity := []string{f.verb, check.Identity(source.server.Server), source.name(), check.Identity(sink.server.Server), sink.name()}
	if f.held != nil {
		msg += fmt.Sprintf(". What it could take: %s, since %s", f.name(f.held), f.held.flow.Private)
		if f.held != sink {
			related = append(related, f.held.at(p))
		}
	}
	msg += more(len(f.sources)-1, "like the first") + more(f.sink.of-1, "like the second")
	id := fmt.Sprint(severity, identity)
	if seen[id] {
		return // another group has the same pair
	}
	seen[id] = true
	p.Report(check.Relation{At: source.at(p), Related: related, Severity: severity, Identity: slices.Clone(identity), Message: msg})
}

// name calls a tool by its name, and by its server too where the path crosses servers.
func (f flow) name(t *tool) string {
	if f.sources[0].server == f.sink.tool.server && (f.held == nil || f.held.server == f.sink.tool.server) {
		return t.name()
	}
	return t.name() + " (" + t.server.Name + ")"
}

// it continues a sentence that starts with the name of a tool.
func it(why string) string { return strings.TrimPrefix(why, "it ") }

// more counts the tools that could stand in for one that is named.
func more(n int, like string) string {
	switch {
	case n <= 0:
		return ""
	case n == 1:
		return ". 1 more tool is " + like
	}
	return fmt.Sprintf(". %d more tools are %s", n, like)
}
