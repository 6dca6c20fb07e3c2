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
	Doc: `A file of the source contains a key, a token or a password: in code, in a configuration, or in a .env file
that was published. Everyone who downloads the package gets it.

The rules of gitleaks say what looks like a credential. Whether it is a real one is decided as for SEC-008:
placeholders, invented examples, keys that vendors print in their manuals and hashes that nothing names as a
credential do not count. The finding quotes the first six characters.

Not reported: files whose path names tests, examples, samples, mocks, templates or documentation, and anything
after the first 2 MB of a file.`,
	Advice: "Revoke the credential, remove it from the source and its history, and read it from the environment.",
	Run: func(p *check.Pass) {
		reportSites(p, ofEverySite(finding.None), sink.TreeSecret)
	},
})
