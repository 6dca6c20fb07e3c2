package toxicflow

import (
	"strings"

	"gauntlet/capability"
	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/rawjson"
)

var _ = register(check.Check{
	ID: "SEC-033", Name: "capability-tier", Severity: finding.Info, Maturity: check.Experimental,
	Taxonomy: "MCP02:2025 weak, ASI02 weak, ASI03 weak, CWE-250 weak, AML.T0084.001 weak, SAFE-T1104 weak, SAFE-T1605 weak, L4 close, L2 weak",
	Axis:     "capability", Needs: check.Definitions, Source: check.SourceSEC,
	Doc: `The server has tools that can do harm if an agent is turned against its user: run code, read or write files,
make requests, accept connections, read secrets, read or change a database.

This is a description and not a defect: nearly every useful server has such tools. There is one finding for
each server; it counts the tools of each kind and points to them. ` + "`gauntlet classify`" + ` shows the whole matrix
with its evidence. Labels below medium confidence do not count, and a server without such tools is not
reported.`,
	Advice: "Know what you connect: give an agent only the servers and tools that its task needs.",
	Run:    capabilityTier,
})

var tiers = map[capability.Tag]string{
	capability.Exec: "run code", capability.FSRead: "read files", capability.FSWrite: "write files", capability.NetEgress: "make requests",
	capability.NetIngress: "accept connections", capability.SecretAccess: "read secrets", capability.DBQuery: "read a database", capability.DBWrite: "change a database",
}

func capabilityTier(p *check.Pass) {
	all := classifyServers(p)
	countLooked(p, all)
	for _, s := range all {
		var parts, identity []string
		for _, tag := range capability.Tags() {
			with := s.toolsWhere(func(t *tool) bool { return t.tags[atMedium].has(tag) })
			if len(with) == 0 {
				continue
			}
			identity = append(identity, string(tag))
			parts = append(parts, string(tag)+" ("+tiers[tag]+"): "+listNames(with))
		}
		if parts == nil {
			continue
		}
		p.Report(check.Relation{
			At: p.At(s.Server, nil, rawjson.Value{}), Related: relatedPlaces(p, s.toolsWhere(func(*tool) bool { return true })),
			Identity: append([]string{check.Identity(s.Server)}, identity...),
			Message:  "what the tools can do: " + strings.Join(parts, "; "),
		})
	}
}
