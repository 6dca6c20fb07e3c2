package sourceflow

import (
	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/sink"
)

var _ = register(check.Check{
	ID: "MCP-S-011", Name: "secret-logged", Severity: finding.Low, Maturity: check.Experimental, Needs: check.Sources,
	Taxonomy: "MCP01:2025 close, ASI03 weak, CWE-532 exact, L4 close, L3 weak",
	Axis:     "secret-logged", Source: "https://cwe.mitre.org/data/definitions/532.html",
	Doc: `A credential is written to the log: the value of an environment variable named like one (…_TOKEN, …_API_KEY,
…_PASSWORD), or all headers of a request, including those that authenticate it. Clients keep what a server
writes to standard error, and people share logs.

The value itself must be written, alone, in a template or in an object. Not reported: what is computed from
it, such as whether it is set, its length or its first characters.`,
	Advice: "Log that a credential is set, never its value.",
	Run: func(p *check.Pass) {
		reportSites(p, ofEverySite(finding.None), sink.LoggedSecret)
	},
})
