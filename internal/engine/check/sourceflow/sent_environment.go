package sourceflow

import (
	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/sink"
)

var _ = register(check.Check{
	ID: "GNT-707", Name: "environment-sent", Severity: finding.High, Maturity: check.Experimental, Needs: check.Sources,
	Taxonomy: "MCP01:2025 close, ASI04 close, CWE-506 close, CWE-200 close, L4 close, L6 weak",
	Axis:     "data-exfiltration", Source: "https://cwe.mitre.org/data/definitions/506.html",
	Doc: `The environment as a whole (process.env, os.environ) is part of a request. It holds the credentials of whatever else the user
runs.

Silent on single variables and on the environment that a program is started with.`,
	Advice: "Send the variables that are needed, by name.",
	Run: func(p *check.Pass) {
		reportSites(p, ofEverySite(finding.None), sink.SentEnv)
	},
})
