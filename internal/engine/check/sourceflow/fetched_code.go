package sourceflow

import (
	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/sink"
)

var _ = register(check.Check{
	ID: "GNT-706", Name: "fetched-code", Severity: finding.High, Maturity: check.Experimental, Needs: check.Sources,
	Taxonomy: "MCP04:2025 close, ASI04 close, ASI05 close, CWE-494 exact, CWE-829 close, L4 close, L6 weak",
	Axis:     "command-execution", Source: "https://cwe.mitre.org/data/definitions/494.html",
	Doc: `The server runs what it downloads: as code (eval, exec, Function, vm), or through a shell at the end of a pipe
(curl … | sh). Whoever controls the address, or the network on the way to it, decides what the machine does,
now or later, and no review of the package can see it.

Not reported: code that is part of the package, and downloads that are only stored.`,
	Advice: "Ship the code with the package, or compare its hash with one in the source before running it.",
	Run: func(p *check.Pass) {
		reportSites(p, ofEverySite(finding.None), sink.FetchedCode)
	},
})
