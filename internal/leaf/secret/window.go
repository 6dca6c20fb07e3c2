package secret

import "strings"

// A span is a part of a string, in bytes.
type span struct{ start, end int }

func (p span) spanText(s string) string { return s[p.start:p.end] }

// windows runs the prefilter and returns, by rule number, the parts of s that its regexp must examine, ascending and disjoint; nil
// if there are none.
func (set *ruleset) windows(s string) [][]span {
	var work [][]span
	var here span // the run without white space around the last keyword
	var behind lastValue
	set.keywords.eachWord(s, func(word, start, end int) bool {
		if end > here.end {
			here = unbrokenRun(s, start, end)
		}
		for _, n := range set.byKeyword[word] {
			r := set.rules[n]
			w, ok := r.window(s, start, end, here, &behind)
			if !ok {
				continue
			}
			if work == nil {
				work = make([][]span, len(set.rules))
			}
			work[n] = joinWindow(work[n], w)
		}
		return true
	})
	return work
}

// joinWindow adds w, which starts no earlier than the last span's keyword, to spans.
func joinWindow(spans []span, w span) []span {
	for len(spans) > 0 && w.start <= spans[len(spans)-1].end {
		last := spans[len(spans)-1]
		w = span{min(last.start, w.start), max(last.end, w.end)}
		spans = spans[:len(spans)-1]
	}
	return append(spans, w)
}

// window returns the part of s that a match of r around the keyword s[start:end], in the run here, can cover; false if no match is
// possible.
func (r *rule) window(s string, start, end int, here span, behind *lastValue) (span, bool) {
	switch r.shape {
	case token:
		w := span{max(here.start-1, start-r.reach, 0), min(here.end+1, end+r.reach, len(s))}
		return w, here.end-here.start >= r.min-1 // the terminator may be white space
	case labelled:
		to, ok := behind.find(s, end)
		// Two bytes before the keyword, for "_" and \b; two after the value, for its terminator.
		return span{max(0, start-2), min(len(s), to+2)}, ok
	}
	return span{max(0, start-r.reach), min(len(s), end+r.reach)}, true
}

// A lastValue caches valueBehind's last result: all rules of a keyword ask for the same place.
type lastValue struct {
	known bool
	label int // end of the label
	end   int
	ok    bool
}

func (l *lastValue) find(s string, label int) (end int, ok bool) {
	if !l.known || l.label != label {
		l.known, l.label = true, label
		l.end, l.ok = valueBehind(s, label)
	}
	return l.end, l.ok
}

// unbrokenRun extends s[start:end] to the surrounding white space. If the keyword itself contains white space, the next one starts
// over.
func unbrokenRun(s string, start, end int) span {
	for start > 0 && !isSpaceByte(s[start-1]) {
		start--
	}
	for end < len(s) && !isSpaceByte(s[end]) {
		end++
	}
	return span{start, end}
}

// Limits of value.
const (
	maxLabel = 48
	maxValue = 256
)

// valueBehind looks for the value of a label that ends at i: within maxLabel bytes, as gitleaks permits, a separator or "is", then
// a run of at least six bytes with a digit. It returns the end of the last such run. Nearly all "key" and "token" in prose fail
// here. Values of more than maxValue bytes are ignored: gitleaks' own limit is 150, and longer secrets have rules that know their
// form.
func valueBehind(s string, i int) (end int, ok bool) {
	for stop := min(len(s), i+maxLabel); i < stop; i++ {
		j, separates := i+1, strings.IndexByte("=>:|?,", s[i]) >= 0
		if lowerByte(s[i]) == 'i' && j+1 < len(s) && lowerByte(s[j]) == 's' && isSpaceByte(s[j+1]) {
			j, separates = j+1, true
		}
		if !separates {
			continue
		}
		for limit := min(len(s), j+12); j < limit && strings.IndexByte("`'\"=>:| \t\r\n\f", s[j]) >= 0; {
			j++
		}
		digit, k := false, j
		for k < len(s) && k < j+maxValue && strings.IndexByte("`'\";", s[k]) < 0 && !isSpaceByte(s[k]) {
			digit = digit || '0' <= s[k] && s[k] <= '9'
			k++
		}
		if digit && k-j >= 6 {
			end, ok = k, true
		}
	}
	return end, ok
}

// isSpaceByte agrees with a regexp's \s.
func isSpaceByte(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' && c != '\v' }
