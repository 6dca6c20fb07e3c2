package match

import (
	"fmt"
	"regexp"
	"regexp/syntax"
)

// The bounds of a regular expression: the length of its text, and how many instructions
// it may compile to.
const (
	maxRegexpText    = 10_000
	maxRegexpProgram = 20_000
)

// maxRegexpWork bounds one search: the instructions times the bytes searched, which is what
// the time of the worst case grows with. It is a few seconds then; nearly every expression
// takes a hundredth of that. A common one of fifty instructions may search 10 MB.
const maxRegexpWork = 500_000_000

// A program is a regular expression and what it compiles to.
type program struct {
	*regexp.Regexp
	size int // in instructions
}

// ParseRegexp compiles a regular expression of RE2, which is what §5.7 asks for: without
// lookaround, backreferences and possessive quantifiers, and in time linear in the text.
// It matches any part of a text unless it has anchors.
func ParseRegexp(s string) (*regexp.Regexp, error) {
	p, err := parseProgram(s)
	return p.Regexp, err
}

func parseProgram(s string) (program, error) {
	if len(s) > maxRegexpText {
		return program{}, fmt.Errorf("a regular expression of more than %d bytes", maxRegexpText)
	}
	tree, err := syntax.Parse(s, syntax.Perl)
	if err != nil {
		return program{}, err
	}
	compiled, err := syntax.Compile(tree.Simplify())
	if err != nil {
		return program{}, err
	}
	if n := len(compiled.Inst); n > maxRegexpProgram {
		return program{}, fmt.Errorf("a regular expression whose repetitions make %d steps of it; at most %d", n, maxRegexpProgram)
	}
	re, err := regexp.Compile(s)
	return program{re, len(compiled.Inst)}, err
}

// checkText refuses a text that could take too long to search.
func (p program) checkText(text string) error {
	if len(text) <= maxRegexpWork/max(p.size, 1) {
		return nil
	}
	return &EvalError{RegexTimeout, fmt.Errorf("%d bytes are too many to search for a regular expression of %d steps", len(text), p.size)}
}
