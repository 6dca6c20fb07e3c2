package text

import (
	"strings"
	"unicode/utf8"
)

// namesOfLetters are the words of the spelling alphabet of radio (ICAO), each by its first letter; two have another spelling.
var namesOfLetters = [26]string{"alfa", "bravo", "charlie", "delta", "echo", "foxtrot", "golf", "hotel", "india", "juliett", "kilo", "lima", "mike", "november", "oscar",
	"papa", "quebec", "romeo", "sierra", "tango", "uniform", "victor", "whiskey", "xray", "yankee", "zulu"}

// named returns rows of letters by their place in the alphabet ("9-7-14-15-18-5 1-12-12") or by their name in radio ("India Golf
// November").
func named(s string) []Blob {
	var out []Blob
	for i := 0; i < len(s); {
		if !inWord(s[i]) {
			i++
			continue
		}
		end := i
		if s[i] <= '9' || i+1 < len(s) && lower(s[i+1]) == namesOfLetters[lower(s[i])-'a'][1] { // one word in eight may begin a row
			var b Blob
			if b, end = namedRow(s, i); b.Encoding != "" {
				out = append(out, b)
			}
		}
		for end < len(s) && inWord(s[end]) {
			end++
		}
		i = end
	}
	return out
}

func inWord(c byte) bool { return isLetter(c) || c >= '0' && c <= '9' }

// namedRow reads a row from s[at:] on, and returns where it ends. What most often stands between its letters parts these, and
// anything else words.
func namedRow(s string, at int) (Blob, int) {
	var letters []byte
	var gaps []string
	end := at
	for i := at; i < len(s); {
		n := runLen(s[:min(len(s), i+9)], i, inWord)
		c := letterNamed(s[i:i+n], s[at] <= '9')
		if c == 0 {
			break
		}
		letters, end = append(letters, c), i+n
		gap := runLen(s[:min(len(s), end+4)], end, func(c byte) bool { return strings.IndexByte(" -,/;|.\t\n", c) >= 0 })
		if gap == 0 || gap > 3 {
			break
		}
		gaps = append(gaps, s[end:end+gap])
		i = end + gap
	}
	if len(letters) < leastSigns || !orders(string(letters)) {
		return Blob{}, max(end, at+1)
	}
	count := map[string]int{}
	for _, gap := range gaps {
		count[gap]++
	}
	said := letters[:1:1]
	for i, c := range letters[1:] {
		for _, n := range count {
			if n > count[gaps[i]] {
				said = append(said, ' ')
				break
			}
		}
		said = append(said, c)
	}
	return Blob{Encoding: spacedLetters, Start: at, End: end, Decoded: string(said)}, end
}

// letterNamed returns the letter that a word or a number stands for, 0 for none.
func letterNamed(word string, number bool) byte {
	if !number {
		if len(word) < 4 || !isLetter(word[0]) {
			return 0
		}
		letter := lower(word[0])
		if strings.EqualFold(word, namesOfLetters[letter-'a']) || strings.EqualFold(word, "alpha") || strings.EqualFold(word, "juliet") {
			return letter
		}
		return 0
	}
	n := 0
	for i := 0; i < len(word) && len(word) <= 2; i++ {
		if word[i] > '9' {
			return 0
		}
		n = 10*n + int(word[i]-'0')
	}
	if n < 1 || n > 26 {
		return 0
	}
	return 'a' + byte(n-1)
}

// orders reports whether letters without gaps hold two words of which orders to a model have some. Rows of numbers hold none.
func orders(letters string) bool {
	n := 0
	for word := range strings.FieldsSeq(commonWords) {
		if len(word) >= 4 && strings.Contains(letters, word) {
			n++
		}
	}
	return n >= 2
}

// flags returns rows of the letters that flags are made of.
func flags(s string) []Blob {
	const first, last = '\U0001F1E6', '\U0001F1FF'
	var out []Blob
	for i := 0; i < len(s); {
		start := strings.Index(s[i:], "\xF0\x9F\x87") // what all of them begin with
		if start < 0 {
			break
		}
		start += i
		var text []byte
		end, letters := start, 0
		for at := start; at < len(s); {
			r, n := utf8.DecodeRuneInString(s[at:])
			if r >= first && r <= last {
				text, letters, end = append(text, 'a'+byte(r-first)), letters+1, at+n
			} else if r == ' ' {
				text = append(text, ' ')
			} else {
				break
			}
			at += n
		}
		if letters >= leastSigns {
			out = append(out, Blob{Encoding: spacedLetters, Start: start, End: end, Decoded: strings.TrimSpace(string(text))})
		}
		i = max(end, start+1)
	}
	return out
}

// upright maps letters that look like others upside down to these; a text of them is read backwards.
var upright = strings.NewReplacer("ɐ", "a", "q", "b", "ɔ", "c", "p", "d", "ǝ", "e", "ɟ", "f", "ƃ", "g", "ɥ", "h", "ᴉ", "i", "ı", "i", "ɾ", "j", "ʞ", "k",
	"ɯ", "m", "u", "n", "d", "p", "b", "q", "ɹ", "r", "ʇ", "t", "n", "u", "ʌ", "v", "ʍ", "w", "ʎ", "y")

// leastTurned is from how many letters that stand on their head on a text is turned.
const leastTurned = 12

// turned returns a text that is written upside down.
func turned(s string) []Blob {
	n := 0
	for _, r := range s {
		if r >= utf8.RuneSelf && r < 0x1E00 && strings.ContainsRune("ɐɔǝɟƃɥᴉɾʞɯɹʇʌʍʎ", r) {
			n++
		}
	}
	if n < leastTurned {
		return nil
	}
	return []Blob{{Encoding: "letters upside down", End: len(s), Decoded: decipher(upright.Replace(s), backwards)}}
}

// rot47 returns the lines of which every visible character was turned by half of them, and that are English once they are turned back.
func rot47(s string) (out []Blob) {
	for start := 0; start < len(s); {
		end := start + len(s[start:])
		if stop := strings.IndexByte(s[start:], '\n'); stop >= 0 {
			end = start + stop
		}
		line := []byte(s[start:end])
		for i, c := range line {
			if c >= 'a' && c <= 'k' { // a capital of a word that seemed to be shouted; otherwise it stands for a digit
				line[i] = c &^ 0x20
			}
		}
		back := Rot47(string(line))
		common := 0
		for word := range strings.FieldsSeq(back) {
			if wordsIn().of(strings.ToLower(strings.TrimRight(word, ".,")))&1 != 0 {
				common++
			}
		}
		if common >= leastCommon {
			out = append(out, Blob{Encoding: "rot47", Start: start, End: end, Decoded: back})
		}
		start = end + 1
	}
	return out
}

// Rot47 returns a text with every visible ASCII character turned by half of them.
func Rot47(s string) string {
	out := []byte(s)
	for i, c := range out {
		if c > ' ' && c < 0x7F {
			out[i] = '!' + (c-'!'+47)%94
		}
	}
	return string(out)
}

// Rot13 returns a text in ROT13.
func Rot13(s string) string { return decipher(s, 13) }

// Backwards returns a text reversed by characters.
func Backwards(s string) string { return decipher(s, backwards) }
