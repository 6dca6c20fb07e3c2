package syntax

// What a parser does grows with the symbols of a text. Of 386 files of more than 100 kB in published packages, minified
// ones among them, the densest had one for 1.7 bytes in a short file and one for 2.1 in one of a megabyte; a list of one-digit
// numbers has one for each byte.
const (
	symbolsBase     = 100_000
	symbolsPerBytes = 2 // so many for
	bytesOfSymbols  = 5 // so many bytes
)

// isDense reports whether a text of that length with so many symbols holds more of them than code does.
func isDense(textBytes, symbols int) bool {
	return textBytes > symbolsBase && symbols > symbolsBase+textBytes/bytesOfSymbols*symbolsPerBytes
}

// countSymbols counts words, signs and strings, whatever the language. It looks at each byte twice at most.
func countSymbols(text []byte) (n int) {
	word := false
	open := map[byte]int{} // up to where no string ends with a sign
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case isWordByte(c):
			if !word {
				n++
			}
			word = true
			continue
		case c == '"' || c == '\'':
			if i >= open[c] {
				end, closed := stringEnd(text, i)
				if closed {
					i = end
				} else {
					open[c] = end
				}
			}
			n++
		case c > ' ' && (i == 0 || text[i-1] != c || !isRule(c)):
			n++
		}
		word = false
	}
	return n
}

func isWordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '$' || c >= 0x80
}

// isRule reports whether lines are drawn with a sign: ------- counts once.
func isRule(c byte) bool {
	switch c {
	case '-', '=', '*', '#', '/', '_', '.', '~':
		return true
	}
	return false
}

// stringEnd returns where a string ends that begins at a place, or where its line does.
func stringEnd(text []byte, at int) (end int, closed bool) {
	i := at + 1
	for ; i < len(text) && text[i] != '\n'; i++ {
		switch text[i] {
		case text[at]:
			return i, true
		case '\\':
			i++
		}
	}
	return i, false
}
