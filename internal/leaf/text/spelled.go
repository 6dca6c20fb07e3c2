package text

import (
	"math/bits"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// Spelled returns what is text once it is spelled otherwise: letters shifted, mirrored or upside down, a text written backwards, numbers
// of characters and of letters, names of letters, Morse code, Braille, base85 and ROT47. A model reads all of these.
func Spelled(s string) []Blob {
	var count [256]int // of each byte: most texts have too few of what a spelling is made of
	for i := range len(s) {
		count[s[i]]++
	}
	sum := func(from, to byte) (n int) {
		for _, c := range count[from : int(to)+1] {
			n += c
		}
		return n
	}
	digits, foreign := sum('0', '9'), sum(utf8.RuneSelf, 0xFF)
	common := sum('l', 'z') // letters that ROT47 writes for digits and signs; those before may be capitals of a word that seemed to be shouted
	others := sum('!', 0xFF) - common
	var out []Blob
	for _, spelling := range [...]struct {
		may  bool
		read func(string) []Blob
	}{
		{true, ciphered},
		{digits >= leastNumbers, numbers},
		{len(s) >= minBase85, base85},
		{count['.']+count['-'] >= leastSigns, morse},
		{foreign >= leastSigns, braille},
		{true, named},
		{foreign >= leastSigns, flags},
		{foreign >= leastTurned, turned},
		{others >= 4*common && others >= minBase85, rot47},
	} {
		if spelling.may {
			out = append(out, spelling.read(s)...)
		}
	}
	return out
}

// A cipher is one of the ways to write letters for others: shifts by 1 to 25, the mirrored alphabet, and words written
// backwards, as they are or in ROT13.
const (
	mirrored   = 26
	backwards  = 27
	turnedBack = 28
	ciphers    = 29
)

// encipher writes a letter for another; backwards leaves it, and what is turned back as well is in ROT13.
func encipher(c byte, by int) byte {
	base := c &^ 0x1F // of capitals or small letters; both alphabets begin behind a multiple of 32
	n := int(c&0x1F) - 1
	switch {
	case !isLetter(c) || by == backwards:
		return c
	case by == mirrored:
		return base + 1 + byte(25-n)
	case by == turnedBack:
		by = 13
	}
	return base + 1 + byte((n+by)%26)
}

// commonWords are words of which orders to a model in English have some, and which no other cipher makes of each other
// often.
const commonWords = "the and you your all with this that from not for are use user users read send file files tool tools ignore previous instructions content contents must before when then into call data them any secret key keys without telling"

// A lexicon maps common words in ciphers to the ciphers that they are written in, one bit each; 0 stands for plain text.
type lexicon struct {
	words map[string]uint32
	ends  [26][26]uint16 // by the first and the last letter, the lengths of words: most of a text is known not to be in it by these
}

func (l *lexicon) of(word string) uint32 {
	if n := len(word); n == 0 || n > mostLetters || !isLetter(word[0]) || !isLetter(word[n-1]) || l.ends[lower(word[0])-'a'][lower(word[n-1])-'a']>>n&1 == 0 {
		return 0
	}
	return l.words[word]
}

// mostLetters is how long the longest common word is.
const mostLetters = len("instructions")

var wordsIn = sync.OnceValue(func() *lexicon {
	out := &lexicon{words: map[string]uint32{}}
	for word := range strings.FieldsSeq(commonWords) {
		for by := range ciphers {
			b := []byte(word)
			for i := range b {
				if b[i] = encipher(word[i], by); by >= backwards {
					b[i] = encipher(word[len(word)-1-i], by)
				}
			}
			out.words[string(b)] |= 1 << by
			out.ends[b[0]-'a'][b[len(b)-1]-'a'] |= 1 << len(b)
		}
	}
	return out
})

// The least that makes a text enciphered: so many different common words, and one in so many of its words.
const (
	leastCommon = 3
	commonShare = 6
)

// ciphered returns the sentences of s that are English in a cipher, from the first to the last.
func ciphered(s string) []Blob {
	known := wordsIn()
	var word [mostLetters]byte
	var sums [ciphers]int                 // by cipher, over the sentences that are in it
	var distinct [ciphers]map[string]bool // the words that say so
	var first, last [ciphers]int
	for start := 0; start < len(s); {
		end := start
		for end < len(s) && !ends(s[end]) {
			end++
		}
		var counts [ciphers]int
		words := 0
		for i := start; i < end; {
			n := 0
			for i+n < end && isLetter(s[i+n]) {
				if n < len(word) {
					word[n] = s[i+n] | 0x20 // in small letters
				}
				n++
			}
			if n == 0 {
				i++
				continue
			}
			words++
			if n >= 3 && n <= len(word) {
				for set := known.of(string(word[:n])); set != 0; set &= set - 1 {
					by := bits.TrailingZeros32(set)
					if counts[by]++; by > 0 {
						if distinct[by] == nil {
							distinct[by] = map[string]bool{}
						}
						distinct[by][string(word[:n])] = true
					}
				}
			}
			i += n
		}
		for by := 1; by < ciphers; by++ {
			if counts[by] > 2*counts[0] && counts[by]*commonShare >= words {
				if sums[by] == 0 {
					first[by] = start
				}
				sums[by] += counts[by]
				last[by] = end
			}
		}
		start = end + 1
	}
	best := 0
	for by := 1; by < ciphers; by++ {
		if sums[by] > sums[best] && len(distinct[by]) >= leastCommon {
			best = by
		}
	}
	if best == 0 {
		return nil
	}
	start := first[best] + len(s[first[best]:]) - len(strings.TrimLeft(s[first[best]:], " \n"))
	end := min(last[best]+1, len(s)) // with the stop behind it
	return []Blob{{Encoding: cipherName(best), Start: start, End: end, Decoded: decipher(s[start:end], best)}}
}

func ends(c byte) bool { return c == '.' || c == ':' || c == '!' || c == '?' || c == '\n' }

func cipherName(by int) string {
	switch by {
	case 13:
		return "rot13"
	case mirrored:
		return "mirrored letters"
	case backwards, turnedBack:
		return "reversed text"
	}
	return "shifted letters"
}

func decipher(s string, by int) string {
	if by == backwards {
		out := make([]byte, 0, len(s))
		for len(s) > 0 {
			_, n := utf8.DecodeLastRuneInString(s)
			out = append(out, s[len(s)-n:]...)
			s = s[:len(s)-n]
		}
		return string(out)
	}
	if by == turnedBack {
		return decipher(decipher(s, 13), backwards)
	}
	out := []byte(s)
	for i, c := range out {
		if back := 26 - by; by == mirrored {
			out[i] = encipher(c, mirrored)
		} else {
			out[i] = encipher(c, back)
		}
	}
	return string(out)
}

// leastNumbers is from how many numbers in a row on they may be those of characters.
const leastNumbers = 12

// numbers returns rows of numbers that are those of characters: "73 103 110", "0x49, 0x67", "01001001 01100111".
func numbers(s string) []Blob {
	var out []Blob
	for i := 0; i < len(s); {
		if s[i] < '0' || s[i] > '9' || i > 0 && (isBase64(s[i-1]) || s[i-1] == '.') {
			i++
			continue
		}
		var row []string
		end := i
		for at := i; at < len(s); {
			n := runLen(s, at, isBase64)
			if n == 0 || n > 8 || s[at] < '0' || s[at] > '9' {
				break
			}
			row, end = append(row, s[at:at+n]), at+n
			at = end + runLen(s, end, func(c byte) bool { return strings.IndexByte(" ,;\t\r\n", c) >= 0 })
			if at == end || at > end+4 {
				break
			}
		}
		if len(row) >= leastNumbers {
			for _, base := range []int{2, 8, 10, 16} {
				if text := charactersOf(row, base); readable(text) {
					out = append(out, Blob{Encoding: "numbers of characters", Start: i, End: end, Decoded: string(text)})
					break
				}
			}
		}
		i = max(end, i+1)
	}
	return out
}

// charactersOf returns the characters of numbers in ASCII, nil if one is not.
func charactersOf(row []string, base int) []byte {
	out := make([]byte, len(row))
	for i, digits := range row {
		if base == 16 {
			digits = strings.TrimPrefix(strings.TrimPrefix(digits, "0x"), "0X")
		}
		n, err := strconv.ParseUint(digits, base, 8)
		if err != nil || n >= utf8.RuneSelf {
			return nil
		}
		out[i] = byte(n)
	}
	return out
}

// minBase85 is the least of a run of base85, in characters.
const minBase85 = 30

// Alphabets85 are the alphabets of base85: RFC 1924 (Python's b85encode), ZeroMQ, Adobe.
var Alphabets85 = [...]string{
	"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~",
	"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#",
	"!\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstu",
}

// base85 returns runs without a space that are text in base85.
func base85(s string) []Blob {
	var out []Blob
	for i := 0; i < len(s); {
		n := runLen(s, i, func(c byte) bool { return c > ' ' && c < 0x7F })
		if n >= minBase85 {
			if b := base85Blob(s, i, i+n); b.Encoding != "" {
				out = append(out, b)
			}
		}
		i += max(n, 1)
	}
	return out
}

// base85Blob reads a run as it is, without quotes or brackets around it, and in Adobe's frame.
func base85Blob(s string, from, to int) Blob {
	start, end := from, to
	for start < to && strings.IndexByte("'\"`(", s[start]) >= 0 {
		start++
	}
	for end > start && strings.IndexByte("'\"`),.;", s[end-1]) >= 0 {
		end--
	}
	inner := s[start:end]
	if strings.HasPrefix(inner, "<~") && strings.HasSuffix(inner, "~>") && len(inner) > 4 {
		start, end = start+2, end-2
	}
	for _, of := range [][2]int{{from, to}, {start, end}} {
		for _, alphabet := range Alphabets85 {
			if data := decode85(s[of[0]:of[1]], alphabet); readable(data) {
				return Blob{Encoding: "base85", Start: of[0], End: of[1], Decoded: string(data)}
			}
		}
	}
	return Blob{}
}

// decode85 decodes groups of five characters to four bytes, and a last one of n to n-1; nil if s is in another alphabet.
func decode85(s, alphabet string) []byte {
	out := make([]byte, 0, len(s)/5*4+4)
	for len(s) > 0 {
		group := s[:min(len(s), 5)]
		s = s[len(group):]
		var v uint64
		for i := range 5 {
			digit := 84 // what a last group lacks
			if i < len(group) {
				if digit = strings.IndexByte(alphabet, group[i]); digit < 0 {
					return nil
				}
			}
			v = v*85 + uint64(digit)
		}
		if v > 1<<32-1 || len(group) == 1 {
			return nil
		}
		out = append(out, []byte{byte(v >> 24), byte(v >> 16), byte(v >> 8), byte(v)}[:len(group)-1]...)
	}
	return out
}

// morseCode are the letters a to z and the digits 0 to 9 in Morse code.
const morseCode = ".- -... -.-. -.. . ..-. --. .... .. .--- -.- .-.. -- -. --- .--. --.- .-. ... - ..- ...- .-- -..- -.-- --.. ----- .---- ..--- ...-- ....- ..... -.... --... ---.. ----."

var lettersOfMorse = sync.OnceValue(func() map[string]byte {
	out := map[string]byte{"/": ' '}
	for i, code := range strings.Fields(morseCode) {
		out[code] = "abcdefghijklmnopqrstuvwxyz0123456789"[i]
	}
	return out
})

// leastSigns is from how many letters in Morse code or Braille on they are text.
const leastSigns = 12

// morse returns rows of letters in Morse code, words parted by a stroke or by several spaces.
func morse(s string) []Blob {
	var out []Blob
	sign := func(c byte) bool { return c == '.' || c == '-' || c == '/' }
	for i := 0; i < len(s); {
		if !sign(s[i]) || i > 0 && s[i-1] > ' ' {
			i++
			continue
		}
		var text []byte
		end, letters := i, 0
		for at := i; at < len(s); {
			n := runLen(s, at, sign)
			c, ok := lettersOfMorse()[s[at:at+n]]
			if !ok {
				break
			}
			if text, end = append(text, c), at+n; c != ' ' {
				letters++
			}
			gap := runLen(s, end, func(c byte) bool { return c == ' ' || c == '\n' })
			if gap > 1 {
				text = append(text, ' ')
			}
			if at = end + gap; gap == 0 {
				break
			}
		}
		if said := strings.Join(strings.Fields(string(text)), " "); letters >= leastSigns && !rule(said) {
			out = append(out, Blob{Encoding: "Morse code", Start: i, End: end, Decoded: said})
		}
		i = max(end, i+1)
	}
	return out
}

// rule reports whether a text has so few letters that it was a line drawn with hyphens or dots.
func rule(said string) bool {
	seen := map[rune]bool{}
	for _, r := range said {
		seen[r] = true
	}
	return len(seen) < 5
}

// dots are the patterns of the letters a to z in Braille, as offsets from U+2800.
var dots = [26]rune{0x01, 0x03, 0x09, 0x19, 0x11, 0x0B, 0x1B, 0x13, 0x0A, 0x1A, 0x05, 0x07, 0x0D, 0x1D, 0x15, 0x0F, 0x1F, 0x17, 0x0E, 0x1E, 0x25, 0x27, 0x3A, 0x2D, 0x3D, 0x35}

// braille returns runs of Braille, letter by letter; what is no letter is left out, and an empty pattern parts words.
func braille(s string) []Blob {
	var out []Blob
	for i := 0; i < len(s); {
		start := strings.IndexFunc(s[i:], func(r rune) bool { return r > 0x2800 && r <= 0x28FF })
		if start < 0 {
			return out
		}
		start += i
		var text []byte
		end, letters := start, 0
	run:
		for at, r := range s[start:] {
			switch {
			case r == 0x2800 || r == ' ' || r == '\n':
				text = append(text, ' ')
				continue
			case r < 0x2800 || r > 0x28FF:
				break run
			}
			end = start + at + utf8.RuneLen(r)
			for n, d := range dots {
				if r == 0x2800+d {
					text, letters = append(text, 'a'+byte(n)), letters+1
				}
			}
		}
		if letters >= leastSigns {
			out = append(out, Blob{Encoding: "Braille", Start: start, End: end, Decoded: strings.TrimSpace(string(text))})
		}
		i = end
	}
	return out
}
