package oatf

import (
	"errors"
	"fmt"
	"regexp/syntax"
	"strings"

	"gauntlet/internal/leaf/excerpt"
	"gauntlet/oatf/match"
)

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

// Checks of the languages embedded in a document. Each is parsed by the package that later runs it, so that what is
// valid here cannot fail there.

// maxRegexWork limits the total instructions that a document's regular expressions compile to, maxExpressions the number of CEL
// expressions, and maxExpressionText their total bytes. They are a hundred times what an author needs and less than a second of work.
const (
	maxRegexWork      = 300_000
	maxExpressions    = 1_000
	maxExpressionText = 50_000
)

var errTooManyRegexes = errors.New("the regular expressions of the document are too large in total")

// validRegex returns the number of groups of a regular expression, or what is wrong with it.
func (c *checker) validRegex(s string) (groups int, err error) {
	if c.regexWork > maxRegexWork {
		return 0, errTooManyRegexes
	}
	tree, err := syntax.Parse(s, syntax.Perl)
	if err != nil {
		return 0, err
	}
	if c.regexWork += instructionsOf(tree); c.regexWork > maxRegexWork {
		return 0, errTooManyRegexes
	}
	re, err := match.ParseRegexp(s)
	if err != nil {
		return 0, err
	}
	return re.NumSubexp(), nil
}

// instructionsOf is an upper bound, except for classes, of what an expression compiles to: x{1000} is short but not small.
func instructionsOf(re *syntax.Regexp) int {
	n := 1 + len(re.Rune)
	for _, sub := range re.Sub {
		n += instructionsOf(sub)
	}
	if re.Op == syntax.OpRepeat {
		n *= max(re.Max, re.Min, 1)
	}
	return min(n, maxRegexWork)
}

// regexAdvice says what is wrong with a regular expression, and how to replace the two constructs that authors bring from other engines.
func regexAdvice(err error) string {
	advice := ""
	if wrong, ok := errors.AsType[*syntax.Error](err); ok {
		switch {
		case wrong.Code == syntax.ErrInvalidPerlOp && strings.HasPrefix(wrong.Expr, "(?"),
			wrong.Code == syntax.ErrInvalidNamedCapture && (strings.HasPrefix(wrong.Expr, "(?<=") || strings.HasPrefix(wrong.Expr, "(?<!")):
			advice = "; RE2 has no lookahead or lookbehind: use several conditions, or CEL"
		case wrong.Code == syntax.ErrInvalidEscape && len(wrong.Expr) > 1 && strings.ContainsAny(wrong.Expr[1:2], "123456789k"):
			advice = "; RE2 has no backreferences"
		}
		return "not an RE2 expression: " + string(wrong.Code) + " at " + excerpt.Clip(wrong.Expr, mostQuoted) + advice
	}
	return "not an RE2 expression: " + err.Error()
}

func (c *checker) validCEL(s string, variables []string) error {
	if c.expressions++; c.expressions > maxExpressions {
		return fmt.Errorf("the document has more than %d expressions", maxExpressions)
	}
	if c.expressionText += len(s); c.expressionText > maxExpressionText {
		return fmt.Errorf("the expressions of the document have more than %d bytes in total", maxExpressionText)
	}
	_, err := match.ParseExpression(s, variables...)
	return err
}
