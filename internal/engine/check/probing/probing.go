// Package probing holds the checks of what a server did when it was probed: they report what
// package proberun observed, and judge nothing by how it looks.
package probing

import (
	"fmt"

	"gauntlet/catalog"
	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/internal/leaf/probe"
	"gauntlet/rawjson"
)

var lane check.Lane

// register adds a check to the lane.
var register = lane.Register

// Checks returns the lane's checks by id.
func Checks() []*check.Check { return lane.Checks() }

// ruleOf says which rule reports a class.
var ruleOf = map[probe.Class]finding.Rule{
	probe.PathTraversal: "MCP-D-002", probe.Symlink: "MCP-D-002", probe.Prefix: "MCP-D-002", probe.ArchiveEscape: "MCP-D-002",
	probe.SSRF: "MCP-D-003", probe.Metadata: "MCP-D-007", probe.RequestPath: "GNT-406",
	probe.CommandInjection: "GNT-401", probe.ArgumentInjection: "GNT-402",
	probe.SQLInjection: "GNT-403", probe.NoSQLInjection: "GNT-403",
	probe.CodeEvaluation: "GNT-404", probe.TemplateInjection: "GNT-404", probe.Deserialisation: "GNT-405",
	probe.CRLF: "GNT-407", probe.Passthrough: "GNT-408", probe.Exhaustion: "GNT-409", probe.ErrorLeak: "SEC-020",
	probe.UnlistedTool: "GNT-414", probe.GuessedHandle: "GNT-415", probe.UnofferedField: "GNT-416", probe.ForgedState: "GNT-417", probe.Pollution: "GNT-418",
}

// Fingerprint returns the fingerprint of the finding that a trial becomes if it is proved. It does
// not depend on the random values of a run.
func Fingerprint(server string, t *probe.Trial) string {
	return finding.Fingerprint(append([]string{string(ruleOf[t.Class])}, identity(server, t)...)...)
}

func identity(server string, t *probe.Trial) []string {
	return []string{server, t.Tool, t.Parameter, string(t.Class)}
}

// severities are those of classes that differ from their rule's.
var severities = map[probe.Class]finding.Severity{
	probe.TemplateInjection: finding.High,
	probe.Prefix:            finding.High,
	probe.Symlink:           finding.High,
}

// reportProved reports the trials of a rule's classes that were proved.
func reportProved(rule finding.Rule) func(*check.Pass) {
	return func(p *check.Pass) {
		server := p.Catalog.Servers[0]
		n := 0
		for i := range p.Probes.Trials {
			t := &p.Probes.Trials[i]
			if ruleOf[t.Class] != rule {
				continue
			}
			n++
			if o, ok := t.Outcome.(probe.Proved); ok {
				p.Report(check.Relation{
					At: parameterPlace(p, server, t), Message: sentence(t, &o.Proof) + seeIt(p.Probes, Fingerprint(p.Probes.Server, t), nil), Severity: severities[t.Class], Identity: identity(p.Probes.Server, t),
				})
			}
		}
		p.Looked(n)
	}
}

// sentence says what was proved and how to see it oneself.
func sentence(t *probe.Trial, proof *probe.Proof) string {
	return fmt.Sprintf("%s by %s: %s; %s %s %s", t.Class, proof.Variant, proof.Observed, proof.Method, t.Tool, proof.Arguments)
}

// parameterPlace is where a tool's definition names the parameter, the tool as a whole where it
// does not.
func parameterPlace(p *check.Pass, s *catalog.Server, t *probe.Trial) check.Place {
	for i := range s.Tools() {
		it := &s.Tools()[i]
		if it.Name() != t.Tool {
			continue
		}
		var tree rawjson.Tree
		return p.At(s, it, it.Parse(s, &tree).Get("inputSchema").Get("properties").Get(topName(t.Parameter)))
	}
	return p.At(s, nil, rawjson.Value{})
}

// topName is the first name of a parameter's path.
func topName(path string) string {
	for i := range len(path) {
		if path[i] == '.' || path[i] == '[' {
			return path[:i]
		}
	}
	return path
}
