package integrity

import (
	"gauntlet/finding"
	"gauntlet/internal/engine/check"
)

var _ = register(check.Check{
	ID: "GNT-016", Name: "resource-drift", Severity: finding.Medium, Maturity: check.Experimental,
	Taxonomy: "MCP03:2025 weak, MCP04:2025 close, ASI04 close, CWE-353 close, CWE-345 close, AML.T0109 weak, SAFE-T1201 weak, L6 close, L2 weak",
	Axis:     "rug-pull", Needs: check.Baseline, Source: toolPins,
	Doc: `The address, title, description, type (mimeType) or annotations of a resource or a resource template have
changed since the baseline.

After a change of address, an agent that reads a resource by its approved name reads something else. Resources
are matched by name, or by address if they have no name, and otherwise compared as in SEC-014 and SEC-015;
added and removed resources are not reported, nor are sizes and modification dates. There is one finding for
each resource. A snapshot does not contain the content of resources.`,
	Advice: "Check the resource's new address and text. If they are fine, make the new snapshot the baseline.",
	Run: func(p *check.Pass) {
		for _, list := range []int{resources, templates} {
			eachKept(p, list, func(k kept) {
				cs := changes(k.old, k.new, only("uri", "uriTemplate", "title", "description", "mimeType", "annotations"))
				k.reportChange(p, finding.None, withoutDates(cs))
			})
		}
	},
})

// withoutDates drops annotations that differ only in the date of the last change.
func withoutDates(cs []change) []change {
	var out []change
	for _, c := range cs {
		if c.member != "annotations" || changes(c.old, c.new, func(m string) bool { return m != "lastModified" }) != nil {
			out = append(out, c)
		}
	}
	return out
}
