package oatf

// A Result is what [Validate] found (SDK §3.2). A document is valid if it has no Errors,
// whatever its Warnings.
type Result struct {
	Errors   Errors
	Warnings []Diagnostic
}

// checker holds a document's tree and what the rules have found so far.
type checker struct {
	report
	*layout
	regexWork      int // instructions of the regular expressions that were compiled
	expressions    int // CEL expressions that were parsed
	expressionText int // and their bytes
	instructions   int // of regular expressions that lints have looked at
}

// Validate judges a document by all rules of the format, V-001 to V-049, and by GNT-211 on
// gauntlet's own extension x-gauntlet-wire, and returns every
// violation with its place, and the warnings W-001 to W-007. It finds what [Parse] refuses
// again, so it may be called with the document that came back beside an error.
//
// A document that was built or changed by a program is judged as it would be written; its
// diagnostics have paths and no lines.
func Validate(d *Document) Result {
	src := d.current()
	c := checker{report: report{src: src}, layout: layOut(src.rootValue())}
	objectForm(documentShape).check(&c.report, c.root)
	c.envelopeRules()
	c.executionRules()
	c.phaseRules()
	c.indicatorRules()
	c.stateRules()
	c.wireRules()
	var r Result
	for _, d := range c.sortedDiagnostics() {
		if d.Severity == SeverityError {
			r.Errors = append(r.Errors, d)
		} else {
			r.Warnings = append(r.Warnings, d)
		}
	}
	return r
}
