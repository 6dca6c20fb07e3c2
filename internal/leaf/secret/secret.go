// Package secret finds keys and credentials in the strings of MCP definitions.
//
// The forms of secrets come from gitleaks' rules, embedded as data, and a short list of our own for what they lack (connection
// strings, credentials in prose). Whether a match is a secret is decided here: definitions are documentation, so placeholders
// ("YOUR_API_KEY"), invented examples ("e.g. sk-123456…") and keys from vendors' manuals (AKIAIOSFODNN7EXAMPLE) are not.
package secret

import (
	"cmp"
	"slices"
	"strings"
)

// A Match is one secret. Start and End are its byte offsets, without label or quotes.
type Match struct {
	Rule        string // gitleaks' rule id, or one of ours
	Description string // the rule's, one sentence
	Start, End  int
}

// MaxMatches bounds the matches of one string. A definition with more is a dump.
const MaxMatches = 20

// Find returns the secrets in s in order, without overlaps, at most MaxMatches; beyond that the more certain rules win. It is safe
// for concurrent use and takes linear time: a long string of near misses is only partly read, see workPerByte.
func Find(s string) []Match { return find(s, MaxMatches) }

func find(s string, most int) []Match {
	set := load()
	work := set.windows(s)
	if work == nil {
		return nil
	}
	j := job{set: set, s: s, most: most, budget: workPerByte*len(s) + minWork + (most-MaxMatches)*judgeCost}
	for i, spans := range work {
		for _, w := range spans {
			if !j.runRule(set.rules[i], w) {
				break
			}
		}
	}
	slices.SortFunc(j.found, func(a, b Match) int { return cmp.Compare(a.Start, b.Start) })
	return j.found
}

// mostReplaced bounds the secrets Replace looks for in one text.
const mostReplaced = 50 * MaxMatches

// Replace replaces every secret in a text by what with returns. A text with mostReplaced of them is replaced as a whole. It is a
// single search: one that restarted, or continued after the last match, would miss secrets between decoys that with leaves
// unchanged.
func Replace(text string, with func(found string) string) string {
	found := find(text, mostReplaced)
	if len(found) == mostReplaced {
		return with(text) // a dump: nothing of it is worth keeping
	}
	var b strings.Builder
	done := 0
	for _, m := range found {
		b.WriteString(text[done:m.Start] + with(text[m.Start:m.End]))
		done = m.End
	}
	return b.String() + text[done:]
}

// A job is one call of Find.
type job struct {
	set    *ruleset
	s      string
	found  []Match
	most   int // most matches
	budget int // bytes that regexps may still read
}

// The budget makes time linear for strings of keywords and near misses: what is left when it is spent is not read. Short strings
// hardly ever spend it, and no string of 10,000 real tools came near. Judging one candidate reads about judgeCost bytes.
const (
	workPerByte = 8
	minWork     = 128 << 10
	judgeCost   = 512
)

// runRule adds r's matches in w and reports whether to continue. Earlier matches win over overlapping later ones, as rules are in
// order of preference.
func (j *job) runRule(r *rule, w span) bool {
	if j.budget -= w.end - w.start; j.budget < 0 {
		return false
	}
	for _, at := range r.re().FindAllStringSubmatchIndex(w.spanText(j.s), j.budget/judgeCost+1) {
		match := span{w.start + at[0], w.start + at[1]}
		if cut(j.s, w, match) {
			continue
		}
		if len(j.found) == j.most || j.budget < judgeCost {
			return false
		}
		secret := r.secret(at, w.start)
		if slices.ContainsFunc(j.found, func(m Match) bool { return secret.start < m.End && m.Start < secret.end }) {
			continue
		}
		j.budget -= judgeCost
		if j.set.judgeMatch(r, j.s, secret, match) {
			j.found = append(j.found, Match{Rule: r.ID, Description: r.Description, Start: secret.start, End: secret.end})
		}
	}
	return true
}

// cut reports whether a match touches a window edge inside a word: its end, or the boundary the regexp saw, is then an artefact of
// the window.
func cut(s string, w, m span) bool {
	inWord := func(i int) bool { return 0 < i && i < len(s) && !isSpaceByte(s[i-1]) && !isSpaceByte(s[i]) }
	return m.start == w.start && inWord(w.start) && wordByte(s[w.start]) && wordByte(s[w.start-1]) ||
		m.end == w.end && inWord(w.end) && wordByte(s[w.end-1]) && wordByte(s[w.end])
}

func wordByte(c byte) bool {
	return 'a' <= lowerByte(c) && lowerByte(c) <= 'z' || '0' <= c && c <= '9' || c == '_'
}

// secret returns the submatch that holds the secret: the rule's group, else the first non-empty one, else the whole match.
func (r *rule) secret(at []int, offset int) span {
	g := r.SecretGroup
	if g == 0 {
		for i := 1; 2*i < len(at) && g == 0; i++ {
			if at[2*i] >= 0 && at[2*i+1] > at[2*i] {
				g = i
			}
		}
	}
	return span{offset + at[2*g], offset + at[2*g+1]}
}
