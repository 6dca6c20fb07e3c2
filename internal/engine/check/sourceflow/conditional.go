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
	Doc: `Something is written, sent or run on some days alone, on some machines alone, or for some clients alone: a comparison of today with a date of the source, of the machine's or user's
name, or of the client's name, before a call with consequences. Where such a package is tested, it need not do what it does elsewhere.

Reasons can be honest: a workaround for one client, an offer that ends. The finding asks a person to read the place. Silent on comparisons with a date that is computed (an
expiry), on the operating system, and where nothing of consequence depends on it.`,
	Advice: "Behave alike everywhere, or say in the documentation what depends on the condition.",
	Run: func(p *check.Pass) {
		reportSites(p, ofEverySite(finding.None), sink.Conditional)
	},
})
