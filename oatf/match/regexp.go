package match

import (
	"fmt"
	"regexp"
	"regexp/syntax"
)

// Limits of a regular expression: the length of its text and of its compiled program.
const (
	maxRegexpText    = 10_000
	maxRegexpProgram = 20_000
)

// maxRegexpWork bounds a search by instructions times bytes, which the worst-case time grows with; that is a few
// seconds, and nearly every expression needs a hundredth. A typical one of fifty instructions may search 10 MB.
const maxRegexpWork = 500_000_000

// A program is a compiled regular expression and its size.
type program struct {
	*regexp.Regexp
	size int // in instructions
}

// ParseRegexp compiles an RE2 expression, as §5.7 requires: no lookaround, backreferences or possessive quantifiers,
// and linear time. It matches anywhere in a text unless anchored.
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

// checkText rejects a text that could take too long to search.
func (p program) checkText(text string) error {
	if len(text) <= maxRegexpWork/max(p.size, 1) {
		return nil
	}
	return &EvalError{RegexTimeout, fmt.Errorf("%d bytes are too long to search for a regular expression of %d steps", len(text), p.size)}
}
