package report

import (
	"fmt"

	"gauntlet/finding"
	"gauntlet/result"
)

// expectationRule is the SARIF rule of failed expectations.
const expectationRule finding.Rule = "expectation"

// expectationSection lists the expectations. Those that held ask for nothing.
func expectationSection(r *result.Report) section {
	s := section{ID: "expectations", Title: "Expectations", Brief: "Expected", BriefRows: true, Lines: true, Heads: []string{"Result", "Expectation"}, Noun: "expectation", Share: markdownLimit / 4}
	switch {
	case r.Expectations == nil:
	case r.Failed() == 0:
		s.Remark = "all " + groupDigits(len(r.Expectations)) + " held"
	default:
		s.Remark = fmt.Sprintf("%s of %s did not hold", groupDigits(r.Failed()), groupDigits(len(r.Expectations)))
	}
	s.quiet = func(i int) bool { return r.Expectations[i].Held }
	return withRows(s, r.Expectations, func(e *result.Expectation) row {
		one := row{Badge: "failed", Tone: "high", Title: e.Name, Text: e.Message, Where: fileLine(e.File, e.Line), Test: &junitTest{name: fmt.Sprintf("%s, line %d", e.Name, e.Line), file: e.File, outcome: "failure", kind: "expectation"}}
		if e.Held {
			one.Badge, one.Tone, one.Test.outcome, one.Test.kind = "held", "", "", ""
		}
		return one
	})
}

// expectationResult returns the result for a failed expectation.
func expectationResult(e *result.Expectation) sarifResult {
	return sarifResult{
		rule: expectationRule, level: "error", text: sarifPlain(e.Name + ": " + e.Message), at: sarifLine(e.File, e.Line),
		mark: finding.Fingerprint(string(expectationRule), e.File, e.Name, fmt.Sprint(e.Line)), properties: e,
	}
}
