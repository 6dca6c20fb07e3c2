package toxicflow

import (
	"fmt"

	"gauntlet/check"
	"gauntlet/finding"
	"gauntlet/rawjson"
)

var _ = register(check.Check{
	ID: "SEC-034", Name: "untrusted-content-source", Severity: finding.Low, Maturity: check.Experimental,
	Axis: "toxic-flow", Needs: check.Definitions, Source: check.SourceSEC,
	Doc: `A tool returns text that strangers can write: a page on the network, a mail, an issue or a comment that anyone
may leave. An agent reads it in the same context as the user's orders, so it is where an injection comes in.

There is one finding a server; it points to the tools. What colleagues write in a closed workspace, files of
this machine and the figures of an API (weather, prices) do not count: strangers do not write those. Labels
below medium confidence do not count.`,
	Advice: "Treat what these tools return as data: keep it away from tools that act, or have a person confirm what follows.",
	Run:    untrustedContentSource,
})

func untrusted(t *tool) bool { return t.flow.Untrusted != "" }

func untrustedContentSource(p *check.Pass) {
	all := servers(p)
	looked(p, all)
	for _, s := range all {
		from := s.where(untrusted)
		if len(from) == 0 {
			continue
		}
		what := fmt.Sprintf("%d tools return text that strangers can write: %s", len(from), names(from))
		if len(from) == 1 {
			what = fmt.Sprintf("%s returns text that strangers can write: %s", from[0].name(), from[0].flow.Untrusted)
		}
		identity := []string{check.Identity(s.Server)}
		for _, t := range from {
			identity = append(identity, t.name())
		}
		p.Report(check.Relation{At: p.At(s.Server, nil, rawjson.Value{}), Related: places(p, from), Identity: identity, Message: what})
	}
}
