package secret

import (
	"regexp/syntax"
	"strings"
)

// A shape says how much text around a keyword a rule needs.
type shape uint8

const (
	token    shape = iota // keyword and secret without white space between
	loose                 // anything else: cut by reach
	labelled              // a label, a separator, the secret: cut by hand
)

// maxReach is the reach of unbounded regexps. A PEM private key takes 3 KB.
const maxReach = 8 << 10

// measure derives shape, reach and min from the regexp's syntax.
func (r *rule) measure() {
	if r.Near || strings.Contains(r.needle, labelTail) {
		r.shape = labelled // nothing else to know, and parsing all of these takes 2 ms
		return
	}
	r.shape, r.reach = loose, maxReach
	re, err := syntax.Parse(r.needle, syntax.Perl)
	if err != nil {
		return // compiling fails likewise; TestEveryRuleCompiles checks
	}
	least, most, space := extent(re)
	r.min, r.reach = least, most
	if !space && r.keywordsInside() {
		r.shape = token
	}
}

// labelTail is the separator in gitleaks' "label = value" rules.
const labelTail = `(?:=|>|:{1,3}=|\|\||:|=>|\?=|,)`

// keywordsInside reports whether each keyword occurs in the regexp, and so within the match. Some of gitleaks' keywords only
// indicate the topic.
func (r *rule) keywordsInside() bool {
	plain := strings.ToLower(strings.ReplaceAll(r.Regex, `\`, ""))
	for _, k := range r.Keywords {
		if !strings.Contains(plain, strings.ToLower(k)) {
			return false
		}
	}
	return true
}

// extent returns the byte lengths of the shortest and longest match, the latter capped at maxReach, and whether a match can contain
// white space before its last byte.
func extent(re *syntax.Regexp) (least, most int, space bool) {
	switch re.Op {
	case syntax.OpLiteral:
		return len(string(re.Rune)), 4 * len(re.Rune), strings.ContainsAny(string(re.Rune), " \t\r\n")
	case syntax.OpCharClass:
		for i := 0; i < len(re.Rune); i += 2 {
			for _, c := range " \t\n\f\r" {
				space = space || re.Rune[i] <= c && c <= re.Rune[i+1]
			}
		}
		return 1, 4, space
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return 1, 4, true
	case syntax.OpCapture:
		return extent(re.Sub[0])
	case syntax.OpStar, syntax.OpPlus, syntax.OpQuest, syntax.OpRepeat:
		return repeated(re)
	case syntax.OpConcat:
		for i, sub := range re.Sub {
			a, b, s := extent(sub)
			// A terminator such as ["\s;] may be white space: it ends the run.
			last := i == len(re.Sub)-1 && b <= 8
			least, most, space = least+a, min(most+b, maxReach), space || s && !last
		}
		return least, most, space
	case syntax.OpAlternate:
		least = maxReach
		for _, sub := range re.Sub {
			a, b, s := extent(sub)
			least, most, space = min(least, a), max(most, b), space || s
		}
		return least, most, space
	}
	return 0, 0, false // assertions and the empty match
}

func repeated(re *syntax.Regexp) (least, most int, space bool) {
	lo, hi := re.Min, re.Max
	switch re.Op {
	case syntax.OpStar:
		lo, hi = 0, -1
	case syntax.OpPlus:
		lo, hi = 1, -1
	case syntax.OpQuest:
		lo, hi = 0, 1
	}
	a, b, space := extent(re.Sub[0])
	if hi < 0 {
		return lo * a, maxReach, space
	}
	return lo * a, min(hi*b, maxReach), space
}
