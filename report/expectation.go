package report

import (
	"fmt"

	"gauntlet/finding"
	"gauntlet/result"
)

// expectationRule is the SARIF rule of failed expectations.
const expectationRule finding.Rule = "expectation"

// expectations lists the failed expectations, with counts.
func (p *page) expectations(es []result.Expectation) {
	if es == nil {
		return
	}
	failed := 0
	for i := range es {
		if !es[i].Held {
			failed++
		}
	}
	if failed == 0 {
		p.heading("Expectations", "  all "+groupDigits(len(es))+" held")
		p.writeBlank()
		return
	}
	p.heading("Expectations", fmt.Sprintf("  %s of %s did not hold", groupDigits(failed), groupDigits(len(es))))
	for i := range es {
		e := &es[i]
		if e.Held {
			continue
		}
		p.labelled(2, "failed:", Visible(e.Name+": "+e.Message))
		p.painted(2, "at:", Visible(fmt.Sprintf("%s:%d", e.File, e.Line)), p.dim)
	}
	p.writeBlank()
}

// nthFailed returns the nth failed expectation.
func nthFailed(es []result.Expectation, n int) *result.Expectation {
	for i := range es {
		if !es[i].Held {
			if n--; n < 0 {
				return &es[i]
			}
		}
	}
	return nil
}

func expectationTests(es []result.Expectation) []junitTest {
	var out []junitTest
	for i := range es {
		t := junitTest{class: "expectations", name: fmt.Sprintf("%s, line %d", es[i].Name, es[i].Line), file: es[i].File}
		if !es[i].Held {
			t.outcome, t.kind, t.message = "failure", "expectation", es[i].Message
		}
		out = append(out, t)
	}
	return out
}

// disappointed returns the result for a failed expectation.
func disappointed(e *result.Expectation, rules sarifRules, suppressions *[]sarifSuppression) *sarifResult {
	l := finding.Location{File: e.File, Line: e.Line}
	mark := finding.Fingerprint(string(expectationRule), e.File, e.Name, fmt.Sprint(e.Line))
	return &sarifResult{
		RuleID: string(expectationRule), RuleIndex: rules.index[expectationRule], Level: "error",
		Message:             sarifText{Text: sarifPlain(e.Name + ": " + e.Message)},
		Locations:           []sarifLocation{{Physical: sarifPhysical{sarifArtifact{artifactURI(&l)}, region(&l)}}},
		PartialFingerprints: sarifPrints{V1: mark, Primary: mark},
		Suppressions:        suppressions,
		Properties:          e,
	}
}
