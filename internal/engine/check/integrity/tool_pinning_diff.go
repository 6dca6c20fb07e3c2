package integrity

import (
	"gauntlet/finding"
	"gauntlet/internal/engine/check"
)

var _ = register(check.Check{
	ID: "SEC-014", Name: "tool-pinning-diff", Severity: finding.High, Maturity: check.Experimental,
	Taxonomy: "MCP03:2025 close, MCP04:2025 close, ASI04 close, CWE-494 weak, CWE-353 close, CWE-345 close, AML.T0109 close, AML.T0110 close, SAFE-T1201 close, SAFE-T1205 weak, L6 close, L2 weak",
	Axis:     "rug-pull", Needs: check.Baseline, Source: check.SourceSEC,
	Doc: `The description of a tool that stands in the baseline has changed.

Users and clients approve a tool by what it says about itself, and most never look again. A server
that swaps the description afterwards speaks to the model with that approval (a rug pull).

Servers are matched by their entry in a configuration where both states have one, else by name, or
regardless of it where baseline and scan hold one server each; of several of one name by their URL or
program if that tells them apart, then by what they have in common, then by their order. Tools are matched by name, exactly. The text is compared as decoded: other escapes or another place in the definition
are no change, one invisible character is. A missing, a null and an empty description are the same.
Of a name or a description that stands twice each is compared, since clients differ in which they take.

Added and removed tools are silent: what nobody approved cannot be swapped.

A new description may be perfectly honest. The check says that what was approved is not what is
there; the related place is the old text.`,
	Advice: "Read the new description as if the tool were new; if it is fine, make the new snapshot the baseline.",
	Run: func(p *check.Pass) {
		eachKept(p, tools, func(k kept) {
			if cs := changes(k.old, k.new, only("description")); cs != nil {
				k.reportChange(p, finding.None, cs)
			}
		})
	},
})

// The lists of a server, by their place in catalog.Kinds.
const (
	tools = iota
	prompts
	resources
	templates
)
