package integrity

import (
	"gauntlet/finding"
	"gauntlet/internal/engine/check"
)

var _ = register(check.Check{
	ID: "GNT-015", Name: "prompt-drift", Severity: finding.Medium, Maturity: check.Experimental,
	Taxonomy: "MCP03:2025 weak, MCP04:2025 close, ASI04 close, CWE-353 close, CWE-345 close, AML.T0109 weak, SAFE-T1201 weak, L6 close, L2 weak",
	Axis:     "rug-pull", Needs: check.Baseline, Source: toolPins,
	Doc: `The title, the description or the arguments of a prompt that stands in the baseline have changed.

A prompt is chosen by a person, so a new description reaches the model more rarely than a tool's does;
its arguments are what the person is asked for. Matching and comparing are those of SEC-014 and
SEC-015: added and removed prompts are silent. There is one finding a prompt. What a prompt says when
it is used is not part of a snapshot.`,
	Advice: "Read the prompt's new definition; if it is fine, make the new snapshot the baseline.",
	Run: func(p *check.Pass) {
		eachKept(p, prompts, func(k kept) {
			if cs := changes(k.old, k.new, only("title", "description", "arguments")); cs != nil {
				k.reportChange(p, finding.None, cs)
			}
		})
	},
})
