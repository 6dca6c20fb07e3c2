package integrity

import (
	"gauntlet/finding"
	"gauntlet/internal/engine/check"
)

var _ = register(check.Check{
	ID: "SEC-014", Name: "tool-pinning-diff", Severity: finding.High, Maturity: check.Experimental,
	Taxonomy: "MCP03:2025 close, MCP04:2025 close, ASI04 close, CWE-494 weak, CWE-353 close, CWE-345 close, AML.T0109 close, AML.T0110 close, SAFE-T1201 close, SAFE-T1205 weak, L6 close, L2 weak",
	Axis:     "rug-pull", Needs: check.Baseline, Source: check.SourceSEC,
	Doc: `The description of a tool has changed since the baseline.

Users and clients approve a tool by its description, and most never look at it again. A server that replaces
the description after the approval keeps that approval for a text that nobody has read (a rug pull).

How servers are matched: by their entry in a configuration where both states have one; otherwise by name, or
regardless of the name where baseline and scan hold one server each. Several servers of one name are matched
by their URL or program if that distinguishes them, then by what they have in common, then by their order.
Tools are matched by exact name. Texts are compared after decoding: different escapes or another position in
the definition are no change, one invisible character is. A missing, a null and an empty description are the
same. If a name or a description appears twice, each one is compared, since clients differ in which they use.

Not reported: added and removed tools, since nobody had approved the former.

The new description may be perfectly honest. The check says only that it is not the one that was approved; the
old text is the related place.`,
	Advice: "Review the new description as if the tool were new. If it is fine, make the new snapshot the baseline.",
	Run:    drift(tools, "description"),
})

// Indexes of lists in catalog.Kinds.
const (
	tools = iota
	prompts
	resources
	templates
)
