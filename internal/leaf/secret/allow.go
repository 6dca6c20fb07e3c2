package secret

import (
	"math"
	"regexp"
	"strings"
	"sync"
)

// An allowlist says which matches are not secrets. Conditions about files and commits hold for no string: an "or" list ignores
// them, an "and" list never applies.
type allowlist struct {
	Condition   string
	Paths       []string
	Commits     []string
	RegexTarget string `toml:"regexTarget"`
	Regexes     []string
	Stopwords   []string

	all   bool
	res   func() []*regexp.Regexp
	stops func() *words
}

func (a *allowlist) ready() *allowlist {
	a.all = strings.EqualFold(a.Condition, "and") || a.Condition == "&&"
	a.res = sync.OnceValue(func() (res []*regexp.Regexp) {
		for _, r := range a.Regexes {
			res = append(res, regexp.MustCompile(r))
		}
		return res
	})
	a.stops = sync.OnceValue(func() *words {
		low := make([]string, len(a.Stopwords))
		for i, s := range a.Stopwords {
			low[i] = strings.ToLower(s)
		}
		return newWords(low)
	})
	return a
}

// allows reports whether a permits the secret. match is the regexp's whole match.
func (a *allowlist) allows(s string, secret, match span) bool {
	if a.all && (len(a.Paths) > 0 || len(a.Commits) > 0) {
		return false
	}
	target := secret
	switch a.RegexTarget {
	case "match":
		target = match
	case "line":
		target = lineAround(s, match)
	}
	re := a.matches(target.spanText(s))
	stop := len(a.Stopwords) > 0 && a.stops().in(secret.spanText(s))
	if a.all {
		return (re || len(a.Regexes) == 0) && (stop || len(a.Stopwords) == 0)
	}
	return re || stop
}

func (a *allowlist) matches(text string) bool {
	for _, re := range a.res() {
		// As in gitleaks, an empty match is no match.
		if re.FindString(text) != "" {
			return true
		}
	}
	return false
}

// maxLine bounds the text around a match for "line" patterns.
const maxLine = 512

// lineAround extends m to its line, or maxLine bytes on each side.
func lineAround(s string, m span) span {
	lo, hi := max(0, m.start-maxLine), min(len(s), m.end+maxLine)
	if i := strings.LastIndexByte(s[lo:m.start], '\n'); i >= 0 {
		lo += i + 1
	}
	if i := strings.IndexByte(s[m.end:hi], '\n'); i >= 0 {
		hi = m.end + i
	}
	return span{lo, hi}
}

// entropy returns the Shannon entropy in bits per byte, the unit of gitleaks' thresholds.
func entropy(s string) (h float64) {
	var n [256]int
	for i := range len(s) {
		n[s[i]]++
	}
	for _, k := range n {
		if k > 0 {
			p := float64(k) / float64(len(s))
			h -= p * math.Log2(p)
		}
	}
	return h
}
