package sourceflow

import (
	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/sink"
)

var _ = register(check.Check{
	ID: "MCP-S-010", Name: "secret-in-tree", Severity: finding.High, Maturity: check.Experimental, Needs: check.Sources,
	Taxonomy: "MCP01:2025 close, ASI03 close, CWE-798 exact, CWE-312 close, L4 close, L6 weak",
	Axis:     "secret-exposure", Source: "https://cwe.mitre.org/data/definitions/798.html",
	Doc: `A key, token or password stands in a file of the source: in code, in a configuration, in a .env that was shipped. Whoever gets the package has
it.

What a credential looks like comes from the rules of gitleaks; whether it is a real one is decided as for SEC-008: placeholders, invented examples,
keys that vendors print in their manuals and hashes that nothing calls a credential are none. The finding quotes its first six
characters.

Silent on files whose path says that they hold tests, examples, samples, mocks, templates or documentation, and on what stands behind the first 2 MB of a file.`,
	Advice: "Revoke the credential, take it out of the tree and of its history, and read it from the environment.",
	Run: func(p *check.Pass) {
		reportSites(p, ofEverySite(finding.None), sink.TreeSecret)
	},
})
