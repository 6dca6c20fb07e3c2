package classify

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

// eachProseWord calls visit with the stem of each of the first words of a text and whether it stands in the first sentence.
func eachProseWord(s string, limit int, buf []byte, visit func(stem []byte, first bool)) {
	first := true
	for at, n := 0, 0; at < len(s) && n < limit; n++ {
		word, start, end := nextWord(s, at, buf[:0])
		if len(word) == 0 {
			return
		}
		if at > 0 && first {
			first = !endsSentence(s[at:start])
		}
		visit(stemWord(word), first)
		at = end
	}
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
