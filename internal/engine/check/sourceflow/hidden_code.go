package sourceflow

import (
	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/sink"
)

var _ = register(check.Check{
	ID: "GNT-708", Name: "hidden-code", Severity: finding.High, Maturity: check.Experimental, Needs: check.Sources,
	Taxonomy: "MCP04:2025 close, ASI04 close, CWE-506 close, L4 close, L6 weak",
	Axis:     "supply-chain", Source: "https://cwe.mitre.org/data/definitions/506.html",
	Doc: `The source decodes code from base64, hexadecimal digits, compressed or marshalled bytes and runs it, or the
variables of a file are renamed to numbers (_0x1a2b …). Honest packages are at most minified; code that is
hidden is usually hidden for a reason.

Not reported: decoded data that is not run, and minified files.`,
	Advice: "Ship readable source.",
	Run: func(p *check.Pass) {
		reportSites(p, ofEverySite(finding.None), sink.HiddenCode)
	},
})
