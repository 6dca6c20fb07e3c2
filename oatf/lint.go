package oatf

// Lint reports what is legal in a document and probably not meant: warnings of this
// package's own, GNT-201 to GNT-210 and GNT-212. It wants a valid document, whichever of the three
// forms it has, and says little about another.
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
