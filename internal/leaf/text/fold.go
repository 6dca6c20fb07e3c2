package text

import (
	_ "embed"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// A Folded is a string in canonical form, lower-case outside ASCII, with the way back. Each folded byte knows the
// original character it came from.
type Folded struct {
	text string
	offs []int32 // offs[i] is where the character behind text[i] begins; len(text)+1 long; nil if nothing moved
}

// Text returns the canonical form.
func (f Folded) Text() string { return f.text }

// Span maps a range of the canonical form to the string it came from.
func (f Folded) Span(start, end int) (int, int) {
	if f.offs == nil {
		return start, end
	}
	from := int(f.offs[start])
	if end <= start {
		return from, from
	}
	// A range that ends inside what one character became holds all of that character.
	for end+1 < len(f.offs) && f.offs[end] == f.offs[end-1] {
		end++
	}
	return from, int(f.offs[end])
}

// Plain reports whether folding would change nothing but case: s is ASCII without controls.
func Plain(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c >= utf8.RuneSelf || c < 0x20 && c != '\n' && c != '\t' && c != '\r' || c == 0x7F {
			return false
		}
	}
	return true
}

// Fold returns the canonical form of s, in which other readers than Reader look for words: it lower-cases (outside ASCII; words do it for ASCII), decomposes (NFKD), drops
// combining marks and everything invisible, and turns typographic quotes, dashes and
// spaces into their ASCII forms. Letters that pose as ASCII stay: whether they pose is
// decided word by word.
func Fold(s string) Folded {
	if Plain(s) {
		return Folded{text: s}
	}
	b := make([]byte, 0, len(s))
	offs := make([]int32, 0, len(s)+1)
	put := func(r rune, at int) {
		n := len(b)
		b = utf8.AppendRune(b, r)
		for range len(b) - n {
			offs = append(offs, int32(at))
		}
	}
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			switch {
			case c == 0x1B:
				i += len(ansi(s[i:]))
				continue
			case !isControl(rune(c)):
				b, offs = append(b, c), append(offs, int32(i))
			}
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if r >= 0x4E00 && r <= 0x9FFF { // ideographs have no other form
			put(r, i)
		} else if _, hidden := kindOf(r); !hidden {
			foldRune(s[i:i+size], r, i, put)
		}
		i += size
	}
	return Folded{string(b), append(offs, int32(len(s)))}
}

func foldRune(enc string, r rune, at int, put func(rune, int)) {
	if p, ok := punctuation[r]; ok {
		put(p, at)
		return
	}
	if r >= 0x1F150 && r <= 0x1F189 && (r <= 0x1F169 || r >= 0x1F170) { // white letters in black circles and squares
		put('a'+(r-0x1F150)%32, at)
		return
	}
	d := norm.NFKD.PropertiesString(enc).Decomposition()
	if d == nil {
		if !unicode.Is(unicode.Mn, r) {
			put(unicode.ToLower(r), at)
		}
		return
	}
	for _, c := range string(d) {
		if p, ok := punctuation[c]; ok {
			c = p
		}
		if !unicode.Is(unicode.Mn, c) {
			put(unicode.ToLower(c), at)
		}
	}
}

// punctuation maps what typographers and keyboards of other scripts write to the ASCII
// sign with the same function.
var punctuation = map[rune]rune{
	'‘': '\'', '’': '\'', '‚': '\'', '‛': '\'', '′': '\'', 'ʼ': '\'', '“': '"', '”': '"', '„': '"', '‟': '"',
	'«': '"', '»': '"', '「': '"', '」': '"', '『': '"', '』': '"', '‐': '-', '‑': '-', '‒': '-', '–': '-',
	'—': '-', '―': '-', '−': '-', '。': '.', '．': '.', '！': '!', '？': '?', '；': ';', '：': ':', '，': ',',
	'、': ',', '（': '(', '）': ')', '【': '[', '】': ']', '・': ' ', '…': '.', '\u2028': '\n', '\u2029': '\n', '\u0085': '\n',
	'⁄': '/', '∕': '/', '‹': '<', '›': '>', 'ı': 'i', 'ß': 's', 'ø': 'o', 'ł': 'l', 'đ': 'd', 'æ': 'e', 'œ': 'e',
	// small capitals, which Unicode does not decompose
	'ᴀ': 'a', 'ʙ': 'b', 'ᴄ': 'c', 'ᴅ': 'd', 'ᴇ': 'e', 'ꜰ': 'f', 'ɢ': 'g', 'ʜ': 'h', 'ɪ': 'i', 'ᴊ': 'j', 'ᴋ': 'k', 'ʟ': 'l', 'ᴍ': 'm',
	'ɴ': 'n', 'ᴏ': 'o', 'ᴘ': 'p', 'ꞯ': 'q', 'ʀ': 'r', 'ꜱ': 's', 'ᴛ': 't', 'ᴜ': 'u', 'ᴠ': 'v', 'ᴡ': 'w', 'ʏ': 'y', 'ᴢ': 'z',
}

//go:embed confusables.tsv
var confusablesData string

// confusables maps letters that look like an ASCII letter or digit to it (UTS #39).
var confusables = func() map[rune]byte {
	m := make(map[rune]byte, 512)
	for line := range strings.Lines(confusablesData) {
		code, ascii, ok := strings.Cut(strings.TrimSpace(line), "\t")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		r, err := strconv.ParseUint(code, 16, 32)
		if err != nil {
			panic("text: confusables.tsv: " + line)
		}
		m[rune(r)] = ascii[0]
	}
	return m
}()

// Skeleton returns what a name looks like: without invisible characters and accents, and
// with letters that look like an ASCII letter or digit turned into it. ASCII letters keep
// their case; others are in lower case. Two names with one skeleton can pass for each other.
func Skeleton(name string) string {
	if Plain(name) {
		return name
	}
	b := make([]byte, 0, len(name))
	for _, r := range Fold(name).text {
		if c, known := confusables[r]; known && r >= utf8.RuneSelf {
			b = append(b, c)
			continue
		}
		b = utf8.AppendRune(b, r)
	}
	return string(b)
}

// LooksLike returns the ASCII word that a folded word looks like, in lower case; ok is
// false if it is ASCII already, or if some letter of it looks like none.
func LooksLike(word string) (ascii string, ok bool) {
	b := make([]byte, 0, len(word))
	changed := false
	for _, r := range word {
		if r < utf8.RuneSelf {
			b = append(b, lower(byte(r)))
			continue
		}
		c, known := confusables[r]
		if !known {
			return "", false
		}
		b, changed = append(b, c), true
	}
	return string(b), changed
}

func lower(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}
