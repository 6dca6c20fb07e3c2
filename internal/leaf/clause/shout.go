package clause

// shoutedWords is how many words in capitals in a row are shouted, so that their capitals say nothing about any one of them.
const shoutedWords = 5

// unshout returns a text with its shouted runs in small letters, of the same length. In capitals a name like
// read_file looks like a variable of the environment, and every word like a heading.
func unshout(s string) string {
	var out []byte
	for i := 0; i < len(s); {
		end, words := shoutedRun(s, i)
		if words >= shoutedWords {
			if out == nil {
				out = []byte(s)
			}
			for k := i; k < end; k++ {
				out[k] = lower(s[k])
			}
		}
		i = max(end, i+1)
	}
	if out == nil {
		return s
	}
	return string(out)
}

// shoutedRun returns where the run without small letters that begins at i ends, and how many words of two capitals or more it has. It
// ends before a word with a small letter.
func shoutedRun(s string, i int) (end, words int) {
	end = i
	for i < len(s) {
		capitals, small := 0, false
		j := i
		for j < len(s) && s[j] > ' ' {
			if s[j] >= 'A' && s[j] <= 'Z' {
				capitals++
			}
			small = small || s[j] >= 'a' && s[j] <= 'z'
			j++
		}
		if small {
			if end == i {
				end = j // the first word of all
			}
			return end, words
		}
		if capitals >= 2 {
			words++
		}
		for j < len(s) && s[j] <= ' ' {
			j++
		}
		i, end = j, j
	}
	return end, words
}
