package syntax

// Parsing costs grow with a text's symbols. Of 386 files over 100 kB in published packages, including minified ones, the densest
// had one symbol per 1.7 bytes in a short file and per 2.1 in one of a megabyte; a list of one-digit numbers has one per byte.
const (
	symbolsBase     = 100_000
	symbolsPerBytes = 2 // symbols
	bytesOfSymbols  = 5 // per bytes
)

// isDense reports whether a text of that length has more symbols than code has.
func isDense(textBytes, symbols int) bool {
	return textBytes > symbolsBase && symbols > symbolsBase+textBytes/bytesOfSymbols*symbolsPerBytes
}

// countSymbols counts words, signs and strings in any language. It reads each byte at most twice.
func countSymbols(text []byte) (n int) {
	word := false
	open := map[byte]int{} // up to where no string ends with this quote
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

// isRule reports whether a sign is used to draw lines: ------- counts once.
func isRule(c byte) bool {
	switch c {
	case '-', '=', '*', '#', '/', '_', '.', '~':
		return true
	}
	return false
}

// stringEnd returns where the string at an offset, or its line, ends.
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
