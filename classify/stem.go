package classify

import "strings"

// stemWord cuts the endings of English inflection off a word of lower-case letters, in its own memory: folders, folder; stored and
// storing, stor. It need not be right, only the same for the forms of a word.
func stemWord(w []byte) []byte {
	n := len(w)
	if n > 3 && w[n-1] == 's' && w[n-2] != 's' && w[n-2] != 'u' && w[n-2] != 'i' {
		w = w[:n-1]
		if n = len(w); n > 4 && w[n-1] == 'e' && w[n-2] == 'i' {
			w[n-2] = 'y'
			w = w[:n-1]
		}
	}
	switch n = len(w); {
	case n > 6 && string(w[n-3:]) == "ing":
		w = w[:n-3]
	case n > 5 && string(w[n-2:]) == "ed":
		w = w[:n-2]
	}
	if n = len(w); n > 4 && w[n-1] == 'e' {
		w = w[:n-1]
	}
	return w
}

// A proseWord says where a word of a text stands.
type proseWord struct {
	first   bool // in the first sentence
	negated bool // behind "not", "without" and the like in its clause
}

// eachProseWord calls visit with the stem of each of the first words of a text until it returns false. What stands inside an element such as <IMPORTANT> is
// no description and is left out.
func eachProseWord(s string, limit int, buf []byte, visit func(stem []byte, at proseWord) bool) {
	in := proseWord{first: true}
	reach := 0 // how many further words a negation governs
	for at, n := 0, 0; at < len(s) && n < limit; n++ {
		word, start, end := nextWord(s, at, buf[:0])
		if len(word) == 0 {
			return
		}
		gap := s[at:start]
		if past := elementEnd(s, gap, start, end); past > 0 {
			at = past
			continue
		}
		if at > 0 && in.first {
			in.first = !endsSentence(gap)
		}
		if reach--; reach > 0 && (strings.ContainsAny(gap, ",;:.()\n") || turnsClause(word)) {
			reach = 0
		}
		if isNegator(word) {
			reach = negationReach
		}
		in.negated = reach > 0
		if !visit(stemWord(word), in) {
			return
		}
		at = end
	}
}

// negationReach is how many words behind a negation it governs, itself counted.
const negationReach = 8

// isNegator reports whether a word negates what follows it. A switch finds that out faster than a map, and every word of every
// text is asked for.
func isNegator(word []byte) bool {
	switch string(word) {
	case "not", "never", "no", "without", "nothing", "none", "neither", "nor", "cannot", "doesnt", "dont", "isnt", "arent", "wont", "cant":
		return true
	}
	return false
}

// turnsClause reports whether a word ends the reach of a negation.
func turnsClause(word []byte) bool {
	switch string(word) {
	case "but", "only", "just", "unless", "until", "instead":
		return true
	}
	return false
}

// elementEnd returns where an element ends whose name is the word between start and end, 0 if the word is none. One that is not closed
// ends with its tag.
func elementEnd(s, gap string, start, end int) int {
	if len(gap) == 0 || gap[len(gap)-1] != '<' || end >= len(s) || s[end] != '>' {
		return 0
	}
	if i := strings.Index(s[end:], "</"); i >= 0 {
		return end + i + 2 + (end - start)
	}
	return end
}

// endsSentence reports whether what stands between two words ends a sentence.
func endsSentence(gap string) bool {
	for i := 0; i < len(gap); i++ {
		switch gap[i] {
		case '\n':
			return true
		case '.', ';':
			if i+1 < len(gap) && gap[i+1] == ' ' {
				return true
			}
		}
	}
	return false
}
