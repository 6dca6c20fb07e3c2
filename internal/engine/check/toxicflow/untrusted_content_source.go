package toxicflow

import (
	"fmt"

	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/rawjson"
)

var _ = register(check.Check{
	ID: "SEC-034", Name: "untrusted-content-source", Severity: finding.Low, Maturity: check.Experimental,
	Taxonomy: "MCP06:2025 close, MCP10:2025 close, ASI01 close, ASI06 weak, CWE-829 weak, CWE-1427 close, AML.T0051.001 close, AML.T0099 weak, SAFE-T1102 close, L2 close, L1 weak",
	Axis:     "toxic-flow", Needs: check.Definitions, Source: check.SourceSEC,
	Doc: `A tool returns text that strangers can write: a web page, an email, an issue or a comment that anyone may
leave. The agent reads this text in the same context as the user's instructions, so an attacker can put
instructions into it (prompt injection).

There is one finding for each server; it points to the tools. Not reported: what colleagues write in a closed
workspace, files on this machine and figures from an API (weather, prices), since strangers do not write
those. Labels below medium confidence do not count.`,
	Advice: "Treat what these tools return as data: keep it away from tools that act, or have a person confirm each action.",
	Run:    untrustedContentSource,
})

func returnsStrangersText(t *tool) bool { return t.flow.Untrusted != "" }

func untrustedContentSource(p *check.Pass) {
	all := classifyServers(p)
	countLooked(p, all)
	for _, s := range all {
		from := s.toolsWhere(returnsStrangersText)
		if len(from) == 0 {
			continue
		}
		what := fmt.Sprintf("%d tools return text that strangers can write: %s", len(from), listNames(from))
		if len(from) == 1 {
			what = fmt.Sprintf("%s returns text that strangers can write: it %s", from[0].name(), from[0].flow.Untrusted)
		}
		identity := []string{check.Identity(s.Server)}
		for _, t := range from {
			identity = append(identity, t.name())
		}
		p.Report(check.Relation{At: p.At(s.Server, nil, rawjson.Value{}), Related: relatedPlaces(p, from), Identity: identity, Message: what})
	}
}
