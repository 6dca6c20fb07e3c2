package sourceflow

import (
	"gauntlet/finding"
	"gauntlet/internal/engine/check"
	"gauntlet/sink"
)

var _ = register(check.Check{
	ID: "GNT-710", Name: "prototype-pollution", Severity: finding.Medium, Maturity: check.Experimental, Needs: check.Sources,
	Taxonomy: "MCP05:2025 close, ASI05 weak, CWE-1321 exact, L3 weak, L4 close",
	Axis:     "prototype-pollution", Source: "https://cwe.mitre.org/data/definitions/1321.html",
	Doc: `A tool's parameter names a member of an object, and a member of that member is
then written: object[a][b] = value, step by step along a path such as "a.b", or by a recursive merge. With
__proto__ as the first name, every object of the program gets the new member, which can change what other code
does (prototype pollution).

In Python, a parameter that getattr takes as the whole name of an attribute counts: it reaches every attribute and method of the
object, credentials among them.

Guards are any check that refuses a name, and a list of allowed names. Not reported: code where only one name
is the caller's (object[a] = value), where the last name is fixed, Map, and merges inside packages.`,
	Advice: "Refuse __proto__, constructor and prototype, or keep the data in a Map or an Object.create(null).",
	Run: func(p *check.Pass) {
		reportFlows(p, always(finding.None), map[sink.FlowKind]string{sink.PrototypeFlow: "the name of a member"})
	},
})
