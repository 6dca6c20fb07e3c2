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
	Doc: `A credential is written into the log: the value of a variable of the environment that is named like one (…_TOKEN, …_API_KEY,
…_PASSWORD), or all headers of a request with what it authenticates by. Clients keep what a server writes to standard error, and
people send logs to others.

The value itself has to be what is written, by itself, in a template, or in an object. Silent on what is computed from it: whether it is
set, its length, its first characters.`,
	Advice: "Write that a credential is set, never its value.",
	Run: func(p *check.Pass) {
		reportSites(p, ofEverySite(finding.None), sink.LoggedSecret)
	},
})
