package oatf

// A Result is the outcome of [Validate] (SDK §3.2). A document is valid if it has no Errors; Warnings do not matter.
type Result struct {
	Errors   Errors
	Warnings []Diagnostic
}

// checker holds a document's tree and the diagnostics so far.
type checker struct {
	report
	*layout
	regexWork      int // instructions of compiled regular expressions
	expressions    int // CEL expressions parsed
	expressionText int // their bytes
	instructions   int // of regular expressions examined by lints
}

// Validate checks a document against the format's rules, V-001 to V-049, GNT-211 and GNT-213 on gauntlet's
// extensions x-gauntlet-wire and x-gauntlet-files, and returns every violation with its position and the warnings W-001 to W-007. It repeats the errors
// of [Parse], so it may be called with the document that came with an error.
//
// A document built or changed by a program is judged as it would be written; its diagnostics have paths but no lines.
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
	c.fileRules()
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
