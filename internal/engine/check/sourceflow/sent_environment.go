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
	Doc: `The server sends its whole environment (process.env, os.environ) in a request. The environment often holds
credentials for other programs of the user.

Not reported: single variables, and the environment given to a program that the server starts.`,
	Advice: "Send only the variables that are needed, by name.",
	Run: func(p *check.Pass) {
		reportSites(p, ofEverySite(finding.None), sink.SentEnv)
	},
})
