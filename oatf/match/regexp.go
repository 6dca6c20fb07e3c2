package match

import (
	"fmt"
	"regexp"
	"regexp/syntax"
)

// The bounds of a regular expression: the length of its text, and how many instructions
// it may compile to. Matching takes time in the product of those and the text searched, so
// that counted repetitions of repetitions must not blow a short expression up.
const (
	maxRegexpText    = 10_000
	maxRegexpProgram = 20_000
)

// ParseRegexp compiles a regular expression of RE2, which is what §5.7 asks for: without
// lookaround, backreferences and possessive quantifiers, and in time linear in the text.
// It matches any part of a text unless it has anchors.
func ParseRegexp(s string) (*regexp.Regexp, error) {
	if len(s) > maxRegexpText {
		return nil, fmt.Errorf("a regular expression of more than %d bytes", maxRegexpText)
	}
	tree, err := syntax.Parse(s, syntax.Perl)
	if err != nil {
		return nil, err
	}
	prog, err := syntax.Compile(tree.Simplify())
	if err != nil {
		return nil, err
	}
	if len(prog.Inst) > maxRegexpProgram {
		return nil, fmt.Errorf("a regular expression whose repetitions make %d steps of it; at most %d", len(prog.Inst), maxRegexpProgram)
	}
	return regexp.Compile(s)
}
