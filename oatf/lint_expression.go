package oatf

import (
	"gauntlet/internal/leaf/lazyregexp"
	"gauntlet/rawjson"
)

// celGuard matches a CEL test for a field's presence: has(), or an optional field.
var celGuard = lazyregexp.New(`\bhas\s*\(|\.\?|\?\[|\bin\b|\bcatch\b`)

// lintExpressions is GNT-202: an expression that sees messages of all kinds and fails on those without its field.
func (c *checker) lintExpressions() {
	for _, i := range c.indicators {
		e := memberOfKind(i, "expression", rawjson.Object)
		if cel := textOf(e, "cel"); cel != "" && !hasMember(i, "surface") && !celGuard.MatchString(cel) {
			c.rule("GNT-202", e, "cel", "without a surface the expression sees every message, and errs on those without its fields: name a surface, or test with has()")
		}
	}
}
