package oatf

import (
	"errors"
	"regexp/syntax"
	"strings"

	"gauntlet/oatf/match"
)

// What the rules ask of the languages inside a document. Each is parsed by who runs it
// later, so that what is valid here cannot fail there.

func validRegex(s string) (groups int, err error) {
	re, err := match.ParseRegexp(s)
	if err != nil {
		return 0, err
	}
	return re.NumSubexp(), nil
}

// regexAdvice says what is wrong with a regular expression, and what to do about the two
// things that authors bring along from other engines.
func regexAdvice(err error) string {
	advice := ""
	var wrong *syntax.Error
	if errors.As(err, &wrong) {
		switch {
		case wrong.Code == syntax.ErrInvalidPerlOp && strings.HasPrefix(wrong.Expr, "(?"):
			advice = "; RE2 has no lookahead or lookbehind: use several conditions, or CEL"
		case wrong.Code == syntax.ErrInvalidEscape && len(wrong.Expr) > 1 && strings.ContainsAny(wrong.Expr[1:2], "123456789k"):
			advice = "; RE2 has no references back to a group"
		}
		return "not an RE2 expression: " + string(wrong.Code) + " at " + clip(wrong.Expr) + advice
	}
	return "not an RE2 expression: " + err.Error()
}

func validDuration(s string) error {
	_, err := match.ParseDuration(s)
	return err
}

func validJSONPath(s string) error {
	_, err := match.ParseJSONPath(s)
	return err
}

func validCEL(s string, variables []string) error {
	_, err := match.ParseExpression(s, variables...)
	return err
}

func validSimplePath(s string) bool {
	_, err := match.ParsePath(s)
	return err == nil
}

func validWildcardPath(s string) bool {
	_, err := match.ParseTarget(s)
	return err == nil
}

func templateReferences(s string) ([]string, error) {
	t, err := match.ParseTemplate(s)
	if err != nil {
		return nil, err
	}
	return t.References(), nil
}
