package integrity

import (
	"gauntlet/finding"
	"gauntlet/internal/engine/check"
)

var _ = register(check.Check{
	ID: "GNT-015", Name: "prompt-drift", Severity: finding.Medium, Maturity: check.Experimental,
	Taxonomy: "MCP03:2025 weak, MCP04:2025 close, ASI04 close, CWE-353 close, CWE-345 close, AML.T0109 weak, SAFE-T1201 weak, L6 close, L2 weak",
	Axis:     "rug-pull", Needs: check.Baseline, Source: toolPins,
	Doc: `The title, the description or the arguments of a prompt have changed since the baseline.

People choose prompts, so a new description reaches the model less often than a tool's does; the arguments are
what the person is asked to fill in. Prompts are matched and compared as in SEC-014 and SEC-015; added and
removed prompts are not reported. There is one finding for each prompt. A snapshot does not contain what a
prompt returns when it is used.`,
	Advice: "Review the prompt's new definition. If it is fine, make the new snapshot the baseline.",
	Run:    drift(prompts, "title", "description", "arguments"),
})
