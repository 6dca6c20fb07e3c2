package oatf

// Lint reports what is legal but probably unintended: this package's warnings GNT-201 to GNT-210 and GNT-212. It
// expects a valid document in any of the three forms and says little about others.
func Lint(d *Document) []Diagnostic {
	src := d.current()
	c := checker{report: report{src: src}, layout: layOut(src.rootValue())}
	c.lintPayloads()
	c.lintExpressions()
	c.lintDroppedKeys()
	c.lintTargets()
	c.lintPhases()
	c.lintRegexps()
	c.lintClientActions()
	c.lintDates()
	c.lintStates()
	return sortDiagnostics(c.out)
}
