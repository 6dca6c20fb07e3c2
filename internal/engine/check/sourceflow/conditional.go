package sourceflow

import (
	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/sink"
)

var _ = register(check.Check{
	ID: "GNT-709", Name: "conditional-behaviour", Severity: finding.Low, Maturity: check.Experimental, Needs: check.Sources,
	Taxonomy: "MCP04:2025 weak, ASI04 close, ASI10 weak, CWE-506 weak, L4 close, L6 weak",
	Axis:     "rug-pull", Source: "https://cwe.mitre.org/data/definitions/511.html",
	Doc: `The server writes, sends or runs something only on certain days, only on certain machines, or only for certain
clients: it compares today's date with a date in the source, or checks the name of the machine, the user or
the client, before a call with consequences. Such a server can behave well wherever it is tested.

There can be honest reasons: a workaround for one client, an offer that ends. The finding asks a person to
read the code. Not reported: comparisons with a computed date (an expiry), with the operating system, and
comparisons on which nothing of consequence depends.`,
	Advice: "Behave the same everywhere, or document what depends on the condition.",
	Run: func(p *check.Pass) {
		reportSites(p, ofEverySite(finding.None), sink.Conditional)
	},
})
