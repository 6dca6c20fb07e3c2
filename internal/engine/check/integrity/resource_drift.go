package integrity

import (
	"gauntlet/finding"
	"gauntlet/internal/engine/check"
)

var _ = register(check.Check{
	ID: "GNT-016", Name: "resource-drift", Severity: finding.Medium, Maturity: check.Experimental,
	Taxonomy: "MCP03:2025 weak, MCP04:2025 close, ASI04 close, CWE-353 close, CWE-345 close, AML.T0109 weak, SAFE-T1201 weak, L6 close, L2 weak",
	Axis:     "rug-pull", Needs: check.Baseline, Source: toolPins,
	Doc: `A resource or a resource template that stands in the baseline has another address, title, description
or type (mimeType), or other annotations.

An agent that reads a resource by its approved name now reads something else where the address has
changed. Resources are matched by name (by address where they have none); matching and comparing are
otherwise those of SEC-014 and SEC-015: added and removed ones are silent. Sizes and dates of
change, which move by design, do not count. There is one finding a resource. What a resource holds is
not part of a snapshot.`,
	Advice: "Check the resource's new address and text; if they are fine, make the new snapshot the baseline.",
	Run: func(p *check.Pass) {
		for _, list := range []int{resources, templates} {
			eachKept(p, list, func(k kept) {
				cs := changes(k.old, k.new, only("uri", "uriTemplate", "title", "description", "mimeType", "annotations"))
				if cs = withoutDates(cs); cs != nil {
					k.reportChange(p, finding.None, cs)
				}
			})
		}
	},
})

// withoutDates drops annotations that differ in the date of the last change alone.
func withoutDates(cs []change) []change {
	var out []change
	for _, c := range cs {
		if c.member != "annotations" || changes(c.old, c.new, func(m string) bool { return m != "lastModified" }) != nil {
			out = append(out, c)
		}
	}
	return out
}
