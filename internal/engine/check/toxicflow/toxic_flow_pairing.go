package toxicflow

import (
	"fmt"
	"slices"
	"strings"

	"gauntlet/capability"
	"gauntlet/catalog"
	"gauntlet/finding"
	"gauntlet/internal/engine/check"
)

var _ = register(check.Check{
	ID: "SEC-035", Name: "toxic-flow-pairing", Severity: finding.High, Maturity: check.Experimental,
	Taxonomy: "MCP06:2025 close, MCP02:2025 weak, ASI02 close, ASI08 weak, CWE-441 close, CWE-200 weak, AML.T0086 close, AML.T0101 weak, SAFE-T1703 weak, SAFE-T1914 weak, SAFE-T1104 weak, L2 close, L4 weak",
	Axis:     "toxic-flow", Needs: check.Definitions, Source: check.SourceSEC,
	Doc: `An agent that reads text by strangers (SEC-034) also has a tool with which that text can do harm once the
model follows it:

- **exfiltration**: a tool that takes data to a place that strangers can read or choose (runs commands, sends
  messages to any recipient, publishes, posts to any address), while another tool reads what the user would
  not publish (files, secrets, a database, the contents of an account);
- **destruction**: a tool that deletes data or runs any command or statement. Where all such tools act only on
  this machine, the severity is medium instead of high.

Tools are paired within one server and across all servers that one agent would use together. There is at most
one finding for each server that brings in strangers' text; it names the most dangerous tool at each end of
the path and counts the others.

Not reported: a server that only fetches pages, since it holds nothing to steal; one that works in a closed
workspace; a way out without strangers' text coming in; labels below medium confidence. The finding is not a
bug in a server. It says that this set of tools, given to one agent without human confirmation, can be turned
against its user.`,
	Advice: "Split the tools between agents that do not share a context, or have a person confirm every call of the tool at the end of the path.",
	Run:    toxicFlowPairing,
})

func toxicFlowPairing(p *check.Pass) {
	all := classifyServers(p)
	countLooked(p, all)
	by := map[*catalog.Server]*classifiedServer{}
	for _, s := range all {
		by[s.Server] = s
	}
	seen := map[string]bool{}
	for _, group := range p.Groups() {
		var members []*classifiedServer
		for _, s := range group {
			if by[s] != nil {
				members = append(members, by[s])
			}
		}
		reportPaths(p, members, seen)
	}
}

// A pathRole is a role in a path: its start, what it carries, or one of its ends.
type pathRole struct {
	way  func(*tool) capability.Way
	tool *tool // worst witness, nil for none
	of   int   // number of tools in this role
}

func (r *pathRole) found() bool { return r.tool != nil }

// consider counts a tool in this role and keeps the worst of those with the most certain labels: a finding names a tool
// for what it certainly does. The first of equals stays.
func (r *pathRole) consider(t *tool) {
	way := r.way(t)
	if way == "" {
		return
	}
	r.of++
	if r.tool == nil || t.isSure() && !r.tool.isSure() || t.isSure() == r.tool.isSure() && way.Worse(r.way(r.tool)) {
		r.tool = t
	}
}

// isSure reports whether all relevant labels have high confidence.
func (t *tool) isSure() bool { return t.tags[atHigh] == t.tags[atMedium] }

// pathRoles holds the witnesses among some servers.
type pathRoles struct {
	source, private, exfil, remote, local pathRole
}

func rolesOf(members ...*classifiedServer) *pathRoles {
	r := &pathRoles{
		source:  pathRole{way: func(t *tool) capability.Way { return t.flow.Untrusted }},
		private: pathRole{way: func(t *tool) capability.Way { return t.flow.Private }},
		exfil:   pathRole{way: func(t *tool) capability.Way { return t.flow.Exfil }},
		remote:  pathRole{way: func(t *tool) capability.Way { return t.destroys(false) }},
		local:   pathRole{way: func(t *tool) capability.Way { return t.destroys(true) }},
	}
	for _, s := range members {
		for i := range s.tools {
			for _, is := range []*pathRole{&r.source, &r.private, &r.exfil, &r.remote, &r.local} {
				is.consider(&s.tools[i])
			}
		}
	}
	return r
}

// destroys returns the way in which the tool destroys, only locally or elsewhere.
func (t *tool) destroys(local bool) capability.Way {
	if t.flow.LocalOnly != local {
		return ""
	}
	return t.flow.Destructive
}

