package toxicflow

import (
	"fmt"
	"slices"

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
		for _, s := range members {
			pairs(p, s, members, seen)
		}
	}
}

// pairs reports what can become of what strangers write through one server. Its own tools
// go before those of others.
func pairs(p *check.Pass, s *judged, group []*judged, seen map[string]bool) {
	sources := s.where(untrusted)
	if len(sources) == 0 {
		return
	}
	near := []*judged{s}
	if sink, of := sinks(near, group, exfil); sink != nil && (len(s.where(private)) > 0 || anyTool(group, private)) {
		held := first(near, private)
		if held == nil {
			held = first(group, private)
		}
		report(p, flow{"exfiltrate", sources, sink, of, sink.flow.Exfil, held}, finding.High, seen)
	}
	remote := func(t *tool) bool { return destructive(t) && !t.flow.LocalOnly }
	if sink, of := sinks(near, group, remote); sink != nil {
		report(p, flow{"destroy", sources, sink, of, sink.flow.Destructive, nil}, finding.High, seen)
	} else if sink, of := sinks(near, group, destructive); sink != nil {
		report(p, flow{"destroy", sources, sink, of, sink.flow.Destructive + ", on this machine alone", nil}, finding.Medium, seen)
	}
}

// sinks finds tools at the end of a path, in the server itself or else in its group, and
// returns the first and how many there are.
func sinks(near, group []*judged, is func(*tool) bool) (*tool, int) {
	for _, where := range [][]*judged{near, group} {
		n := 0
		for _, s := range where {
			n += len(s.where(is))
		}
		if n > 0 {
			return first(where, is), n
		}
	}
	return nil, 0
}

func first(where []*judged, is func(*tool) bool) *tool {
	for _, s := range where {
		if found := s.where(is); len(found) > 0 {
			return found[0]
		}
	}
	return nil
}

func anyTool(where []*judged, is func(*tool) bool) bool { return first(where, is) != nil }

// A flow is a path that an injection can take.
type flow struct {
	verb    string
	sources []*tool
	sink    *tool
	sinks   int
	why     string
	held    *tool // what it could take; nil where nothing is taken
}

func report(p *check.Pass, f flow, severity finding.Severity, seen map[string]bool) {
	source := f.sources[0]
	msg := fmt.Sprintf("%s -> %s: %s, and %s", f.name(source), f.name(f.sink), source.flow.Untrusted, f.why)
	related := []check.Place{f.sink.at(p)}
	identity := []string{f.verb, check.Identity(source.server.Server), source.name(), check.Identity(f.sink.server.Server), f.sink.name()}
	if f.held != nil {
		msg += fmt.Sprintf(". What it could take: %s, since %s", f.name(f.held), f.held.flow.Private)
		if f.held != f.sink {
			related = append(related, f.held.at(p))
		}
	}
	if n := len(f.sources) - 1 + f.sinks - 1; n > 0 {
		msg += fmt.Sprintf(". %d more tools stand at either end", n)
	}
	id := fmt.Sprint(severity, identity)
	if seen[id] {
		return // another group has the same pair
	}
	seen[id] = true
	p.Report(check.Relation{At: source.at(p), Related: related, Severity: severity, Identity: slices.Clone(identity), Message: msg})
}

// name calls a tool by its name, and by its server too where the path crosses servers.
func (f flow) name(t *tool) string {
	if f.sources[0].server == f.sink.server && (f.held == nil || f.held.server == f.sink.server) {
		return t.name()
	}
	return t.name() + " (" + t.server.Name + ")"
}