// or returns r if a server has the role, otherwise far, that of all servers an agent sees.
func (r pathRole) or(far pathRole) pathRole {
	if !r.found() {
		return far
	}
	return r
}

// A dataPath is what can happen with strangers' text from one server.
type dataPath struct {
	source        pathRole
	exfil, taken  pathRole // both found, or neither
	destroy       pathRole
	destroysHere  bool
	acrossServers bool
}

// reportPaths reports a finding for each server of a group that lets in strangers' text, if that can cause harm. A
// server's own tools take precedence over others'.
func reportPaths(p *check.Pass, group []*classifiedServer, seen map[string]bool) {
	far := rolesOf(group...)
	for _, s := range group {
		near := rolesOf(s)
		if !near.source.found() {
			continue
		}
		way := dataPath{source: near.source}
		if exfil, taken := near.exfil.or(far.exfil), near.private.or(far.private); exfil.found() && taken.found() {
			way.exfil, way.taken = exfil, taken
		}
		if way.destroy = near.remote.or(far.remote); !way.destroy.found() {
			way.destroy, way.destroysHere = near.local.or(far.local), true
		}
		if way.exfil.found() || way.destroy.found() {
			way.report(p, seen)
		}
	}
}

// severity is medium if nothing leaves and all destruction is local.
func (w *dataPath) severity() finding.Severity {
	if !w.exfil.found() && w.destroysHere {
		return finding.Medium
	}
	return finding.High
}

func (w *dataPath) report(p *check.Pass, seen map[string]bool) {
	identity := []string{}
	related := []check.Place{}
	for _, r := range []pathRole{w.exfil, w.destroy, w.taken} {
		if !r.found() {
			identity = append(identity, "", "")
			continue
		}
		identity = append(identity, check.Identity(r.tool.server.Server), r.tool.name())
		w.acrossServers = w.acrossServers || r.tool.server != w.source.tool.server
		if at := r.tool.at(p); !slices.Contains(related, at) && r.tool != w.source.tool {
			related = append(related, at)
		}
	}
	identity = append([]string{check.Identity(w.source.tool.server.Server), w.source.tool.name()}, identity...)
	severity := w.severity()
	id := fmt.Sprint(severity, identity)
	if seen[id] {
		return // another group has the same path
	}
	seen[id] = true
	p.Report(check.Relation{At: w.source.tool.at(p), Related: related, Severity: severity, Identity: identity, Message: w.message()})
}

// message describes the worst path first: the worst witness at either end, then the rest.
func (w *dataPath) message() string {
	end := w.exfil
	if !end.found() {
		end = w.destroy
	}
	source := w.source.tool
	here := ""
	if w.destroysHere {
		here = ", only on this machine"
	}
	msg := fmt.Sprintf("%s -> %s: %s %s, and %s %s", w.name(source), w.name(end.tool), source.name(), source.flow.Untrusted, end.tool.name(), end.way(end.tool))
	switch {
	case !w.exfil.found():
		msg += here
	default:
		msg += fmt.Sprintf(". What it could take: %s, which %s", w.name(w.taken.tool), w.taken.tool.flow.Private)
		if w.destroy.found() && w.destroy.tool == end.tool {
			msg += fmt.Sprintf(". %s could also destroy%s", end.tool.name(), here)
		} else if w.destroy.found() {
			msg += fmt.Sprintf(". What it could destroy: %s, which %s%s", w.name(w.destroy.tool), w.destroy.tool.flow.Destructive, here)
		}
	}
	return msg + countMore(w.source.of-1, "return text by strangers") + countMore(end.of-1, "could do the harm")
}

// name names a tool, with its server if the path crosses servers.
func (w *dataPath) name(t *tool) string {
	if !w.acrossServers {
		return t.name()
	}
	return t.name() + " (" + t.server.Name + ")"
}

// countMore counts tools that could replace the named one.
func countMore(n int, what string) string {
	switch {
	case n <= 0:
		return ""
	case n == 1:
		verb, rest, _ := strings.Cut(what, " ")
		if verb != "could" {
			verb += "s"
		}
		return ". 1 more tool " + verb + " " + rest
	}
	return fmt.Sprintf(". %d more tools %s", n, what)
}
